import ComposableArchitecture
import IdentifiedCollections
import SchemaNames
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import HubCore

/// Rights on views: what a client without the right to the state learns of it.
@Suite struct ViewAccessTests {
  /// Alice and Bob may attach only `view:mine`; the owner may do everything.
  private static let (owner, alice, bob): (UInt32, UInt32, UInt32) = (1, 1001, 1002)

  private func hub(_ views: [String] = ["mine"], limits: HubLimits = HubLimits()) throws -> ViewHub {
    let grant = AccessGrant(views: try views.map(ViewHub.path))
    return ViewHub(
      limits: limits,
      policy: AccessPolicy(users: [Self.owner: .everything, Self.alice: grant, Self.bob: grant]))
  }

  private func chores(_ frame: ViewHub.Frame) throws -> [String] {
    try frame.value(IdentifiedArrayOf<Chores.Chore>.self).map(\.title)
  }

  @Test func eachUserHasItsOwnRows() throws {
    let hub = try hub()
    let (owner, _) = try hub.open(user: Self.owner)
    hub.send(.add(owner: Self.alice, title: "a"), .add(owner: Self.bob, title: "b"), on: owner)
    hub.turn(owner)
    let (alice, _) = try hub.open(user: Self.alice)
    let (bob, _) = try hub.open(user: Self.bob)
    #expect(try chores(try hub.attach("mine", on: alice)[0]) == ["a"])
    #expect(try chores(try hub.attach("mine", on: bob)[0]) == ["b"])
    // The owner of the hub has no rows of its own there, and no way to those of others.
    #expect(try chores(try hub.attach("mine", on: owner)[0]) == [])
  }

  @Test func nothingButOnesOwnViewCanBeAttached() throws {
    let hub = try hub()
    let feature = Schema(state: Chores.State.self, action: Chores.Action.self)
    let others: [Attach] = [
      Attach(), Attach(path: try feature.path(named: "chores")),
      Attach(path: try feature.path(named: "chores[1].title")),
      Attach(path: try feature.path(named: "chores[0..<5]", allowsWindow: true)), Attach(root: .hub),
      Attach(root: .metrics), Attach(root: .views), Attach(root: .views, path: try ViewHub.path("open")),
      Attach(root: .views, path: try ViewHub.path("counts")), Attach(root: .views, path: try ViewHub.path("summary")),
      Attach(root: .views, path: [2, .id(Chores.Choice(owner: Self.bob, isDone: false).encoded())]),
      Attach(root: .views, path: try ViewHub.path("titles[h'F5']")),
    ]
    for request in others {
      let (alice, _) = try hub.open(user: Self.alice)
      hub.send(request, scope: 1, on: alice)
      let frames = hub.turn(alice)
      #expect(frames.map(\.kind) == [.error], "\(request)")
      #expect(try frames[0].errorCode == .notPermitted, "\(request)")
    }
  }

