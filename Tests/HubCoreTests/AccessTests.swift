import ComposableArchitecture
import Features
import ReplicatedArchitecture
import SchemaNames
import TestSupport
import Testing
import Wire

@testable import HubCore

/// The rights of users, and that nothing beyond them leaks.
@Suite struct AccessTests {
  private static let schema = Schema(state: State.self, action: Action.self)
  private let increment = Action.counter(.incrementButtonTapped)

  private func path(_ text: String) throws -> [PathStep] { try Self.schema.path(named: text) }

  private func grant(read: [String] = [], act: [String] = [], admin: Bool = false) throws -> AccessGrant {
    AccessGrant(
      read: try read.map { try Self.schema.path(named: $0) },
      act: try act.map { try Self.schema.actionPath(named: $0) },
      isAdmin: admin)
  }

  private func hub(_ policy: AccessPolicy) -> Hub { Hub(policy: policy) }

  private func open(_ hub: Hub, user: UInt32 = 1000, groups: [UInt32] = []) throws -> ConnectionID {
    let id = hub.connect(user: user, groups: groups)
    hub.send(Hello(name: "test"), on: id)
    #expect(hub.turn(id).first?.kind == .welcome)
    return id
  }

  private func code(_ frames: [Hub.Frame]) throws -> PeerErrorCode? {
    try frames.first { $0.kind == .error }?.decoded(as: PeerError.self).code
  }

  /// The outcome of attaching: the kind of the first frame, or the error.
  private func attach(_ hub: Hub, _ id: ConnectionID, _ path: [PathStep], root: StateRoot = .feature) throws -> String {
    hub.send(Attach(root: root, path: path), scope: 1, on: id)
    let frames = hub.turn(id)
    if let code = try code(frames) { return code == .notPermitted ? "refused" : "error \(code.rawValue)" }
    return frames.first.map { "\($0.kind)" } ?? "nothing"
  }

  // MARK: Who is let in

  @Test func theStandardPolicyKnowsOwnerRootAndOneGroup() {
    let policy = AccessPolicy.standard(owner: 7, group: 50)
    let peer = { (user: UInt32, group: UInt32, groups: [UInt32]) in
      policy.grant(to: Peer(process: 1, user: user, group: group, groups: groups))
    }
    #expect(peer(0, 0, []) == .everything)
    #expect(peer(7, 7, []) == .everything)
    #expect(peer(8, 50, []) == .readAndAct)
    #expect(peer(8, 8, [4, 50]) == .readAndAct)
    #expect(peer(8, 8, [4]) == nil)
    #expect(AccessPolicy.standard(owner: 7, group: nil).groups.isEmpty)
  }

  @Test func aRefusedUserIsClosedBeforeAByteIsRead() throws {
    let hub = hub(.standard(owner: 1, group: nil))
    let id = hub.connect(user: 2)
    // A hello that would open a session, and a malformed one: neither is decoded.
    hub.send(Hello(name: "test"), on: id)
    hub.send([0xff, 0xff, 0xff, 0xff], on: id)
    let frames = hub.turn(id)
    #expect(frames.map(\.kind) == [.error])
    #expect(try code(frames) == .notPermitted)
    #expect(hub.closed.contains(id))
    #expect(hub.core.connectionCount == 0 && hub.core.attendance.count == 0)
    #expect(hub.reports.count == 1)
  }

  /// The system may take long to find a name, also that of a user who has none.
  @Test func theNameOfARefusedUserIsNotLookedUp() throws {
    let hub = hub(.standard(owner: 1, group: nil))
    var users: [UInt32] = []
    let ids = [2, 1].map { user in
      hub.core.connected(Peer(process: 1, user: user, group: 5), at: hub.now) {
        users.append($0)
        return "alice"
      }
    }
    #expect(users == [1] && hub.core.peer(of: ids[0]) == nil && hub.core.peer(of: ids[1])?.userName == "alice")
  }

