import Foundation
import TestSupport
import Testing

/// A hub process with a state directory.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct DurabilityTests {
  private func start(_ hub: HubProcess) throws {
    try hub.start(["--state-dir", hub.directory + "/state"])
  }

  private func hub() throws -> HubProcess {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    try start(hub)
    return hub
  }

  private func count(_ hub: HubProcess) throws -> Int? {
    let state = try #require(try Python.client(hub, ["state"]) as? NSDictionary)
    return (state["counter"] as? NSDictionary)?["count"] as? Int
  }

  private func send(_ actions: String..., to hub: HubProcess) throws {
    _ = try Python.client(hub, ["send"] + actions)
  }

  @Test(.enabled(if: Python.isInstalled)) func whatWasAcknowledgedIsThereAfterAKill() throws {
    let hub = try hub()
    let increment = #"{"counter": "incrementButtonTapped"}"#
    try send(increment, increment, to: hub)
    #expect(hub.kill(SIGKILL) != 0)
    try start(hub)
    #expect(try count(hub) == 2)
    try send(increment, to: hub)
    #expect(hub.kill(SIGTERM) == 0)
    try start(hub)
    #expect(try count(hub) == 3)
  }

  @Test(.enabled(if: Python.isInstalled)) func aTimerThatRanGoesOn() throws {
    let hub = try hub()
    try send(#"{"counter": "toggleTimerButtonTapped"}"#, to: hub)
    _ = hub.kill(SIGKILL)
    try start(hub)
    let first = try #require(try count(hub))
    #expect(hub.wait { (try? count(hub)) ?? 0 > first })
  }

  /// A few rounds of `make torture`.
  @Test(.enabled(if: Python.isInstalled)) func killsUnderLoadLoseAndDoubleNothing() throws {
    let hub = Program(name: "storehubd").url.path
    let output = try Python.run("Torture/torture.py", ["--hub", hub, "--cycles", "8", "kills", "stops"])
    #expect(String(decoding: output, as: UTF8.self).contains("kills: 8 kills"))
  }

  @Test func aSecondHubOnTheSameDirectoryIsRefused() throws {
    let hub = try hub()
    let result = try Program(name: "storehubd").run(
      "--socket", hub.directory + "/other.sock", "--state-dir", hub.directory + "/state")
    #expect(result.status == 1)
    #expect(result.errors.contains("in use"))
  }

  @Test(.enabled(if: Python.isInstalled)) func aJournalCanBeCheckedCutAndPrinted() throws {
    let hub = try hub()
    let increment = #"{"counter": "incrementButtonTapped"}"#
    try send(increment, increment, increment, to: hub)
    let directory = hub.directory + "/state"
    let program = Program(name: "storectl")
    let inUse = try program.run("journal", "verify", "--state-dir", directory)
    #expect(inUse.status == 1 && inUse.errors.contains("in use"))
    _ = hub.kill(SIGKILL)
    let report = try program.run("journal", "verify", "--state-dir", directory)
    #expect(report.status == 0 && report.output.contains("sound up to revision 3"))
    let lines = try program.run("journal", "export", "--state-dir", directory).output.split(separator: "\n")
    #expect(lines.count > 4)
    for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    let beyond = try program.run("journal", "repair", "--state-dir", directory, "--to", "4")
    #expect(beyond.status == 7 && beyond.errors.contains("there is no revision 4: the last one is 3"))
    #expect(try program.run("journal", "repair", "--state-dir", directory, "--to", "2").status == 0)
    try start(hub)
    #expect(try count(hub) == 2)
    #expect(hub.kill(SIGTERM) == 0)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/journal.db"))
    try file.seek(toOffset: 100)
    try file.write(contentsOf: Data(repeating: 0xaa, count: 8192))
    try file.close()
    let damaged = try program.run("journal", "verify", "--state-dir", directory)
    #expect(damaged.status == 9 && damaged.output.contains("damaged: "))
    // Nothing is counted that cannot be read.
    #expect(!damaged.output.contains("0 turns"))
  }

  @Test func theJournalIsACommandOfStorectl() throws {
    for (words, command) in [
      (["journal"], "storectl journal"),
      (["journal", "verify", "--state-dir", "/my data"], "storectl journal verify --state-dir '/my data'"),
      (["journal", "repair", "--to", "3"], "storectl journal repair --to 3"),
      (["--log-level", "info", "journal"], "storectl journal"),
    ] {
      let outcome = try Program(name: "storehubd").run(words)
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(
        outcome.errors
          == "storehubd: journal is a command of storectl: type `\(command)`. Try `storehubd --help`.\n")
    }
  }

  @Test(.enabled(if: Python.isInstalled)) func aLostSchemaIsThatOfTheHubsProgram() throws {
    let hub = try hub()
    try send(#"{"counter": "incrementButtonTapped"}"#, to: hub)
    #expect(hub.kill(SIGTERM) == 0)
    let (directory, storectl) = (hub.directory + "/state", Program(name: "storectl"))
    let change = Process()
    change.executableURL = URL(fileURLWithPath: try #require(Python.path))
    change.arguments = [
      "-c",
      """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1] + "/journal.db")
      connection.execute("UPDATE schemas SET schema = x'8000'")
      connection.commit()
      """, directory,
    ]
    try change.run()
    change.waitUntilExit()
    let report = try storectl.run("journal", "verify", "--state-dir", directory)
    let pipeline = "storehubd --print-schema | storectl journal repair --state-dir \(directory) --schema -"
    #expect(report.status == 9 && report.output.contains("so run `\(pipeline)`"), "\(report)")

    let schema = try Program(name: "storehubd").run("--print-schema")
    #expect(schema.status == 0 && schema.errors.isEmpty)
    let file = hub.directory + "/schema"
    try schema.output.write(toFile: file, atomically: true, encoding: .utf8)
    let known = try storectl.run("journal", "verify", "--state-dir", directory, "--schema", file)
    #expect(known.output.contains("`storectl journal repair --schema \(file)`"), "\(known)")
    #expect(try storectl.run("journal", "repair", "--state-dir", directory, "--schema", file).status == 0)
    try start(hub)
    #expect(try count(hub) == 1)

    for (file, reason) in [("/nonexistent", "cannot open /nonexistent"), ("/etc/passwd", "is not a schema")] {
      let outcome = try storectl.run("journal", "repair", "--state-dir", directory, "--schema", file)
      #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(outcome)")
    }
    let useless = try storectl.run("journal", "export", "--state-dir", directory, "--schema", file)
    #expect(useless.status == 2 && useless.errors.contains("not for `journal export`"), "\(useless)")
  }

  @Test func aDirectoryThatIsNotUsedIsNamed() throws {
    let hub = try hub()
    try send(#"{"counter": "incrementButtonTapped"}"#, to: hub)
    #expect(hub.kill(SIGTERM) == 0)
    try hub.start(["--state-dir", hub.directory + "/state", "--durability", "memory"])
    #expect(hub.log.contains("nothing is stored in \(hub.directory)/state"))
    #expect(try count(hub) == 0)
  }

  @Test func aDurabilityNeedsADirectory() throws {
    let result = try Program(name: "storehubd").run("--durability", "sync")
    #expect(result.status == 2)
    #expect(result.errors.contains("--durability sync needs --state-dir"))
  }

  /// No other user could write to it.
  @Test(.enabled(if: canMount)) func aReadOnlyFileSystemHasAdviceOfItsOwn() throws {
    let hub = try HubProcess()
    let mounted = try Program(path: "/usr/bin/unshare").run(
      "--mount", "/bin/sh", "-c",
      "mount --bind -o ro \"$1\" \"$1\" && exec \"$0\" --socket /tmp/none.sock --state-dir \"$1\"",
      Program(name: "storehubd").url.path, hub.directory)
    #expect(mounted.status == 1)
    #expect(
      mounted.errors.hasSuffix(
        ": Read-only file system; mount its file system writable, or name another state directory\n"), "\(mounted)")
  }

  private static let canMount =
    (try? Program(path: "/usr/bin/unshare").run(
      "--mount", "/bin/sh", "-c", "mount --bind -o ro /tmp /tmp"))?.status == 0

  @Test func aDirectoryThatCannotBeMadeIsNamed() throws {
    let hub = try HubProcess()
    let result = try Program(name: "storehubd").run(
      "--socket", hub.directory + "/other.sock", "--state-dir", "/proc/none/state")
    #expect(result.status == 1)
    #expect(result.errors.contains("/proc/none/state"))
  }
}
