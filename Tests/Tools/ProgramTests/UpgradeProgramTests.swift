import AsyncClient
import Foundation
import TestFeatures
import TestSupport
import Testing
import Wire

/// Programs of three versions of a feature that follow each other on one state directory and one socket.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking, .enabled(if: Python.isInstalled)) struct UpgradeProgramTests {
  private typealias Client<State: Replicated> = AsyncClient<State, LedgerAction>

  /// A directory with the programs and the journal.
  private final class Place {
    let directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    var state: String { directory + "/state" }

    init() throws {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      for version in 1...3 {
        try FileManager.default.createSymbolicLink(
          atPath: program(version), withDestinationPath: Program(name: "ledgerhub").url.path)
      }
    }

    func program(_ version: Int) -> String { directory + "/ledger\(version)" }

    func hub(_ version: Int, _ options: [String] = [], activated: Bool = false) throws -> ManagedHub {
      try ManagedHub(
        ["--state-dir", state, "--durability", "sync"] + options, path: program(version), activated: activated)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }
  }

  private func client<State: Replicated>(_ hub: ManagedHub, _: State.Type, _ name: String) -> Client<State> {
    Client(
      path: hub.socket, name: name,
      options: ReplicaOptions(shortestDelay: .milliseconds(5), longestDelay: .milliseconds(50)))
  }

  /// Installs another version, and restarts the hub as systemd does.
  private func upgrade(_ hub: ManagedHub, _ place: Place, to version: Int) throws {
    hub.notify("program \(place.program(version))")
    try hub.restart()
  }

  private func stop(_ hub: ManagedHub) {
    // 15 is SIGTERM.
    hub.notify("signal 15")
    #expect(hub.wait { hub.events.last == "ended" }, "\(hub.events) \(hub.log)")
  }

  /// The payload of the frame that a raw client receives next.
  private func goodbye(_ client: RawClient, of hub: ManagedHub) throws -> Goodbye {
    let frame = client.receive()
    try #require(frame.first == 0x87 && frame.count > 17, "\(frame) \(hub.events) \(hub.log)")
    let payload = Array(frame[17...])
    return try Goodbye(decoding: payload.span.bytes)
  }

  // MARK: The upgrade

  /// One client has the earlier schema, one uses only what both versions have, and one knows nothing but bytes.
  @Test(arguments: [true, false]) func anUpgradeTellsEachClientWhatItMeans(activated: Bool) async throws {
    let place = try Place()
    let hub = try place.hub(1, activated: activated)
    let (whole, notepad) = (client(hub, Ledger1.self, "whole"), client(hub, Notepad.self, "notepad"))
    let serving = (Task { try await whole.run() }, Task { try await notepad.run() })
    let raw = try RawClient(hub.socket)
    raw.send(RawClient.hello)
    #expect(raw.receive().first == 0x81)
    try await whole.send(.booked("whole"))
    try await whole.send(.noted("by the first version"))
    try await notepad.send(.booked("notepad"))
    #expect(try await whole.value { $0.total } == "2")

    // Actions are on their way during the upgrade.
    let texts = (0..<400).map { "entry \($0)" }
    let sending = Task {
      var sent: [SentAction] = []
      for text in texts { sent.append(try await notepad.begin(.booked(text))) }
      for action in sent { try await action.applied() }
    }
    while try await notepad.value(of: { $0.entries })?.count ?? 0 < 3 {}
    try upgrade(hub, place, to: 2)
    try await sending.value

    // The bytes end with the reason.
    let goodbye = try goodbye(raw, of: hub)
    #expect(goodbye.code == .otherSchema)
    #expect(
      goodbye.reason.hasPrefix(
        "this hub was upgraded to another version of the feature, which refuses clients with the "),
      "\(goodbye.reason)")
    #expect(goodbye.reason.contains("'total'"), "\(goodbye.reason)")
    #expect(raw.receive().isEmpty)
    let again = try RawClient(hub.socket)
    again.send(RawClient.hello)
    #expect(again.receive().first == 0x81)

    // The client of the earlier version connects again, and is refused.
    let refusal = await #expect(throws: HubRefusal.self) { try await serving.0.value }
    #expect(
      refusal?.isOfOtherFeature == true && refusal?.reason.contains("'total'") == true, "\(String(describing: refusal))"
    )
    let error = await #expect(throws: ActionError.self) { try await whole.send(.noted("too late")) }
    guard case .notConnected? = error else {
      Issue.record("\(String(describing: error))")
      return
    }

    // The one whose parts fit continues with its session: each action took effect once, in order.
    let entries = try await notepad.value(of: { $0.entries })
    #expect(entries == ["whole", "notepad"] + texts)
    let new = client(hub, Ledger2.self, "new")
    let running = Task { try await new.run() }
    try await new.send(.noted("by the second version"))
    let state = try #require(try await new.value(of: { $0 }))
    #expect(state.total == 402 && state.migrations == 1 && state.note == "by the second version")
    #expect(state.entries == entries)
    #expect(try await notepad.value(of: { $0.note }) == "by the second version")
    #expect(hub.log.contains("cannot be taken over: the feature or its views have another schema than before"))
    #expect(hub.log.contains("the state was migrated (\(Ledger1.schema.fingerprint) to Ledger2)"), "\(hub.log)")

    // To the third version only a field is added: clients of the second one go on.
    let other = try RawClient(hub.socket)
    other.send(RawClient.hello)
    #expect(other.receive().first == 0x81)
    try upgrade(hub, place, to: 3)
    let second = try self.goodbye(other, of: hub)
    #expect(second.code == .otherSchema)
    #expect(second.reason.hasSuffix("which clients with the earlier schema fit; connect again"), "\(second.reason)")
    try await new.send(.booked("third"))
    try await notepad.send(.noted("last"))
    let last = try #require(try await new.value(of: { $0 }))
    #expect(
      last.total == 403 && last.migrations == 1 && last.entries == state.entries + ["third"] && last.note == "last")
    for task in [serving.1, running] {
      task.cancel()
      try await task.value
    }
  }

  /// The earlier process has crashed, and the service manager has the connections that were at rest.
  @Test(arguments: [true, false]) func clientsAtRestOfACrashedProcessLearnTheDifference(activated: Bool) async throws {
    let place = try Place()
    let hub = try place.hub(1, activated: activated)
    let notepad = client(hub, Notepad.self, "notepad")
    let serving = Task { try await notepad.run() }
    try await notepad.send(.booked("one"))
    let raw = try RawClient(hub.socket)
    raw.send(RawClient.hello)
    #expect(raw.receive().first == 0x81)
    #expect(hub.hasAtRest(2))
    hub.notify("program \(place.program(2))")
    try hub.restart("kill")
    let goodbye = try goodbye(raw, of: hub)
    #expect(goodbye.code == .otherSchema)
    #expect(goodbye.reason.contains("which refuses clients with the earlier schema: "), "\(goodbye.reason)")
    #expect(goodbye.reason.contains("'total'"), "\(goodbye.reason)")
    #expect(raw.receive().isEmpty)
    #expect(hub.log.contains("2 connections at rest of the previous process, which crashed, cannot be taken over: "))
    // The client whose parts fit goes on with its session.
    try await notepad.send(.booked("two"))
    #expect(try await notepad.value(of: { $0.entries }) == ["one", "two"])

    // The same version takes such connections over, and says nothing.
    let text = "took over 1 connection at rest of the previous process, which crashed"
    // The detachment of the value above may still be on its way, and then the connection is not at rest after all.
    for round in 1...20 where !hub.log.contains(text) {
      #expect(hub.hasAtRest(1))
      try hub.restart("kill")
      try await notepad.send(.booked("round \(round)"))
    }
    #expect(hub.log.contains(text), "\(hub.log)")
    serving.cancel()
    try await serving.value
  }

  /// The state is in the record of the connections only.
  @Test func aHubWithoutAJournalMigratesAndSaysGoodbye() async throws {
    let place = try Place()
    let hub = try place.hub(1, ["--durability", "memory"])
    let notepad = client(hub, Notepad.self, "notepad")
    let serving = Task { try await notepad.run() }
    try await notepad.send(.booked("one"))
    let raw = try RawClient(hub.socket)
    raw.send(RawClient.hello)
    #expect(raw.receive().first == 0x81)
    try upgrade(hub, place, to: 2)
    #expect(try goodbye(raw, of: hub).reason.contains("'total'"))
    try await notepad.send(.booked("two"))
    let state = try Program(name: "storectl").run("--socket", hub.socket, "state", "--json")
    #expect(state.output.contains(#""total":2"#) && state.output.contains(#""migrations":1"#), "\(state)")
    serving.cancel()
    try await serving.value
  }

  // MARK: Going back

  @Test func theEarlierProgramSaysHowToGoBack() async throws {
    let place = try Place()
    let first = try place.hub(1)
    let control = Program(name: "storectl")
    func send(_ hub: ManagedHub, _ action: String) throws {
      let result = try control.run("--socket", hub.socket, "send", action)
      try #require(result.status == 0, "\(result)")
    }
    func state(_ hub: ManagedHub) throws -> String {
      try control.run("--socket", hub.socket, "state", "--json").output
    }
    for entry in ["one", "two", "three"] { try send(first, #"{"booked": "\#(entry)"}"#) }
    let before = try state(first)
    stop(first)

    let second = try place.hub(2)
    try send(second, #"{"booked": "four"}"#)
    #expect(try state(second).contains(#""total":4"#))
    stop(second)

    let refused = try Program(path: place.program(1)).run(
      "--socket", place.directory + "/hub.sock", "--state-dir", place.state)
    #expect(refused.status == 1, "\(refused)")
    #expect(
      refused.errors.contains("another version of the program has continued the journal in \(place.state)"),
      "\(refused)")
    #expect(refused.errors.contains("'total'"), "\(refused)")
    // The message has the command, which is also in the log of the migration.
    let command = try #require(refused.errors.split(separator: "`").first { $0.hasPrefix("storectl ") })
    #expect(command == "storectl journal repair --state-dir \(place.state) --to 3")
    #expect(second.log.contains("run `\(command)`"), "\(second.log)")
    let repair = try control.run(command.split(separator: " ").dropFirst().map(String.init))
    #expect(repair.status == 0, "\(repair)")

    let again = try place.hub(1)
    #expect(try state(again) == before)
    try send(again, #"{"booked": "another"}"#)
    #expect(try state(again).contains(#""total":"4""#))
    stop(again)
    // The next upgrade migrates what there is now.
    let upgraded = try place.hub(2)
    #expect(try state(upgraded).contains(#""another""#))
    #expect(try state(upgraded).contains(#""migrations":1"#))
  }

  // MARK: Kills

  /// `STOREHUB_MIGRATION_KILLS` is the number of kills, and `STOREHUB_MIGRATION_SEED` repeats their moments, nearly;
  /// `make torture` does many more.
  @Test func aMigrationThatIsKilledIsDoneOnce() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["STOREHUB_MIGRATION_SEED"].flatMap { UInt32($0) } ?? .random(in: 0 ... .max)
    let kills = environment["STOREHUB_MIGRATION_KILLS"].flatMap { Int($0) } ?? 6
    print("aMigrationThatIsKilledIsDoneOnce: STOREHUB_MIGRATION_SEED=\(seed)")
    let (ledger, control) = (Program(name: "ledgerhub").url.path, Program(name: "storectl").url.path)
    let output = try Python.run(
      "Torture/torture.py",
      ["--hub", ledger, "--ledger", ledger, "--storectl", control, "--seed", "\(seed)", "--cycles", "\(kills)"]
        + ["migrations"])
    let report = String(decoding: output, as: UTF8.self)
    let count = report.firstMatch(of: /migrations: (\d+) kills in \d+ upgrades/).flatMap { Int($0.output.1) }
    #expect(count.map { $0 >= kills } == true, "\(report)")
  }
}