  @Test func rightsOfUserGroupsAndEveryoneAddUp() throws {
    let policy = AccessPolicy(
      users: [5: try grant(read: ["counter"])], groups: [6: try grant(read: ["todos"])],
      everyone: try grant(read: ["favourites"]))
    let hub = hub(policy)
    let all = ["counter", "todos", "favourites"]
    for (user, groups, expected) in [(5, [6], all), (5, [], ["counter", "favourites"]), (4, [], ["favourites"])] {
      for name in all {
        let id = try open(hub, user: UInt32(user), groups: groups.map { UInt32($0) })
        let outcome = try attach(hub, id, path(name))
        #expect(outcome == (expected.contains(name) ? "snapshot" : "refused"), "\(user) \(groups) \(name)")
      }
    }
  }

  // MARK: Reading

  @Test(arguments: [
    // The part itself and its contents, but nothing beside or above it.
    ("todos", "todos", "snapshot"), ("todos", "todos.todos", "snapshot"), ("todos", "todos.todos[3]", "absent"),
    ("todos", "", "refused"), ("todos", "counter", "refused"), ("todos", "counter.count", "refused"),
    // Fields whose names have a common prefix.
    ("favourites.count", "favourites.favourites", "refused"), ("todos.todos", "todos", "refused"),
    ("counter.isLoadingFact", "counter.isTimerOn", "refused"),
    // An optional includes its value; its value does not include the optional.
    ("counter.factAlert", "counter.factAlert?", "absent"), ("counter.factAlert?", "counter.factAlert", "refused"),
    ("counter.factAlert?", "counter.factAlert.title", "absent"),
    ("counter.factAlert.title", "counter.factAlert?", "refused"),
    // An element includes neither its neighbour nor the list.
    ("todos.todos[3]", "todos.todos[3].text", "absent"), ("todos.todos[3]", "todos.todos[33]", "refused"),
    ("todos.todos[3]", "todos.todos[-3]", "refused"), ("todos.todos[3]", "todos.todos", "refused"),
    ("todos.todos[3].text", "todos.todos[3]", "refused"), ("todos.todos[3].text", "todos.todos[4].text", "refused"),
  ])
  func aPathGrantsWhatIsBelowIt(granted: String, asked: String, outcome: String) throws {
    let hub = hub(AccessPolicy(everyone: try grant(read: [granted])))
    let reached = try attach(hub, try open(hub), try path(asked))
    #expect(reached == outcome)
  }

  /// The same id in another encoding is malformed or another id, and cannot bypass the comparison.
  @Test(
    arguments: [[0x18, 0x03], [0x19, 0x00, 0x03], [0xc2, 0x41, 0x03], [0xf9, 0x42, 0x00], [0x03, 0x03]] as [[UInt8]])
  func anIDInAnotherFormIsNotTheSameID(bytes: [UInt8]) throws {
    let hub = hub(AccessPolicy(everyone: try grant(read: ["todos.todos[3]"])))
    let steps = try path("todos.todos").map { $0 } + [.id(bytes)]
    let id = try open(hub)
    hub.send(Attach(path: steps), scope: 1, on: id)
    let answer = try code(hub.turn(id))
    #expect(answer == .notPermitted || answer == .malformed)
  }

  /// A refusal names the place by the schema, which every client may request, and does not reveal what the state has.
  @Test func aRefusalTellsNothingOfTheState() throws {
    let hub = hub(AccessPolicy(users: [1: .everything, 2: try grant(read: ["counter"])]))
    hub.send([.todos(.addButtonTapped(text: "bread"))], from: 1, on: try open(hub, user: 1))
    hub.turn()
    func reason(_ place: [PathStep], root: StateRoot = .feature) throws -> String? {
      let id = try open(hub, user: 2)
      hub.send(Attach(root: root, path: place), scope: 1, on: id)
      let error = try hub.turn(id).first { $0.kind == .error }?.decoded(as: PeerError.self)
      #expect(error?.code == .notPermitted)
      return error?.reason
    }
    let end = "; the hub's operator can grant it"
    // The todo 0 exists, and 7 does not.
    for name in ["todos", "todos.todos[0]", "todos.todos[7]", "todos.todos[7].text"] {
      #expect(try reason(path(name)) == "user 2 may not read \(name)\(end)")
    }
    for place in [[9], [1, 9]] as [[PathStep]] {
      #expect(try reason(place) == "user 2 may not read this part of the state\(end)")
    }
    #expect(try reason([]) == "user 2 may not read the whole state\(end)")
    #expect(try reason([], root: .hub) == "user 2 may not read the list of clients\(end)")
    #expect(try reason([0], root: .metrics) == "user 2 may not read the metrics\(end)")
  }

