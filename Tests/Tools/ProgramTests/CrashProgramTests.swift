import Foundation
import TestSupport
import Testing

/// Hubs whose feature traps or never returns: the next process names the action, and refuses it the second time.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking, .enabled(if: Python.isInstalled)) struct CrashProgramTests {
  private let client = Program(name: "storectl")

  /// Starts the hub without the runtime's backtraces, which take long for programs of this size.
  private func start(_ hub: HubProcess, _ options: [String], awaitsLog: Bool = true) throws {
    try hub.start(options, shell: "export SWIFT_BACKTRACE=enable=no; exec", awaitsLog: awaitsLog)
  }

  /// Starts the hub again until it serves; returns the number of processes that ended meanwhile.
  private func restart(_ hub: HubProcess, _ options: [String]) throws -> Int {
    var ends = 0
    while true {
      try start(hub, options, awaitsLog: false)
      let process = try #require(hub.process)
      // A client that waits sends its action at once.
      _ = hub.wait { !process.isRunning || hub.log.contains("refused action") || hub.log.contains("skipped, because") }
      if process.isRunning { return ends }
      ends += 1
      try #require(ends < 5, "\(hub.log)")
      _ = hub.kill(SIGKILL)
    }
  }

  private func state(_ hub: HubProcess, _ part: String) throws -> String {
    try client.run("--socket", hub.socket, "state", part).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func start(_ durability: String, _ options: [String] = []) throws -> (HubProcess, [String]) {
    let hub = try HubProcess("blockedhub")
    _ = hub.kill(SIGTERM)
    let options = ["--state-dir", hub.directory + "/state", "--durability", durability] + options
    return (hub, options)
  }

  /// A client that sends actions in one frame, and again until each has an outcome.
  private struct Sender {
    let process = Process()
    let output = Pipe()

    /// Waits for the outcomes, and returns the codes of the refused actions and the reason of one of them.
    func refused() throws -> (codes: [Int: Int], reason: String) {
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let list = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [Any]])
      let codes = list.map { (Int($0.key) ?? 0, $0.value.first as? Int ?? 0) }
      return (Dictionary(uniqueKeysWithValues: codes), list.first?.value.last as? String ?? "")
    }
  }

  private func send(_ actions: String..., to hub: HubProcess) throws -> Sender {
    let sender = Sender()
    sender.process.executableURL = URL(fileURLWithPath: try #require(Python.path))
    sender.process.arguments = [RepositoryFiles.path("Tests/Torture/send.py"), hub.socket] + actions
    sender.process.environment = ["PYTHONDONTWRITEBYTECODE": "1"]
    sender.process.standardInput = FileHandle.nullDevice
    sender.process.standardOutput = sender.output
    try sender.process.run()
    return sender
  }

  /// The other actions of the frame are neither lost nor repeated.
  @Test func anActionThatTrapsTwiceIsRefused() throws {
    let (hub, options) = try start("sync")
    try start(hub, options)
    let sender = try send(#""counted""#, #"{"removed": 99}"#, #""counted""#, #""counted""#, to: hub)
    #expect(hub.wait { hub.process?.isRunning == false })
    _ = hub.kill(SIGKILL)
    // The first time it is tried again.
    #expect(try restart(hub, options) == 1)
    let refused = try sender.refused()
    #expect(refused.codes == [2: 5])
    #expect(refused.reason.contains("the hub's process ended twice while it handled removed"), "\(refused.reason)")
    #expect(
      hub.wait { hub.log.contains("the previous process ended while it reduced action 2 of session ") }, "\(hub.log)")
    #expect(hub.wait { hub.log.contains("Fatal error: Index out of range") }, "\(hub.log)")
    #expect(hub.wait { hub.log.contains("an earlier one ended there too, so the action is refused") })
    #expect(try state(hub, "count") == "3")
    // A restart does not change it.
    _ = hub.kill(SIGKILL)
    try start(hub, options)
    #expect(try state(hub, "count") == "3")
    #expect(try client.run("--socket", hub.socket, "send", "counted").status == 0)
    #expect(hub.kill(SIGTERM) == 0)
    #expect(!FileManager.default.fileExists(atPath: hub.socket + ".mark"))
  }

  /// A kill of a blocked hub is the only way to end it without a watchdog.
  @Test func anActionThatNeverReturnsIsRefused() throws {
    let (hub, options) = try start("sync")
    try start(hub, options)
    let sender = try send(#""blocked""#, #""counted""#, to: hub)
    for _ in 0..<2 {
      try #require(hub.wait { hub.log.contains("the reducer blocks") }, "\(hub.log)")
      #expect(try client.run("--socket", hub.socket, "--timeout", "500ms", "state").status != 0)
      _ = hub.kill(SIGKILL)
      try start(hub, options)
    }
    let refused = try sender.refused()
    #expect(refused.codes == [1: 5] && refused.reason.contains("while it handled blocked"))
    #expect(try state(hub, "count") == "1")
  }

  /// The action itself succeeds; the changes of its turn cannot be encoded.
  @Test func anActionWhoseTurnCannotBeEncodedIsFoundAndRefused() throws {
    let (hub, options) = try start("sync")
    try start(hub, options)
    let sender = try send(#""counted""#, #"{"labelled": "cursed"}"#, #""counted""#, to: hub)
    #expect(hub.wait { hub.process?.isRunning == false })
    _ = hub.kill(SIGKILL)
    #expect(try restart(hub, options) <= 2)
    let refused = try sender.refused()
    #expect(refused.codes == [2: 5] && refused.reason.contains("while it handled labelled"))
    #expect(hub.wait { hub.log.contains("Fatal error: a cursed label") })
    #expect(try state(hub, "count") == "2")
  }

  /// A few rounds of `make torture`.
  @Test func crashesAndKillsRefuseNoOther() throws {
    let (program, crashing) = (Program(name: "storehubd").url.path, Program(name: "blockedhub").url.path)
    let output = try Python.run(
      "Torture/torture.py", ["--hub", program, "--crashing", crashing, "--cycles", "40", "crashes"])
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains(" crashes, 4 kills, "), "\(text)")
  }

  /// Also without a state directory, since the event comes at each start.
  @Test(arguments: ["sync", "memory"], ["trap", "act"])
  func anEventThatTrapsAtTheStartIsSkipped(durability: String, kind: String) throws {
    let (hub, options) = try start(durability, ["--\(kind)-at", "started"])
    #expect(try restart(hub, options) == 2)
    let work = kind == "trap" ? "the feature answered the hub's start" : "it reduced removed, its answer to"
    #expect(hub.wait { hub.log.contains("skipped, because 2 processes have ended while \(work)") }, "\(hub.log)")
    #expect(try client.run("--socket", hub.socket, "send", "counted").status == 0)
    // Its other actions take effect.
    #expect(try state(hub, "count") == (kind == "trap" ? "1" : "2"))
  }

  @Test func anEventOfAClientThatTrapsIsSkipped() throws {
    let (hub, options) = try start("sync", ["--trap-at", "attached"])
    for _ in 0..<2 {
      try start(hub, options)
      #expect(try client.run("--socket", hub.socket, "send", "counted").status != 0)
      #expect(hub.wait { hub.process?.isRunning == false })
      _ = hub.kill(SIGKILL)
    }
    try start(hub, options)
    #expect(try client.run("--socket", hub.socket, "send", "counted").status == 0)
    let work = "the feature answered a client that attached"
    #expect(hub.wait { hub.log.contains("skipped, because 2 processes have ended while \(work)") })
    #expect(try client.run("--socket", hub.socket, "send", "counted").status == 0)
  }

  /// A client chooses the parameter for which the view traps.
  @Test func aViewThatTrapsTwiceHasNoValue() throws {
    let (hub, options) = try start("sync")
    for _ in 0..<2 {
      try start(hub, options)
      #expect(try client.run("--socket", hub.socket, "state", "view:item[99]").status != 0)
      #expect(hub.wait { hub.process?.isRunning == false })
      _ = hub.kill(SIGKILL)
    }
    try start(hub, options)
    let refused = try client.run("--socket", hub.socket, "state", "view:item[99]")
    #expect(refused.errors.contains("has ended 2 times while it computed 'view:item'"), "\(refused)")
    #expect(hub.wait { hub.log.contains("skipped, because 2 processes have ended while it computed the view 'item'") })
    #expect(try state(hub, "view:item[1]") == "2")
    #expect(try client.run("--socket", hub.socket, "send", "counted").status == 0)
    // It is tried again after a stop in order.
    #expect(hub.kill(SIGTERM) == 0)
    try start(hub, options)
    #expect(try state(hub, "view:item[1]") == "2")
  }

  /// The effect is not started again after the restart, so its action comes again only with the client's next one.
  @Test func anActionOfAnEffectIsSkippedTheThirdTime() throws {
    let (hub, options) = try start("sync")
    for _ in 0..<2 {
      try start(hub, options)
      _ = try client.run("--socket", hub.socket, "send", #"{"removedLater": 99}"#)
      #expect(hub.wait { hub.process?.isRunning == false })
      _ = hub.kill(SIGKILL)
    }
    try start(hub, options)
    #expect(hub.wait { hub.log.contains("it reduced removed, an action of an effect") }, "\(hub.log)")
    #expect(try client.run("--socket", hub.socket, "send", #"{"removedLater": 99}"#).status == 0)
    #expect(hub.wait { hub.log.contains("skipped, because 2 processes have ended while it reduced removed") })
    // Others of the name are applied.
    #expect(try client.run("--socket", hub.socket, "send", #"{"removedLater": 0}"#).status == 0)
    #expect(hub.wait { (try? state(hub, "items")) == "[0] 2\n[1] 3" })
  }

  @Test func aWatchdogsSignalInAReducerCounts() throws {
    let hub = try ManagedHub(program: "blockedhub", watchdog: 600)
    let sender = try client.start(["--socket", hub.socket, "send", "blocked"], errors: hub.directory + "/send")
    try #require(hub.wait { hub.log.contains("the reducer blocks") })
    // 6 is SIGABRT, which a watchdog sends.
    hub.notify("signal 6")
    #expect(hub.wait { hub.events.last == "ended" })
    sender.waitUntilExit()
    #expect(sender.terminationStatus != 0)
    hub.notify("restart")
    #expect(hub.wait { hub.count("READY=1") == 2 })
    #expect(hub.wait { hub.log.contains("while it reduced action 1 of session ") }, "\(hub.log)")
    #expect(hub.log.contains("(received SIGABRT, which a watchdog sends"))
  }

  // MARK: A missing history

  @Test func aRemovedHistoryIsNotReplacedWithoutAConfirmation() throws {
    let (hub, options) = try start("sync")
    let state = hub.directory + "/state"
    try start(hub, options)
    #expect(try client.run("--socket", hub.socket, "send", "counted").status == 0)
    try FileManager.default.moveItem(atPath: state, toPath: state + ".away")
    _ = hub.kill(SIGKILL)
    let refused = try Program(name: "blockedhub").run(["--socket", hub.socket] + options)
    #expect(refused.status == 2)
    #expect(refused.errors.contains("\(state) has no journal, but this hub had a history there"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: state))
    // A backup can be restored.
    try FileManager.default.moveItem(atPath: state + ".away", toPath: state)
    try start(hub, options)
    #expect(try self.state(hub, "count") == "1")
    try FileManager.default.removeItem(atPath: state)
    _ = hub.kill(SIGKILL)
    try start(hub, options + ["--new-history"])
    #expect(try self.state(hub, "count") == "0")
    // Another directory of this hub is another history.
    #expect(hub.kill(SIGTERM) == 0)
    try start(hub, ["--state-dir", hub.directory + "/other"])
  }

  /// As a copy that root has put there: the operator must not begin an empty history because of that.
  @Test(.enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func aDirectoryOfAnotherUserIsNoMissingHistory() throws {
    let (hub, options) = try start("sync")
    try start(hub, options)
    #expect(hub.kill(SIGTERM) == 0)
    try #require(chmod(hub.directory, 0o777) == 0 && chown(hub.socket + ".history", 4242, 4242) == 0)
    let arguments = ["--reuid", "4242", "--regid", "4242", "--clear-groups", Program(name: "blockedhub").url.path]
    let refused = try Program(path: "/usr/bin/setpriv").run(arguments + ["--socket", hub.socket] + options)
    #expect(refused.status != 0 && !refused.errors.contains("--new-history"), "\(refused)")
    #expect(refused.errors.contains("Permission denied; use the hub's user"), "\(refused)")
  }
}
