import Dispatch
import Features
import Foundation
import Journal
import TestSupport
import Testing
import TurnLog
import Wire

/// storectl with the journal of a hub, both while the hub runs and without it.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct JournalControlTests {
  /// A hub with a journal and some history.
  private final class Stored {
    let hub: HubProcess
    var directory: String { hub.directory + "/state" }

    init() throws {
      hub = try HubProcess(awaitsLog: false)
      _ = hub.kill(SIGKILL)
      try hub.start(["--state-dir", hub.directory + "/state"])
      for action in [
        ["counter.incrementButtonTapped"], ["todos.addButtonTapped", "bread"], ["todos.addButtonTapped", "milk"],
        ["counter.incrementButtonTapped"], ["todos.todos[0].textChanged", "rye bread"],
        ["favourites.view.favouriteButtonTapped"], ["favourites.view.incrementButtonTapped"],
        ["todos.deleteButtonTapped", "1"],
      ] {
        let outcome = try Program(name: "storectl").run(["--socket", hub.socket, "send"] + action)
        try #require(outcome.status == 0, "\(outcome.errors)")
      }
    }

    func run(_ arguments: String...) throws -> Program.Outcome { try run(arguments) }

    func run(_ arguments: [String]) throws -> Program.Outcome {
      try Program(name: "storectl").run(arguments + ["--state-dir", directory])
    }
  }

  /// Replaces varying parts by names.
  private static func normal(_ text: String, _ stored: Stored) -> String {
    var text = text.replacingOccurrences(of: stored.directory, with: "DIRECTORY")
    for (pattern, name) in [
      ("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z", "TIME"),
      ("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}", "TIME"), ("\"process\":\\d+", "\"process\":PROCESS"),
      ("\"user\":\\d+", "\"user\":USER"), ("(TIME  )\\S+ storectl", "$1USER storectl"),
    ] {
      text = text.replacingOccurrences(of: pattern, with: name, options: .regularExpression)
    }
    return text
  }

  /// `STOREHUB_RECORD_GOLDEN=1` writes the file again.
  @Test func everyCommandPrintsWhatTheGoldenFileHas() throws {
    let stored = try Stored()
    let commands: [[String]] = [
      ["log"], ["log", "--path", "todos.todos[0]"], ["log", "-n", "1", "--since", "4"], ["log", "--uid", "4294967294"],
      ["log", "--since", "soon"], ["log", "--path", "todo"], ["state", "--at", "3"],
      ["state", "todos.todos[1].text", "--at", "3"], ["state", "todos.todos[1]", "--at", "8"], ["state", "--at", "9"],
      ["state", "--hub", "--at", "1"], ["diff", "1", "5"], ["diff", "5", "1"], ["diff", "3", "3"], ["diff", "1"],
      ["blame", "todos.todos[0].text"], ["blame", "counter"], ["blame", "counter.numberFact"],
      ["blame", "counter.cout"],
      ["bisect", "counter.count == 2"], ["bisect", "todos.todos.count", ">=", "2"],
      ["bisect", "todos.todos[0].text ~ rye"],
      ["bisect", "!counter.isTimerOn"], ["bisect", "counter.count > 9"], ["bisect", "counter.count >"],
      ["bisect", "counter.count = 2"], ["bisect", "counter.count => 2"], ["bisect"],
      ["journal", "verfy"], ["snapshot", "export", "--at", "99"], ["fork", "3"],
    ]
    var text = ""
    for command in commands {
      for arguments in [command, command + ["--json"]] {
        let outcome = try stored.run(arguments)
        text += "$ storectl \(arguments.joined(separator: " "))\n\(outcome.output)\(outcome.errors)"
        text += outcome.status == 0 ? "\n" : "[exit status \(outcome.status)]\n\n"
      }
    }
    let file = RepositoryFiles.url("Tests/Golden/storectl/journal.txt")
    let found = Self.normal(text, stored)
    if ProcessInfo.processInfo.environment["STOREHUB_RECORD_GOLDEN"] != nil {
      try found.write(to: file, atomically: true, encoding: .utf8)
    }
    let (expected, lines) = (
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n"), found.components(separatedBy: "\n")
    )
    for (number, pair) in zip(expected, lines).enumerated() where pair.0 != pair.1 {
      Issue.record("line \(number + 1) of journal.txt is '\(pair.0)', and storectl printed '\(pair.1)'")
      return
    }
    #expect(expected.count == lines.count)
  }

  /// Without a hub, the last state has the names.
  @Test func aNameLikeNoneOfTheJournalIsAnsweredWithAState() throws {
    let stored = try Stored()
    _ = stored.hub.kill(SIGKILL)
    for command in [
      ["log", "--path", "zqxw"], ["blame", "zqxw"], ["bisect", "zqxw"], ["state", "zqxw", "--at", "3"],
    ] {
      let outcome = try stored.run(command)
      let hint = "`storectl state --at now --state-dir \(stored.directory)` shows the last state\n"
      #expect(outcome.status == 3 && outcome.errors.hasSuffix("has no field 'zqxw'; \(hint)"), "\(outcome.errors)")
    }
    #expect(try stored.run("state", "--at", "now").output.hasPrefix("counter:"))
  }

  /// A hub whose feature has changed, or that begins the log of a cluster, stores a state without an action.
  @Test func aTurnWithoutActionsIsPrintedAndCounted() throws {
    let directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    try JournalTool.begin(directory, schema: schema, state: AppFeature.State().encoded(), revision: 0, time: 1)
    let (journal, history) = try Journal.open(directory: directory) { _ in }
    while try history.next() != nil {}
    journal.begin(schema: schema)
    let action = AppFeature.Action.counter(.incrementButtonTapped).encoded()
    let actions = LoggedActions(origin: .hub, count: 1, actions: action).encoded()
    journal.append([
      LoggedTurn(position: 1, baseRevision: 0, revision: 1, time: 1, actions: actions),
      LoggedTurn(position: 2, baseRevision: 1, revision: 2, time: 2),
      // Only sessions have changed.
      LoggedTurn(position: 3, baseRevision: 2, revision: 2, time: 3),
      LoggedTurn(position: 4, baseRevision: 2, revision: 3, time: 4, actions: actions),
    ])
    journal.close()

    func log(_ options: String...) throws -> [String] {
      let outcome = try Program(name: "storectl").run(["log", "--state-dir", directory] + options)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.output.split(separator: "\n").map(String.init)
    }
    func revisions(_ option: String) throws -> [String] {
      try log(option).filter { $0.hasPrefix("── ") }.map { String($0.dropFirst(3).prefix(1)) }
    }
    #expect(try revisions("--count=4") == ["1", "2", "3"])
    #expect(try revisions("--count=2") == ["2", "3"])
    #expect(try log("--count=2", "--reverse").filter { $0.hasPrefix("── ") }.count == 2)
    #expect(try log("--count=2", "--json").count == 2)
    let lines = try log("--until=2", "--count=1")
    #expect(lines.count == 2 && lines[0].hasSuffix("  the hub"), "\(lines)")
    #expect(lines.last == "the state was changed without an action")
  }

  /// The first page is there while the journal is still read, and a shorter log needs no pager.
  @Test func aLongLogGoesThroughThePager() throws {
    let stored = try Stored()
    #expect(try Program(name: "storeload").run("--socket", stored.hub.socket, "-n", "200", "-d", "1").status == 0)
    let pager = stored.hub.directory + "/pager"
    // It reads no further than the first page, and ends like a pager that the user leaves.
    try "#!/bin/sh\nhead -n 30 > \(pager).out\n".write(toFile: pager, atomically: true, encoding: .utf8)
    #expect(chmod(pager, 0o755) == 0)
    func show(_ arguments: String) throws -> String {
      let terminal = try Tmux(
        stored.hub, "storectl", "log --state-dir '\(stored.directory)' \(arguments)", environment: "PAGER='\(pager)'",
        after: "; echo status $?; cat")
      #expect(stored.hub.wait { terminal.screen.contains("status") })
      return terminal.screen
    }
    #expect(try show("").contains("status 0"))
    let page = try String(contentsOfFile: pager + ".out", encoding: .utf8)
    #expect(page.hasPrefix("── 1 ") && page.split(separator: "\n").count >= 20, "\(page)")
    #expect(unlink(pager + ".out") == 0)
    #expect(try show("-n 2").contains("── 208 "))
    #expect(access(pager + ".out", F_OK) != 0)
  }

  @Test func aLogThatFollowsGoesOnWithWhatTheHubStores() throws {
    let stored = try Stored()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "--default-signal", Program(name: "storectl").url.path, "log", "-f", "--json", "--since", "8", "--state-dir",
      stored.directory,
    ]
    let output = Pipe()
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
    try process.run()
    let sent = try Program(name: "storectl").run("--socket", stored.hub.socket, "send", "counter.decrementButtonTapped")
    #expect(sent.status == 0)
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(line.contains("\"revision\":9") && line.contains("counter.decrementButtonTapped"))
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
  }

  /// The open file is then the old one, which no hub writes any more.
  @Test func aLogThatFollowsEndsWhenTheJournalIsReplaced() throws {
    let stored = try Stored()
    #expect(stored.hub.log.contains("began a new journal in \(stored.directory)"))
    let follower = Process()
    follower.executableURL = Program(name: "storectl").url
    follower.arguments = ["log", "-f", "-n", "1", "--state-dir", stored.directory]
    let (output, errors) = (Pipe(), Pipe())
    (follower.standardOutput, follower.standardError) = (output, errors)
    try follower.run()
    #expect(!output.fileHandleForReading.availableData.isEmpty)
    _ = stored.hub.kill(SIGTERM)
    #expect(try stored.run("journal", "repair", "--to", "3").status == 0)
    follower.waitUntilExit()
    #expect(follower.terminationStatus == 1)
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.contains("the journal was replaced"))
  }

  /// The number limits what was stored before, and not what is stored together while the log waits.
  @Test func aLogThatFollowsTheLastTurnsMissesNone() throws {
    let stored = try Stored()
    let path = stored.hub.directory + "/log.json"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "--default-signal", Program(name: "storectl").url.path, "log", "-f", "-n", "1", "--json", "--state-dir",
      stored.directory,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: path)
    try process.run()
    func revisions() -> [Int] {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").compactMap { line in
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return object?["revision"] as? Int
      }
    }
    #expect(stored.hub.wait { revisions() == [8] })
    stopProcess(process.processIdentifier)
    for _ in 0..<3 {
      let sent = try Program(name: "storectl").run(
        "--socket", stored.hub.socket, "send", "counter.incrementButtonTapped")
      #expect(sent.status == 0)
    }
    kill(process.processIdentifier, SIGCONT)
    #expect(stored.hub.wait { revisions() == [8, 9, 10, 11] })
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
  }

  /// Scans do not wait for anything, so they must give the loop time to receive signals.
  @Test func signalsEndAScanOfALongJournal() throws {
    let hub = try HubProcess(awaitsLog: false)
    _ = hub.kill(SIGKILL)
    let directory = hub.directory + "/state"
    try hub.start(["--state-dir", directory, "--durability", "async"])
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "\(Self.longJournal)").status == 0)
    #expect(hub.kill(SIGTERM) == 0)
    let kept = hub.directory + "/kept"
    try FileManager.default.copyItem(atPath: directory, toPath: kept)
    let database = URL(fileURLWithPath: directory + "/journal.db")
    let before = (try Data(contentsOf: database), try FileManager.default.contentsOfDirectory(atPath: directory).count)
    for arguments in [
      ["bisect", "counter.count > 1000000"], ["blame", "todos"], ["log", "--path", "todos"], ["log", "-n", "1"],
      ["state", "--at", "\(Self.longJournal - 1)"], ["journal", "verify"], ["journal", "export"],
      ["journal", "repair"], ["journal", "repair", "--to", "\(Self.longJournal / 2)"],
    ] {
      for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
        var end: (status: Int32, errors: String) = (-1, "")
        // If this process is paused, the scan may be over before the signal is sent.
        for _ in 0..<20 where end.status != status {
          if end.status >= 0 {
            try FileManager.default.removeItem(atPath: directory)
            try FileManager.default.copyItem(atPath: kept, toPath: directory)
          }
          end = try scan(arguments + ["--state-dir", directory], endingWith: signal)
        }
        let text = end.errors
        #expect(end.status == status, "\(arguments), \(signal)")
        let isRepair = arguments.contains("repair")
        #expect(text == (isRepair ? "storectl: interrupted; nothing was changed in \(directory)\n" : ""))
      }
    }
    #expect(try Data(contentsOf: database) == before.0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == before.1)
  }

  /// The number of turns of a journal whose scan takes much longer than sending a signal, also on a busy machine.
  private static let longJournal = 150_000

  /// Runs a command until it handles a signal, and sends that. Returns the exit status, and what it has said.
  private func scan(_ arguments: [String], endingWith signal: Int32) throws -> (status: Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--default-signal", Program(name: "storectl").url.path] + arguments
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    try #require(poll { Self.catches(signal, process.processIdentifier) || !process.isRunning })
    if process.isRunning { kill(process.processIdentifier, signal) }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit, "\(arguments), \(signal)")
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (process.terminationStatus, text)
  }

  /// Returns true if a process has a handler for a signal.
  private static func catches(_ signal: Int32, _ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
      let mask = UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
    else { return false }
    return mask & 1 << UInt64(signal - 1) != 0
  }

  /// A hub on a copy of an older state, independent of the first hub.
  @Test func aForkIsAnotherHub() throws {
    let stored = try Stored()
    let (socket, copy) = (stored.hub.directory + "/fork.sock", stored.hub.directory + "/copy")
    let process = try Program(name: "storectl").start(
      ["fork", "3", "--state-dir", stored.directory, "--socket", socket, "--into", copy],
      errors: stored.hub.directory + "/fork.log")
    let control = Program(name: "storectl")
    #expect(
      stored.hub.wait { (try? control.run("--socket", socket, "state", "counter.count"))?.output == "1\n" })
    // Nothing in it was damaged.
    let files = try FileManager.default.contentsOfDirectory(atPath: copy)
    #expect(!files.contains { $0.contains("damaged") }, "\(files)")
    #expect(try control.run("--socket", socket, "send", "counter.incrementButtonTapped").status == 0)
    #expect(try control.run("--socket", socket, "state", "counter.count").output == "2\n")
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    #expect(try control.run("log", "-n", "1", "--state-dir", copy).output.contains("── 4 "))
    #expect(try control.run("log", "-n", "1", "--state-dir", stored.directory).output.contains("── 8 "))
    #expect(try control.run("journal", "verify", "--state-dir", copy).status == 0)
    // The directory has a journal already.
    let again = try control.run("fork", "3", "--state-dir", stored.directory, "--socket", socket, "--into", copy)
    #expect(again.status == 1 && again.errors.contains("already"))
    // The socket of the first hub is in use, and nothing is copied.
    let third = copy + "3"
    let taken = try control.run(
      "fork", "3", "--state-dir", stored.directory, "--socket", stored.hub.socket, "--into", third)
    #expect(taken.status == 2 && taken.errors.contains("a hub listens on \(stored.hub.socket) already"))
    #expect(!FileManager.default.fileExists(atPath: third))
    // Nor for a program that cannot be started.
    for program in ["/nonexistent/hub", "no-such-hub", "/etc/passwd"] {
      let failed = try control.run(
        "fork", "3", "--state-dir", stored.directory, "--socket", socket, "--into", third, "--hub-program", program)
      #expect(failed.status == 1 && failed.errors.contains("cannot start \(program): "), "\(failed.errors)")
      #expect(!FileManager.default.fileExists(atPath: third))
    }
  }

  @Test func aSnapshotBeginsAnotherJournal() throws {
    let stored = try Stored()
    let (file, other) = (stored.hub.directory + "/snapshot.json", stored.hub.directory + "/other")
    let control = Program(name: "storectl")
    #expect(try stored.run("snapshot", "export", file, "--at", "5").status == 0)
    // The kernel ends an import that writes too much. Nothing is there then, and it can be repeated.
    let killed = try Program(path: "/bin/sh").run(
      "-c", "ulimit -f 16; exec \"$0\" \"$@\"", control.url.path, "snapshot", "import", file, "--state-dir", other)
    #expect(killed.status != 0)
    #expect(!FileManager.default.fileExists(atPath: other + "/journal.db"))
    #expect(try stored.run("snapshot", "export", file).errors.contains("File exists"))
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let imported = try control.run("snapshot", "import", file, "--state-dir", other)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try control.run("snapshot", "import", file, "--state-dir", other).status == 1)
    #expect(
      try control.run("state", "--at", "now", "--state-dir", other).output
        == stored.run("state", "--at", "5").output)

    let hub = try HubProcess(awaitsLog: false)
    _ = hub.kill(SIGKILL)
    try hub.start(["--state-dir", other])
    #expect(try control.run("--socket", hub.socket, "state", "todos.todos[0].text").output == "rye bread\n")
    #expect(try control.run("--socket", hub.socket, "send", "counter.incrementButtonTapped").status == 0)
    #expect(hub.kill(SIGTERM) == 0)
    #expect(try control.run("journal", "verify", "--state-dir", other).status == 0)
    #expect(try control.run("blame", "counter.count", "--state-dir", other).output.contains("── 6 "))

    // Through a pipe.
    let piped = try Program(path: "/bin/sh").run(
      "-c",
      "cd \"$1\" && \"$0\" snapshot export - --at 5 --state-dir state | \"$0\" snapshot import - --state-dir piped",
      control.url.path, stored.hub.directory)
    #expect(piped.status == 0 && piped.errors.isEmpty, "\(piped)")
    #expect(!FileManager.default.fileExists(atPath: stored.hub.directory + "/-"))
    #expect(
      try control.run("state", "--at", "now", "--state-dir", stored.hub.directory + "/piped").output
        == stored.run("state", "--at", "5").output)

    // Bytes after the state.
    let snapshot = try String(contentsOfFile: file, encoding: .utf8)
    #expect(snapshot.hasSuffix("\"}\n"))
    // A hub would stop at the end of the numbers.
    try snapshot.replacing("\"revision\":5", with: "\"revision\":18446744073709551000").write(
      toFile: file, atomically: true, encoding: .utf8)
    #expect(try control.run("snapshot", "import", file, "--state-dir", other + "2").errors.contains("not a snapshot"))
    try (snapshot.dropLast(3) + "00\"}\n").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try control.run("snapshot", "import", file, "--state-dir", other + "2").errors.contains("not a snapshot"))
    try "{}".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try control.run("snapshot", "import", file, "--state-dir", other + "2").errors.contains("not a snapshot"))
  }

  /// Once there are later snapshots, the first states of a journal are gone, although its turns are not.
  @Test func statesThatAreGoneAreNotSkippedSilently() throws {
    let stored = try Stored()
    #expect(stored.hub.kill(SIGTERM) == 0)
    let isSaved = DispatchSemaphore(value: 0)
    let (journal, history) = try Journal.open(directory: stored.directory) { if case .saved = $0 { isSaved.signal() } }
    while try history.next() != nil {}
    for age in [UInt64(1), 0] {
      journal.save(LogSnapshot(position: history.tail - age, revision: history.revision - age) { { _ in nil } })
      isSaved.wait()
    }
    journal.close()
    let all = try stored.run("log", "--since", "2d")
    #expect(all.status == 7 && all.errors.contains("the journal goes back only to"), "\(all)")
    let some = try stored.run("log", "--since", "3")
    #expect(some.status == 7 && some.errors.hasSuffix("go back only to revision 7\n"), "\(some)")
  }

  /// There is no state between the actions of a turn.
  @Test func aRevisionInsideATurnIsNotRoundedSilently() throws {
    let stored = try Stored()
    #expect(stored.hub.kill(SIGTERM) == 0)
    let (journal, history) = try Journal.open(directory: stored.directory) { _ in }
    while try history.next() != nil {}
    journal.begin(schema: try #require(history.schemas.last).schema)
    journal.append([
      LoggedTurn(position: history.tail + 1, baseRevision: 8, revision: 12, time: history.time, delta: [])
    ])
    journal.close()
    func note(_ revision: Int) -> String {
      "storectl: revision \(revision) is inside a turn; this is the state at 12, the end of the turn\n"
    }
    #expect(try stored.run("state", "counter.count", "--at", "9").errors == note(9))
    for exact in ["8", "12", "now"] { #expect(try stored.run("state", "--at", exact).errors.isEmpty) }
    #expect(try stored.run("diff", "9", "11").errors == note(9) + note(11))
    #expect(try stored.run("diff", "9", "11", "--json").output.hasPrefix("{\"from\":12,\"to\":12,"))
    #expect(try stored.run("snapshot", "export", "--at", "10").errors == note(10))
    #expect(try stored.run("snapshot", "export", "--at", "10", "-q").errors.isEmpty)
    let fork = try stored.run(
      "fork", "11", "--socket", stored.hub.directory + "/fork.sock", "--hub-program", "/bin/true", "--into",
      stored.hub.directory + "/copy")
    #expect(fork.errors.hasPrefix(note(11)) && fork.errors.contains("revision 12 is in "), "\(fork)")

    let repair = try stored.run("journal", "repair", "--to", "10")
    #expect(repair.output.contains("ends with revision 8"))
    #expect(repair.errors.contains("revision 10 is inside a turn that ends with revision 12"), "\(repair)")
    #expect(try stored.run("journal", "repair", "--to", "7").errors.isEmpty)
  }

  /// As a revision that is not there yet.
  @Test func aTimeInTheFutureIsRefused() throws {
    let stored = try Stored()
    for arguments in [
      ["state", "--at", "2100-01-01"], ["diff", "1", "2100-01-01T10:00Z"], ["log", "--since", "2100-01-01"],
      ["snapshot", "export", "--at", "2100-01-01"],
    ] {
      let outcome = try stored.run(arguments)
      #expect(outcome.status == 7 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.hasSuffix(" is in the future: the last revision is 8\n"), "\(outcome)")
    }
    // An hour from now, unless that is tomorrow.
    let (hour, minute) = (Int(time(nil)) / 3600 % 24, Int(time(nil)) / 60 % 60)
    if hour < 23 {
      let later = String(format: "%02d:%02dZ", hour + 1, minute)
      #expect(try stored.run("state", "--at", later).errors.hasSuffix("; for a time of an earlier day, add the date\n"))
    }
    // A moment that is over, and the oldest one there is.
    #expect(try stored.run("state", "--at", "0s").errors.isEmpty)
    #expect(try stored.run("diff", "10m", "now").errors.hasSuffix(", with revision 0\n"))
  }

  @Test func aJournalIsCheckedAndMended() throws {
    let stored = try Stored()
    let busy = try stored.run("journal", "verify")
    #expect(busy.status == 1 && busy.errors.contains("in use"))
    #expect(stored.hub.kill(SIGTERM) == 0)
    // The journal can also be read without a hub.
    #expect(try stored.run("log", "-n", "1").output.contains("── 8 "))
    let report = try stored.run("journal", "verify", "--json")
    #expect(
      report.status == 0 && report.output.contains("\"sound\":true") && report.output.contains("\"lastRevision\":8"))
    #expect(try stored.run("journal", "repair").output == "the journal is sound; nothing was changed\n")
    #expect(try stored.run("journal", "repair", "--to", "9").status == 7)
    let early = try stored.run("state", "counter.count", "--at", "2d")
    #expect(early.status == 7 && early.errors.contains("goes back only to"))
    // But all its actions are since then.
    #expect(try stored.run("log", "--since", "2d").output == stored.run("log").output)
    let none = try stored.run("log", "--since", "3", "--uid", "4294967294")
    #expect(none.status == 7 && none.errors.hasSuffix("no such action since revision 3\n"))
    #expect(try stored.run("journal", "export").output.split(separator: "\n").count > 8)
    let repair = try stored.run("journal", "repair", "--to", "4")
    let copy = stored.directory + "/journal.db.damaged-1"
    #expect(
      repair.output == """
        the journal now ends with revision 4; discarded: 4 revisions, 5 to 8
        the original files are in \(copy)

        """)
    let shorter = try stored.run("journal", "repair", "--to", "4", "--json")
    #expect(shorter.output == "{\"changed\":false}\n")
    #expect(try stored.run("log", "-n", "1").output.contains("── 4 "))

    let database = try FileHandle(forWritingTo: URL(fileURLWithPath: stored.directory + "/journal.db"))
    try database.seek(toOffset: 100)
    try database.write(contentsOf: Data(repeating: 0xaa, count: 8192))
    try database.close()
    let damaged = try stored.run("journal", "verify", "-q")
    #expect(damaged.status == 9 && damaged.errors.isEmpty)
    #expect(
      try Program(name: "storectl").run("log", "--state-dir", "/nonexistent").errors
        == "storectl: there is no journal in /nonexistent: the directory does not exist\n")
    #expect(
      try Program(name: "storectl").run("journal", "verify", "--state-dir", stored.hub.directory).errors
        == "storectl: there is no journal in \(stored.hub.directory): it has no file journal.db\n")
    #expect(try Program(name: "storectl").run("log").errors.contains("needs --state-dir or STOREHUB_STATE_DIR, "))
    let empty = stored.hub.directory + "/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    #expect(FileManager.default.createFile(atPath: empty + "/journal.db", contents: nil))
    let commands = [("storehubd", ["replay"]), ("storehubd", ["migrate", "--check"]), ("storectl", ["log"])]
    for (name, words) in commands {
      let nothing = try Program(name: name).run(words + ["--state-dir", empty])
      #expect(nothing.status == 1 && nothing.errors.contains("its file journal.db is empty"), "\(words): \(nothing)")
      let file = try Program(name: name).run(words + ["--state-dir", "/etc/passwd"])
      #expect(file.status == 1 && file.errors.contains("/etc/passwd is not a directory; name"), "\(words): \(file)")
    }
  }
}