  /// The operator can learn from the log what to grant. What cannot be named is a large action, or none.
  @Test func aRejectionNamesTheAction() throws {
    let hub = hub(AccessPolicy(users: [2: try grant(read: ["counter"], act: ["counter.incrementButtonTapped"])]))
    let id = try open(hub, user: 2)
    let long = String(repeating: "a", count: 5000)
    hub.send(
      [
        increment, .counter(.decrementButtonTapped), .todos(.todos(.element(id: 3, action: .textChanged("milk")))),
        .todos(.addButtonTapped(text: long)),
      ], from: 1, on: id)
    let reasons = try hub.turn(id).filter { $0.kind == .rejected }.map { try $0.decoded(as: Rejected.self).reason }
    let names = ["counter.decrementButtonTapped", "todos.todos[3].textChanged", "this action"]
    #expect(reasons == names.map { "user 2 may not send \($0); the hub's operator can grant it" })
  }

  @Test func aScopedClientIsSentNothingOfOtherParts() throws {
    let hub = hub(AccessPolicy(users: [1: .everything, 2: try grant(read: ["counter"])]))
    let owner = try open(hub, user: 1)
    let scoped = try open(hub, user: 2)
    #expect(try attach(hub, scoped, [0]) == "snapshot")
    hub.send([.todos(.addButtonTapped(text: "secret")), increment], from: 1, on: owner)
    let frames = hub.turn(scoped)
    #expect(frames.map(\.kind) == [.delta])
    #expect(!frames.contains { String(decoding: $0.payload, as: UTF8.self).contains("secret") })
    // Hashes of its own part only; a scope number that is not attached is ignored.
    var writer = FrameWriter()
    for scope in [UInt16(1), 2] { writer.frame(FrameHeader(kind: .verify, scope: scope)) { _ in } }
    hub.send(writer.bytes, on: scoped)
    #expect(hub.turn(scoped).map(\.kind) == [.hash])
    // A turn that does not change its part sends it nothing.
    hub.send([.todos(.addButtonTapped(text: "secret"))], from: 3, on: owner)
    #expect(hub.turn(scoped).isEmpty)
    // The list of attendees.
    for (user, path, outcome) in [(UInt32(2), [], "refused"), (2, [0], "refused"), (1, [], "snapshot")]
      as [(UInt32, [PathStep], String)]
    {
      let reached = try attach(hub, try open(hub, user: user), path, root: .hub)
      #expect(reached == outcome)
    }
  }

  @Test func theHubsOwnStateIsForAdminsAndWhoReadsEverything() throws {
    for (granted, outcome) in [
      (try grant(admin: true), "snapshot"), (AccessGrant.readAndAct, "snapshot"),
      (try grant(read: ["todos"]), "refused"),
    ] {
      let hub = hub(AccessPolicy(everyone: granted))
      let reached = try attach(hub, try open(hub), [], root: .hub)
      #expect(reached == outcome)
    }
  }

  // MARK: Acting

  /// The numbers of the rejected actions, after checking that all permitted ones took effect.
  private func refused(_ granted: [String], _ actions: [[UInt8]], limit: Int = .max) throws -> [UInt64] {
    let hub = hub(AccessPolicy(everyone: try grant(act: granted)))
    let id = try open(hub)
    let (bytes, now) = (actionsFrame(actions, from: 1), hub.now)
    hub.core.received(bytes.span.bytes, on: id, at: now, limit: limit)
    while hub.hasBacklog { hub.work(limit: limit) }
    let frames = hub.turn(id)
    let rejected = try frames.filter { $0.kind == .rejected }.map { try $0.decoded(as: Rejected.self) }
    #expect(rejected.allSatisfy { $0.code == .notPermitted })
    #expect(try frames.last { $0.kind == .applied }?.number == UInt64(actions.count))
    #expect(hub.engine.revision == UInt64(actions.count - rejected.count))
    return rejected.map(\.sequence)
  }

