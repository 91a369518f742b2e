import Foundation
import TestSupport
import Testing

/// The commands of the README, pasted into a shell beside `make run`, in their order.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct ReadmeTests {
  @Test func everyCommandWorksAfterMakeRun() throws {
    let demo = try Demo()
    let commands = try ReadmeCommand.all()
    #expect(commands.count > 15)
    #expect(commands.first?.text == "source .build/demo-env")
    let results = try demo.paste(commands)
    #expect(results.count == commands.count)
    for (command, result) in zip(commands, results) {
      // A search that finds no rate, and a comparison that finds a worse figure, have a status of their own; the hub of
      // this test is not optimized.
      let measures = command.text.contains("--search") || command.text.hasPrefix("storeload compare")
      #expect(
        (result.status == 0) != command.showsAnError || (measures && result.status == 9),
        "\(command.text): status \(result.status)\n\(result.output)")
      #expect(
        command.isShown(in: result.output),
        "The README has for `\(command.text)`\n\(command.output.joined(separator: "\n"))\nand it printed\n\(result.output)"
      )
    }
    try demo.end()
  }

  @Test func ctrlZStopsTheTerminalAndNotTheHub() throws {
    let demo = try Demo(inShell: true)
    try demo.stopAndContinue()
    try demo.end()
  }

  @Test func outputsDifferOnlyInNumbersAndNames() {
    let command = ReadmeCommand(
      text: "storectl blame count", output: ["── 3  2026-11-22 01:56:29.030  alice storectl send", "count: 1 → 2…"])
    #expect(command.isShown(in: "── 12  2027-01-02 03:04:05.678  root storectl send\ncount: 7 → 18, and more\n"))
    #expect(!command.isShown(in: "── 12  2027-01-02 03:04:05.678  root storectl send\nsum: 7 → 18\n"))
    #expect(!command.isShown(in: "count: 7 → 18\n"))
  }
}

/// A command on the page, after `$`, and the output below it.
private struct ReadmeCommand {
  let text: String
  var output: [String]

  /// True if the page shows that it is refused.
  var showsAnError: Bool { output.first?.hasPrefix("storectl: ") ?? false }

  static func all() throws -> [ReadmeCommand] {
    var commands: [ReadmeCommand] = []
    var isOpen = false
    for line in try String(contentsOfFile: Demo.root + "/README.md", encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("    $ ") {
        commands.append(ReadmeCommand(text: String(line.dropFirst(6)), output: []))
        isOpen = true
      } else if line.hasPrefix("    "), isOpen {
        commands[commands.count - 1].output.append(String(line.dropFirst(4)))
      } else {
        isOpen = false
      }
    }
    return commands
  }

  /// Returns true if the command printed what the page shows, up to `…`, apart from numbers and the user's name.
  func isShown(in printed: String) -> Bool {
    let lines = printed.split(separator: "\n").map { Self.plain(String($0)) }
    guard lines.count >= output.count else { return false }
    return zip(output, lines).allSatisfy { shown, line in
      let parts = Self.plain(shown).split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count > 1 ? line.hasPrefix(parts[0]) : line == parts[0]
    }
  }

  private static func plain(_ line: String) -> String {
    let user = line.hasPrefix("── ") ? line.replacing(#/  [^ ]+ store/#, with: "  USER store") : line
    return user.replacing(/[0-9]+/, with: "#")
  }
}

/// `make run` in a terminal of a copy of the demonstration, with the programs of this build.
private final class Demo {
  static let root = RepositoryFiles.root.path

  private let directory: String
  private let programs = Program(name: "storectl").url.deletingLastPathComponent().path
  private let terminal: Tmux
  private let socket: String

