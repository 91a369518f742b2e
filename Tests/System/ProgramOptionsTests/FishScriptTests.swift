import Foundation
import Testing

@testable import ProgramOptions

/// The completions of fish(1), with the shell itself if it is installed.
@Suite struct FishScriptTests {
  private static let shell = "/usr/bin/fish"
  private static let hasFish = FileManager.default.isExecutableFile(atPath: shell)

  private let probe = ProgramOptions(
    program: "probe", purpose: "Probes things.",
    options: [
      .init("state-dir", argument: "DIR", #"where it's stored: [\here]"#, value: .file),
      .init("mode", short: "m", argument: "MODE", "how", value: .words(["fast", "slow"])),
      .init("plan", argument: "FILE", "a file, or one of two", value: .fileOrWord(["fast", "slow"])),
      .init("depth", argument: "N", "how deep"),
      .init("json", "for programs"),
    ])
  private let store = ProgramOptions(
    program: "my-store", purpose: "Stores things.", options: [.init("depth", short: "d", argument: "N", "how deep")],
    subcommands: [
      .init("compare", "print what's changed", arguments: [.init("BEFORE", value: .file)]),
      .init(
        "keep", "keep it", arguments: [.init("ACTION", value: .words(["check", "mend"]))],
        options: [.init("mode", argument: "MODE", "how", value: .words(["fast", "slow"]))]),
    ])

  @Test func theScriptHasALineForEachOption() {
    let lines = probe.completionScript(for: .fish).split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "# Completion of probe for fish.",
        "complete -c probe -f",
        #"complete -c probe -l state-dir -r -F -d 'where it\'s stored: [\\here]'"#,
        "complete -c probe -l mode -s m -x -a 'fast slow' -d 'how'",
        "complete -c probe -l plan -r -F -a 'fast slow' -d 'a file, or one of two'",
        "complete -c probe -l depth -x -d 'how deep'",
        "complete -c probe -l json -d 'for programs'",
        lines[7],
        "complete -c probe -l version -d 'print the version and exit'",
      ])
    #expect(lines[7].hasPrefix("complete -c probe -l help -s h -a 'man bash zsh fish' -d 'print this help"))
  }

  @Test(.enabled(if: hasFish, "fish(1) is needed")) func fishCompletesOptionsAndTheirValues() throws {
    #expect(try fish(probe, "probe --st") == [#"--state-dir\#twhere it's stored: [\here]"#])
    #expect(try fish(probe, "probe --js") == ["--json\tfor programs"])
    #expect(try fish(probe, "probe --mode ") == ["fast\thow", "slow\thow"])
    #expect(try fish(probe, "probe -m f") == ["fast\thow"])
    #expect(try fish(probe, "probe --help=").count == 4)
    #expect(try fish(probe, "probe --state-dir /bi").contains { $0.hasPrefix("/bin/") })
    #expect(try fish(probe, "probe --plan f").contains { $0.hasPrefix("fast") })
    #expect(try fish(probe, "probe --depth ").isEmpty)
    #expect(try fish(probe, "probe /bi").isEmpty)
  }

  @Test(.enabled(if: hasFish, "fish(1) is needed")) func fishCompletesSubcommands() throws {
    #expect(try fish(store, "my-store ") == ["compare\tprint what's changed", "keep\tkeep it"])
    #expect(try fish(store, "my-store k") == ["keep\tkeep it"])
    #expect(try fish(store, "my-store -d 3 k").isEmpty)
    #expect(try fish(store, "my-store keep ") == ["check", "mend"])
    #expect(try fish(store, "my-store keep --mode s") == ["slow\thow"])
    #expect(try fish(store, "my-store keep --de").isEmpty)
    #expect(try fish(store, "my-store --de").count == 1)
    #expect(try fish(store, "my-store --mo").isEmpty)
    #expect(try fish(store, "my-store compare /bi").contains { $0.hasPrefix("/bin/") })
  }

  /// Returns fish's own completions of a line, each with a tab and its description.
  private func fish(_ options: ProgramOptions, _ line: String) throws -> [String] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: Self.shell)
    process.arguments = ["--no-config", "-c", "\(options.completionScript(for: .fish))\ncomplete -C '\(line)'"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").map(String.init)
  }
}