  private var actions: [[UInt8]] {
    let all: [Action] = [
      .counter(.incrementButtonTapped), .todos(.addButtonTapped(text: "a")), .counter(.decrementButtonTapped),
      .todos(.todos(.element(id: 0, action: .textChanged("b")))),
      .todos(.todos(.element(id: 1, action: .textChanged("c")))),
      .todos(.deleteButtonTapped(id: 5)),
    ]
    return all.map { $0.encoded() }
  }

  @Test(arguments: [1, 2, 3, Int.max])
  func actionsAreGrantedByTheirCases(limit: Int) throws {
    #expect(try refused(["counter"], actions, limit: limit) == [2, 4, 5, 6])
    #expect(try refused(["counter.incrementButtonTapped"], actions, limit: limit) == [2, 3, 4, 5, 6])
    #expect(try refused(["todos"], actions, limit: limit) == [1, 3])
    #expect(try refused(["todos.todos"], actions, limit: limit) == [1, 2, 3, 6])
    #expect(try refused(["todos.todos[1]"], actions, limit: limit) == [1, 2, 3, 4, 6])
    #expect(try refused(["todos.todos[1].completionChanged"], actions, limit: limit) == [1, 2, 3, 4, 5, 6])
    #expect(try refused(["todos.addButtonTapped", "counter"], actions, limit: limit) == [4, 5, 6])
    #expect(try refused([], actions, limit: limit) == [1, 2, 3, 4, 5, 6])
  }

  /// Bytes not in the shortest form are malformed with full rights, and cannot bypass a grant.
  @Test(arguments: [[0x98, 0x02, 0x00, 0x01], [0x82, 0x18, 0x00, 0x01], [0x9f, 0x00, 0x01, 0xff]] as [[UInt8]])
  func anActionInAnotherFormIsNotTheSameAction(bytes: [UInt8]) throws {
    let hub = hub(AccessPolicy(everyone: try grant(act: ["counter"])))
    let id = try open(hub)
    hub.send(actionsFrame([bytes], from: 1), on: id)
    let frames = hub.turn(id)
    #expect(frames.contains { $0.kind == .error || $0.kind == .rejected })
    #expect(hub.engine.revision == 0)
  }

  /// Bytes that are not CBOR end the connection after the preceding actions, as for other users.
  @Test func malformedBytesBehindGrantedActions() throws {
    let hub = hub(AccessPolicy(everyone: try grant(act: ["counter"])))
    let id = try open(hub)
    hub.send(actionsFrame([increment.encoded(), increment.encoded(), [0xff]], from: 1), on: id)
    #expect(try code(hub.turn(id)) == .malformed)
    #expect(hub.engine.revision == 2)
  }

  @Test func repeatedActionsAreSkippedWhetherGrantedOrNot() throws {
    let hub = hub(AccessPolicy(everyone: try grant(act: ["counter"])))
    let id = try open(hub)
    hub.send(actionsFrame(actions, from: 1), on: id)
    hub.send(actionsFrame(actions, from: 1), on: id)
    let frames = hub.turn(id)
    #expect(frames.filter { $0.kind == .rejected }.count == 4)
    #expect(hub.engine.revision == 2)
  }

  // MARK: Sessions

  /// A session is a secret of its user: for others, even with full rights, it does not exist.
  @Test func anotherUsersSessionCannotBeResumed() throws {
    let hub = hub(.open)
    let victim = hub.connect(user: 1)
    hub.send(Hello(name: "victim"), on: victim)
    let session = try hub.turn(victim)[0].decoded(as: Welcome.self).session
    for user in [UInt32(0), 2] {
      let thief = hub.connect(user: user)
      hub.send(Hello(session: session, acknowledged: 0, name: "thief"), on: thief)
      let welcome = try hub.turn(thief)[0].decoded(as: Welcome.self)
      #expect(!welcome.isResumed && welcome.session != session)
    }
    #expect(!hub.closed.contains(victim))
  }