  /// - Parameter inShell: True to run it from an interactive shell, which the terminal then belongs to.
  init(inShell: Bool = false) throws {
    let directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory + "/scripts", withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.root + "/scripts/run", toPath: directory + "/scripts/run")
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/clients", withDestinationPath: Self.root + "/clients")
    let run = "'\(directory)/scripts/run' '\(programs)'"
    let terminal = try Tmux(command: inShell ? "PS1=ready: exec bash --norc" : "\(run) || sleep 30", columns: 200)
    if inShell {
      #expect(poll { terminal.screen.contains("ready:") }, "\(terminal.screen)")
      terminal.press(run + "\r")
    }
    let environment = directory + "/.build/demo-env"
    // The lines are on the screen until the client replaces them, and in the file.
    var lines = ""
    let isWritten = poll {
      lines = (try? String(contentsOfFile: environment, encoding: .utf8)) ?? ""
      return lines.contains("STOREHUB_STATE_DIR=") && lines.hasSuffix("\n")
    }
    #expect(isWritten, "\(terminal.screen)")
    #expect(lines.contains("export PATH="))
    socket = try #require(lines.firstMatch(of: /STOREHUB_SOCKET=([^ ]+)/).map { String($0.1) })
    #expect(poll { terminal.screen.contains("live") }, "\(terminal.screen)")
    (self.directory, self.terminal) = (directory, terminal)
  }

  /// Runs the commands in one shell. The user presses `+` while `storectl watch` waits for a change.
  func paste(_ commands: [ReadmeCommand]) throws -> [(status: Int32, output: String)] {
    let script = commands.map { command in
      "echo; echo '@@ begins'\n{ \(shortened(command.text))\n} 2>&1\nprintf '\\n@@ %s\\n' $?"
    }
    let path = directory + "/printed"
    let file = directory + "/commands"
    try (Self.replacements(programs) + script.joined(separator: "\n") + "\n")
      .write(toFile: file, atomically: true, encoding: .utf8)
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Threads of a pool block all signals, and their child processes inherit that; env(1) resets it.
    shell.arguments = ["--default-signal", "bash", "-c", "cd '\(directory)' && exec bash -m commands >printed"]
    shell.standardInput = FileHandle.nullDevice
    try shell.run()
    let watch = commands.firstIndex { $0.text.hasPrefix("storectl watch") }
    var count = 0
    #expect(
      poll(for: 480) {
        let begun = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").ranges(of: "@@ begins").count
        // Only after the last one was counted, so that no turn has two.
        if begun - 1 == watch, shows(count) {
          terminal.press("+")
          count += 1
        }
        return !shell.isRunning
      })
    if shell.isRunning { shell.terminate() }
    shell.waitUntilExit()
    return try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "@@ begins\n").dropFirst().map {
      let parts = $0.components(separatedBy: "@@ ")
      return (parts.last.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? -1, parts[0])
    }
  }

  /// True if the terminal shows the counter with this number.
  private func shows(_ count: Int) -> Bool {
    terminal.screen.split(separator: "\n").contains { $0.trimmingCharacters(in: .whitespaces) == "\(count)" }
  }

  /// Stops the job of the terminal, uses the hub meanwhile, continues the job, and ends it and its shell.
  func stopAndContinue() throws {
    terminal.type("C-z")
    #expect(poll { terminal.screen.contains("Stopped") && !terminal.screen.contains("live") }, "\(terminal.screen)")
    let sent = try Program(name: "storectl").run("--socket", socket, "send", "counter.incrementButtonTapped")
    #expect(sent.status == 0, "\(sent)")
    terminal.press("clear; fg\r")
    #expect(poll { shows(1) }, "\(terminal.screen)")
    terminal.press("q")
    #expect(poll { terminal.screen.contains("The hub stops") }, "\(terminal.screen)")
    terminal.press("exit\r")
  }

  /// Ends the client; the hub and everything of it go away.
  func end() throws {
    terminal.press("q")
    #expect(poll { !terminal.isRunning })
    #expect(!FileManager.default.fileExists(atPath: socket))
    #expect(!FileManager.default.fileExists(atPath: directory + "/.build/demo-hub"))
  }

  /// Measurements of half a minute are as good in half a second here.
  private func shortened(_ command: String) -> String {
    guard command.hasPrefix("storeload ") else {
      return command.replacing("/tmp/load.sock", with: directory + "/load.sock")
    }
    return command.replacing(/--duration [0-9]+s/, with: "--duration 500ms")
      .replacing("--scenario team", with: "--scenario team --duration 500ms")
      .replacing("--search 2ms", with: "--search 2ms --duration 200ms")
  }

  /// What takes minutes was done before: the programs exist.
  private static func replacements(_ programs: String) -> String {
    """
    make() { [ "$*" = build ]; }
    swift() { [ "$*" = "build -c release --show-bin-path" ] && echo '\(programs)'; }

    """
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }
}
