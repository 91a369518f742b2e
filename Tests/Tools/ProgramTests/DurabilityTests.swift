import Foundation
import TestSupport
import Testing

/// A hub process with a state directory.
@Suite(.serialized, .timeLimit(.minutes(10)), .blocking) struct DurabilityTests {
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
    let program = Program(name: "storehubd")
    let inUse = try program.run("journal", "verify", "--state-dir", directory)
    #expect(inUse.status == 1 && inUse.errors.contains("in use"))
    _ = hub.kill(SIGKILL)
    let report = try program.run("journal", "verify", "--state-dir", directory)
    #expect(report.status == 0 && report.output.contains("sound up to revision 3"))
    let lines = try program.run("journal", "export", "--state-dir", directory).output.split(separator: "\n")
    #expect(lines.count > 4)
    for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    let beyond = try program.run("journal", "repair", "--state-dir", directory, "--to", "4")
    #expect(beyond.status == 1 && beyond.errors.contains("there is no revision 4: the last one is 3"))
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

  @Test func theJournalIsASubcommand() throws {
    let program = Program(name: "storehubd")
    #expect(try program.run("--help").output.contains("\n  journal ACTION  check, repair or print the journal"))
    #expect(try program.run("--help=bash").output.contains("1:*) commands=\"journal\" ;;"))
    #expect(try program.run("journal", "--help").output.contains("\n  export  print the turns"))
    for (words, reason) in [
      (["--help=bash"], "--help takes no value"), ([], "journal needs ACTION"),
      (["verfy", "--state-dir", "/x"], "journal needs one of verify, repair, export, not 'verfy'"),
      (["verify"], "journal verify needs --state-dir"),
      (["verify", "--state-dir", "/x", "--to", "3"], "--to is for `journal repair`, not for `journal verify`"),
    ] {
      let outcome = try program.run(["journal"] + words)
      #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(outcome)")
    }
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