  /// No field of *hello* changes the user: unknown fields are ignored, and the kernel supplies the user.
  @Test func aForgedHelloGrantsNothing() throws {
    let hub = hub(.standard(owner: 1, group: nil))
    let id = hub.connect(user: 2)
    var encoder = CBOREncoder()
    encoder.mapHeader(count: 5)
    for (key, value) in [(0, 1), (1, 1)] {
      encoder.unsigned(UInt64(key))
      encoder.unsigned(UInt64(value))
    }
    encoder.unsigned(4)
    encoder.text("root")
    for key in [7, 8] {
      encoder.unsigned(UInt64(key))
      encoder.unsigned(0)
    }
    let payload = encoder.bytes
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .hello)) { $0.append(payload.span.bytes) }
    hub.send(writer.bytes, on: id)
    #expect(hub.turn(id).map(\.kind) == [.error])
  }

  // MARK: Reloading

  @Test func aReloadRefusesWhoIsNotGrantedAnyMore() throws {
    let hub = hub(.open)
    let (stays, goes, greeting) = (try open(hub, user: 1), try open(hub, user: 2), hub.connect(user: 3))
    hub.core.setPolicy(AccessPolicy(users: [1: .everything]), at: hub.now)
    #expect(try code(hub.turn(goes)) == .notPermitted)
    #expect(hub.closed == [goes, greeting])
    hub.send([increment], from: 1, on: stays)
    #expect(hub.turn(stays).map(\.kind) == [.applied])
    // Its session is kept, and can be resumed when the right is granted again.
    #expect(hub.core.detachedSessionCount == 1)
  }

  @Test func aReloadClosesWhoHasAttachedWhatItMayNotRead() throws {
    let hub = hub(.open)
    let (wide, narrow) = (try open(hub, user: 2), try open(hub, user: 2))
    #expect(try attach(hub, wide, []) == "snapshot")
    #expect(try attach(hub, narrow, [0]) == "snapshot")
    hub.core.setPolicy(AccessPolicy(users: [2: try grant(read: ["counter"], act: ["todos"])]), at: hub.now)
    hub.send([increment], from: 1, on: narrow)
    #expect(hub.turn(narrow).map(\.kind) == [.rejected, .applied])
    #expect(hub.closed == [wide])
  }

  @Test func aResumedSessionHasTheRightsOfItsNewConnection() throws {
    let hub = hub(AccessPolicy(groups: [9: .readAndAct, 8: try grant(read: ["todos"])]))
    let id = hub.connect(user: 2, groups: [9])
    hub.send(Hello(name: "test"), on: id)
    let session = try hub.turn(id)[0].decoded(as: Welcome.self).session
    #expect(try attach(hub, id, []) == "snapshot")
    hub.disconnect(id)
    let again = hub.connect(user: 2, groups: [8])
    hub.send(Hello(session: session, acknowledged: 0, name: "test"), on: again)
    #expect(try hub.turn(again)[0].decoded(as: Welcome.self).isResumed)
    #expect(try attach(hub, again, []) == "refused")
  }

  /// The path of the state directory is for those who may read it.
  @Test func onlyReadersOfTheJournalAreToldItsPlace() throws {
    let hub = Hub()
    func told(user: UInt32, group: UInt32, groups: [UInt32] = []) throws -> String? {
      let id = hub.connect(user: user, group: group, groups: groups)
      hub.send(Hello(name: "test"), on: id)
      let welcome: Welcome = try hub.turn(id)[0].decoded()
      return welcome.stateDirectory
    }
    #expect(try told(user: 0, group: 0) == nil)
    hub.core.journalPlace = JournalPlace(path: "/state", user: 7, group: nil)
    #expect(try told(user: 0, group: 0) == "/state")
    #expect(try told(user: 7, group: 8) == "/state")
    #expect(try told(user: 8, group: 7, groups: [7]) == nil)
    hub.core.journalPlace = JournalPlace(path: "/state", user: 7, group: 50)
    #expect(try told(user: 8, group: 50) == "/state")
    #expect(try told(user: 8, group: 8, groups: [50]) == "/state")
    #expect(try told(user: 50, group: 8) == nil)
    #expect(JournalPlace(path: String(repeating: "x", count: 4097), user: 7, group: nil) == nil)
  }

  // MARK: What clients are told

  @Test func aClientIsToldItsRights() throws {
    let policy = AccessPolicy(
      users: [5: try grant(read: ["counter"], act: ["todos", "counter.incrementButtonTapped"]), 6: .readAndAct],
      groups: [7: try grant(read: ["todos.todos"])])
    func rights(_ user: UInt32, groups: [UInt32] = []) throws -> ClientRights? {
      let hub = hub(policy)
      let id = hub.connect(user: user, groups: groups)
      hub.send(Hello(name: "test"), on: id)
      return try hub.turn(id).first?.decoded(as: Welcome.self).rights
    }
    let told = try #require(try rights(5))
    #expect(told.readablePaths == [try path("counter")])
    let actions = [increment, .counter(.decrementButtonTapped)].map { $0.encoded() }
    #expect(actions.map { told.permitSending($0.span.bytes) } == [true, false])
    #expect(try rights(5, groups: [7])?.readablePaths == [try path("counter"), try path("todos.todos")])
    #expect(try rights(6) == nil)
    #expect(try rights(6, groups: [7]) == nil)
    #expect(try rights(9, groups: [7]) == ClientRights(readablePaths: [try path("todos.todos")], actionPrefixes: []))
  }

  /// A client that is not told asks, and is refused.
  @Test func rightsThatAreTooLongAreNotTold() throws {
    let grants = Array(repeating: try path("counter"), count: 257)
    let hub = hub(AccessPolicy(everyone: AccessGrant(read: grants)))
    let id = hub.connect(user: 5)
    hub.send(Hello(name: "test"), on: id)
    #expect(try hub.turn(id).first?.decoded(as: Welcome.self).rights == nil)
    #expect(try attach(hub, id, path("counter")) == "snapshot")
    #expect(try attach(hub, open(hub), path("todos")) == "refused")
  }

  // MARK: Shared models

  @Replicated
  struct Planner {
    var title = ""
    var dates: [Int] = []
    @ReplicatedKey(300) var votes: SharedCounter = 0
  }

  /// A feature that contains a shared model.
  @Replicated
  enum Wider {
    case planner(SharedChange<Planner>)
    case opened
  }

  @Test func changesAreGrantedByTheirFields() throws {
    let whole = Schema(state: Planner.self, action: SharedChange<Planner>.self)
    let wider = Schema(state: Planner.self, action: Wider.self)
    let changes = SharedChange.changes(from: Planner(), to: Planner(title: "a", dates: [1], votes: 2))
    let bytes = changes.map { $0.encoded() } + [[0x00]]
    let widerBytes = changes.map { Wider.planner($0).encoded() } + [Wider.opened.encoded()]
    func permitted(_ write: [[PathStep]], _ schema: Schema, _ actions: [[UInt8]]) -> [Bool] {
      let rights = AccessRights(AccessGrant(write: write), schema: schema)
      return actions.map {
        rights.actsOnEverything || rights.permittedCount(in: $0.span.bytes, from: 0, limit: 1) == 1
      }
    }
    #expect(permitted([[0]], whole, bytes) == [true, false, false, false])
    #expect(permitted([[300], [1]], whole, bytes) == [false, true, true, false])
    #expect(permitted([[]], whole, bytes) == [true, true, true, true])
    #expect(permitted([], whole, bytes) == [false, false, false, false])
    #expect(permitted([[0, 300]], wider, widerBytes) == [false, false, true, false])
    #expect(permitted([[0]], wider, widerBytes) == [true, true, true, false])
    // All changes, and no other action.
    #expect(permitted([[]], wider, widerBytes) == [true, true, true, false])
  }
}