  /// Everything that the hub sends to Alice is the same whatever the rows of Bob are.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func theRowsOfOthersChangeNoByte(seed: UInt64) throws {
    let (first, second) = (try transcript(seed: seed, variant: 0), try transcript(seed: seed, variant: 1))
    #expect(first == second, "seed \(seed)")
    let texts = first.map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.contains { $0.contains("mine ") } && !texts.contains { $0.contains("secret") })
  }

  /// All bytes that Alice receives while the owner changes her rows and those of Bob. The variants differ in Bob's.
  private func transcript(seed: UInt64, variant: Int) throws -> [[UInt8]] {
    var random = SplitMix(seed: seed)
    var limits = HubLimits()
    (limits.hashInterval, limits.bookmarkInterval) = (1, 1)
    let hub = try hub(["mine", "titles", "firstOfMine"], limits: limits)
    let (owner, _) = try hub.open(user: Self.owner)
    let (alice, welcome) = try hub.open(user: Self.alice)
    hub.send(.add(owner: Self.bob, title: "secret \(variant)"), .add(owner: Self.alice, title: "mine 0"), on: owner)
    var transcript = [welcome.encoded()]
    func note(_ frames: [ViewHub.Frame]) {
      transcript += frames.map { frame in frame.revision.encoded() + [frame.kind?.rawValue ?? 0] + frame.payload }
    }
    note(hub.turn(alice))
    note(try hub.attach("mine", scope: 1, on: alice))
    note(try hub.attach("titles[h'F4']", scope: 2, on: alice))
    note(try hub.attach("firstOfMine[2]", scope: 3, on: alice))
    for _ in 0..<30 {
      let number = Int.random(in: 0..<50, using: &random)
      if Bool.random(using: &random) {
        hub.send(.setTitle(2, "mine \(number)"), on: owner)
      } else {
        // As many actions, but of other content: Alice sees the hub's revision.
        hub.send(variant == 0 ? .setTitle(1, "secret \(number)") : .setDone(1, number % 2 == 0), on: owner)
      }
      for scope in 1...3 as ClosedRange<UInt16> {
        hub.frame(FrameHeader(kind: .verify, scope: scope), on: alice)
        note(hub.turn(alice))
      }
    }
    return transcript
  }

  @Test func aChangeOfAnothersRowSendsNothing() throws {
    let hub = try hub()
    let (owner, _) = try hub.open(user: Self.owner)
    hub.send(.add(owner: Self.bob, title: "b"), on: owner)
    hub.turn()
    let (alice, _) = try hub.open(user: Self.alice)
    try hub.attach("mine", on: alice)
    for round in 0..<3_000 { hub.send(.setTitle(1, "\(round)"), on: owner) }
    #expect(hub.turn(alice).isEmpty)
    hub.send(.setDone(1, true), on: owner)
    #expect(hub.turn(alice).isEmpty)
    // A row that becomes hers arrives, and leaves again.
    hub.send(.give(1, to: Self.alice), on: owner)
    #expect(hub.turn(alice).map(\.kind) == [.delta])
    hub.send(.give(1, to: Self.bob), on: owner)
    #expect(hub.turn(alice).map(\.kind) == [.delta])
    hub.send(.setTitle(1, "secret"), on: owner)
    #expect(hub.turn(alice).isEmpty)
  }

  @Test func anElementOfAnotherIsAbsentLikeOneThatDoesNotExist() throws {
    let hub = try hub()
    let (owner, _) = try hub.open(user: Self.owner)
    hub.send(.add(owner: Self.bob, title: "b"), on: owner)
    hub.turn()
    let (alice, _) = try hub.open(user: Self.alice)
    let theirs = try hub.attach("mine[1].title", scope: 1, on: alice)
    let missing = try hub.attach("mine[77].title", scope: 2, on: alice)
    #expect(theirs.map(\.kind) == [.absent] && missing.map(\.kind) == [.absent])
    #expect(theirs.map(\.payload) == missing.map(\.payload))
  }

  /// The first client to attach does not decide for the others.
  @Test func theGroupsOfAProcessBelongToTheUser() throws {
    let hub = ViewHub(
      views: StateViews { StateView("groups", of: \.note, for: SystemUser.self) { $1.groups.map { Int($0) } } })
    let (first, _) = try hub.open(user: 5, groups: [50])
    let (second, _) = try hub.open(user: 5)
    func groups(_ client: ConnectionID) throws -> [Int] {
      hub.send(Attach(root: .views, path: [0]), on: client)
      return try hub.turn(client)[0].value()
    }
    #expect(try groups(first) == [5, 50])
    #expect(try groups(second) == [5])
  }

  @Test func theSessionOfAnotherUserGivesNoVersionOfItsView() throws {
    let hub = try hub()
    let (owner, _) = try hub.open(user: Self.owner)
    hub.send(.add(owner: Self.bob, title: "b"), on: owner)
    hub.turn()
    let (bob, welcome) = try hub.open(user: Self.bob)
    try hub.attach("mine", on: bob)
    hub.core.ended(bob)
    let (alice, stolen) = try hub.open(user: Self.alice, session: welcome.session, history: welcome.history)
    #expect(!stolen.isResumed)
    // She claims to know a revision, and is sent her own value from the start.
    let frames = try hub.attach("mine", known: 1, on: alice)
    #expect(frames.map(\.kind) == [.snapshot])
    #expect(try chores(frames[0]) == [])
  }

  /// Nor does any revision that she may guess, on a session of her own or with the identifier of his.
  @Test(arguments: 0...6 as ClosedRange<UInt64>)
  func noRevisionResumesTheValueOfAnotherUser(known: UInt64) throws {
    let hub = try hub(["mine", "titles"])
    let (owner, _) = try hub.open(user: Self.owner)
    hub.send(.add(owner: Self.bob, title: "b"), .add(owner: Self.alice, title: "a"), on: owner)
    hub.turn()
    let (bob, theirs) = try hub.open(user: Self.bob)
    try hub.attach("mine", scope: 1, on: bob)
    try hub.attach("titles[h'F4']", scope: 2, on: bob)
    hub.send(.setTitle(1, "secret"), on: owner)
    hub.turn()
    hub.core.ended(bob)
    hub.send(.setTitle(1, "secret too"), on: owner)
    hub.turn()
    for session in [nil, theirs.session] {
      let (alice, welcome) = try hub.open(user: Self.alice, session: session, history: theirs.history)
      #expect(!welcome.isResumed)
      let rows = try hub.attach("mine", scope: 1, known: known, on: alice)
      #expect(rows.map(\.kind) == [.snapshot])
      #expect(try chores(rows[0]) == ["a"])
      let titles = try hub.attach("titles[h'F4']", scope: 2, known: known, on: alice)
      #expect(titles.map(\.kind) == [.snapshot])
      #expect(try titles[0].value([String].self) == ["a"])
      hub.frame(FrameHeader(kind: .verify, scope: 2), on: alice)
      let hashes = hub.turn(alice)
      #expect(hashes.map(\.kind) == [.hash])
      #expect(try hashes[0].hash == ["a"].stateHash())
    }
  }

  /// Values that others have attached, or that are kept for their sessions, answer nothing of hers.
  @Test func whatOthersHaveAttachedChangesNoAnswer() throws {
    func transcript(bobAttaches: Bool) throws -> [String] {
      let hub = try hub(["mine", "titles", "firstOfMine"])
      let (owner, _) = try hub.open(user: Self.owner)
      hub.send(.add(owner: Self.bob, title: "secret"), .add(owner: Self.alice, title: "a"), on: owner)
      hub.turn()
      let clients = try (0..<2).map { _ in try hub.open(user: Self.bob).0 }
      let (alice, welcome) = try hub.open(user: Self.alice)
      let views = ["mine", "titles[h'F4']", "titles[h'F5']", "firstOfMine[1]", "firstOfMine[2]", "firstOfMine[-1]"]
      for (scope, view) in views.enumerated() where bobAttaches {
        for bob in clients { try hub.attach(view, scope: UInt16(scope), on: bob) }
      }
      // One of them stays, and the other's session keeps its values.
      hub.core.ended(clients[1])
      hub.turn()
      var transcript: [String] = []
      func note(_ frames: [ViewHub.Frame]) {
        transcript += frames.map { "\($0.scope) \($0.revision) \($0.kind as Any) \($0.payload)" }
      }
      for (scope, view) in views.enumerated() { note(try hub.attach(view, scope: UInt16(scope), on: alice)) }
      // Parameters of other types, each of which ends its connection.
      let long = String(repeating: "x", count: 2_000).encoded()
      for path in [[9, .id([0x61, 0x78])], [4, .id([0xf6])], [4, .id(long)]] as [[PathStep]] {
        let (mistaken, _) = try hub.open(user: Self.alice)
        hub.send(Attach(root: .views, path: path), scope: 99, on: mistaken)
        note(hub.turn(mistaken))
      }
      hub.core.ended(alice)
      hub.send(.setTitle(2, "b"), on: owner)
      hub.turn()
      let (again, resumed) = try hub.open(user: Self.alice, session: welcome.session, history: welcome.history)
      #expect(resumed.isResumed)
      for (scope, view) in views.enumerated() { note(try hub.attach(view, scope: UInt16(scope), known: 2, on: again)) }
      return transcript
    }
    let (alone, beside) = (try transcript(bobAttaches: false), try transcript(bobAttaches: true))
    #expect(alone == beside && alone.count >= 12)
  }

  /// The hub does not even look at the parameter of a view that the user may not read.
  @Test func aParameterIsReadOnlyOfAPermittedView() throws {
    let hub = try hub()
    let bobs = Chores.Choice(owner: Self.bob, isDone: false).encoded()
    for parameter in [bobs, [0xf6], String(repeating: "x", count: 2_000).encoded()] {
      let (alice, _) = try hub.open(user: Self.alice)
      hub.send(Attach(root: .views, path: [2, .id(parameter)]), on: alice)
      let error = try #require(hub.turn(alice).first).error
      #expect(error.code == .notPermitted)
    }
    #expect(hub.core.views.groups.allSatisfy { $0.count == 0 })
  }

  /// The answers to Alice when she asks for anything of others, with and without rows of Bob.
  private func refusals(rows: Int) throws -> [[UInt8]] {
    let feature = Schema(state: Chores.State.self, action: Chores.Action.self)
    let bobs = Chores.Choice(owner: Self.bob, isDone: false).encoded()
    let requests: [Attach] = [
      Attach(path: try feature.path(named: "chores[1]")), Attach(path: try feature.path(named: "chores[99].title")),
      Attach(path: try feature.path(named: "chores[0..<5]", allowsWindow: true)), Attach(root: .hub),
      Attach(root: .metrics), Attach(root: .views, path: [2, .id(bobs)]), Attach(root: .views, path: [9, .id([3])]),
      Attach(root: .views, path: [0]), Attach(root: .views, path: [77]), Attach(root: StateRoot(rawValue: 9)),
      Attach(root: .views, path: [3, .id([1]), 64]), Attach(root: .views, path: [3, .window(start: 0, count: .max)]),
    ]
    let hub = try hub()
    let (owner, _) = try hub.open(user: Self.owner)
    // The same number of actions: Alice sees the revision.
    for number in 0..<5 {
      hub.send(number < rows ? .add(owner: Self.bob, title: "secret") : .setNote("\(number)"), on: owner)
    }
    hub.turn()
    return try requests.flatMap { request -> [[UInt8]] in
      let (alice, _) = try hub.open(user: Self.alice)
      hub.send(request, scope: 1, on: alice)
      return hub.turn(alice).map { $0.revision.encoded() + [$0.kind?.rawValue ?? 0] + $0.payload }
    }
  }

  @Test func refusalsAreTheSameWhateverOthersHave() throws {
    let (few, many) = (try refusals(rows: 0), try refusals(rows: 5))
    #expect(few == many && few.count >= 12)
  }

  /// Windows and parameters out of range show the rows of the user only, and do not end the hub.
  @Test func windowsAndParametersOutOfRangeShowNothingElse() throws {
    func transcript(rowsOfBob: Int) throws -> [String] {
      let hub = try hub(["mine", "firstOfMine", "titles"])
      let (owner, _) = try hub.open(user: Self.owner)
      hub.send(.add(owner: Self.alice, title: "mine"), on: owner)
      for number in 0..<5 {
        hub.send(number < rowsOfBob ? .add(owner: Self.bob, title: "secret") : .setNote("\(number)"), on: owner)
      }
      hub.turn()
      let requests: [[PathStep]] = [
        [3, .window(start: 1, count: 5)], [3, .window(start: 1_000_000, count: 5)], [3, .window(start: -5, count: 5)],
        [3, .window(start: 0, count: 4096)], [3, .id([2])], [3, .id([0x1b] + [UInt8](repeating: 0xff, count: 8))],
        [9, .id(Int.min.encoded())], [9, .id((-1).encoded())], [9, .id(Int.max.encoded())],
        [9, .id(100.encoded()), .window(start: 1, count: 10)], [9, .id([0x61, 0x78])], [4, .id([0xf6])],
      ]
      return try requests.enumerated().flatMap { (number, path) -> [String] in
        let (alice, _) = try hub.open(user: Self.alice)
        hub.send(Attach(root: .views, path: path), scope: 1, on: alice)
        return hub.turn(alice).map { "\(number): \($0.revision) \($0.kind as Any) \($0.payload)" }
      }
    }
    let (few, many) = (try transcript(rowsOfBob: 0), try transcript(rowsOfBob: 5))
    #expect(few == many && Set(few.map { $0.prefix { $0 != ":" } }).count == 12)
    let secret = "\(Array("secret".utf8))".dropFirst().dropLast()
    #expect(!many.contains { $0.contains(secret) })
  }

  /// A process of the same user without the group resumes the session of one with it.
  @Test func aResumedSessionGivesNoValueOfOtherGroups() throws {
    let hub = ViewHub(
      views: StateViews { StateView("groups", of: \.note, for: SystemUser.self) { $1.groups.map { Int($0) } } })
    let (first, welcome) = try hub.open(user: 5, groups: [50])
    hub.send(Attach(root: .views, path: [0]), on: first)
    let snapshot = try #require(hub.turn(first).first)
    #expect(try snapshot.value([Int].self) == [5, 50])
    hub.core.ended(first)
    let (second, resumed) = try hub.open(user: 5, session: welcome.session, history: welcome.history)
    #expect(resumed.isResumed)
    hub.send(Attach(root: .views, path: [0], knownRevision: snapshot.revision), on: second)
    let frames = hub.turn(second)
    #expect(frames.map(\.kind) == [.snapshot])
    #expect(try frames.first?.value([Int].self) == [5])
  }

  /// The rows are those of the user for whom the gateway speaks.
  @Test func aGatewaysViewIsThatOfItsUser() throws {
    let (gateway, remote): (UInt32, UInt32) = (900, 3_000_000_001)
    let grant = AccessGrant(views: [try ViewHub.path("mine")])
    let hub = ViewHub(
      policy: AccessPolicy(
        users: [Self.owner: .everything, gateway: .everything, remote: grant],
        gateways: [gateway: 3_000_000_000...3_000_000_099]))
    let (owner, _) = try hub.open(user: Self.owner)
    hub.send(.add(owner: gateway, title: "the gateway's"), .add(owner: remote, title: "mine"), on: owner)
    hub.turn()
    let id = hub.connect(user: gateway)
    hub.send(Represent(user: remote), on: id)
    hub.send(Hello(name: "far"), on: id)
    hub.turn(id)
    #expect(try chores(try hub.attach("mine", on: id)[0]) == ["mine"])
    hub.send(Attach(root: .views, path: try ViewHub.path("open")), scope: 1, on: id)
    #expect(try hub.turn(id).map { try $0.errorCode } == [.notPermitted])
  }

  @Test func theClientIsToldItsRights() throws {
    let hub = try hub(["mine", "counts.open"])
    let (_, welcome) = try hub.open(user: Self.alice)
    let rights = try #require(welcome.rights)
    #expect(rights.readablePaths == [] && rights.readableViews == [[3], [0, 0]])
    #expect(rights.permitAttachingView([3, .id([1])]) && rights.permitAttachingView([0, 0]))
    #expect(!rights.permitAttachingView([0]) && !rights.permitAttachingView([]) && !rights.permitAttachingView([1]))
    let bytes = rights.encoded()
    #expect(try ClientRights(decoding: bytes.span.bytes) == rights)
  }

  @Test func aValueOfAParameterCanBeGrantedAlone() throws {
    let choice = Chores.Choice(owner: Self.alice, isDone: false)
    let grant = AccessGrant(views: [[2, .id(choice.encoded())]])
    let hub = ViewHub(policy: AccessPolicy(users: [Self.alice: grant]))
    let (alice, _) = try hub.open(user: Self.alice)
    hub.send(Attach(root: .views, path: [2, .id(choice.encoded())]), on: alice)
    #expect(hub.turn(alice).map(\.kind) == [.snapshot])
    let other = Chores.Choice(owner: Self.bob, isDone: false)
    hub.send(Attach(root: .views, path: [2, .id(other.encoded())]), scope: 1, on: alice)
    #expect(try hub.turn(alice).map { try $0.errorCode } == [.notPermitted])
  }

  @Test func whoLosesTheRightIsDisconnected() throws {
    let hub = try hub()
    let (alice, _) = try hub.open(user: Self.alice)
    try hub.attach("mine", on: alice)
    hub.core.setPolicy(AccessPolicy(users: [Self.alice: AccessGrant()]), at: hub.now)
    let error = try #require(hub.turn(alice).first).error
    #expect(error.code == .notPermitted && error.reason.contains("view:mine"))
    #expect(hub.closed.contains(alice))
  }
}
