import ComposableArchitecture
import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// Parts that exceed a limit of the hub are refused alone: the connection and its other parts go on.
@Suite(.computing) struct ScopeLimitTests {
  private typealias ViewWorld = World<Chores.State, Chores.Action>

  private func viewWorld(_ limits: HubLimits, clientCount: Int = 1) -> ViewWorld {
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    return ViewWorld(
      seed: 1, clientCount: clientCount,
      engine: FeatureEngine(initialState: Chores.State(), reducer: Chores(), views: Chores.views()), limits: limits,
      options: options
    ) { random, _ in Chores.randomAction(owners: [1, 2], limit: 8, &random) }
  }

  private func subscribe(_ client: ViewWorld.Client, count: Int) -> [TypedMirror<Chores.Counts>] {
    let schema = Schema(state: Chores.Counts.self, action: Never.self)
    return (0..<count).map { _ in
      let mirror = TypedMirror<Chores.Counts>()
      client.replica.subscribe(mirror, to: ViewReference(name: "counts"), schema: schema)
      return mirror
    }
  }

  @Test func theViewBeyondTheLimitIsRefusedAlone() throws {
    var limits = HubLimits()
    limits.views = 2
    let world = viewWorld(limits)
    let client = world.clients[0]
    let mirrors = subscribe(client, count: 4)
    func arePresent() -> [Bool] { mirrors.map { $0.part != nil } }
    func codes() -> [PeerErrorCode?] { mirrors.map { client.replica.refusalCode(of: $0) } }
    for isReconnected in [false, true] {
      if isReconnected { world.cut(client) }
      try world.settle()
      let connection = client.replica.connection
      #expect(connection == .live)
      #expect(arePresent() == [true, true, false, false])
      #expect(codes() == [nil, nil, .tooManyScopes, .tooManyScopes])
    }
    let refusal = client.replica.refusal(of: mirrors[2])
    #expect(refusal?.contains("2 views; detach one first, or raise the limit 'views'") == true)
    // The others go on, with the outcomes of actions.
    try world.send(.add(owner: 1, title: "a"), from: client)
    try world.settle()
    #expect(mirrors[0].part?.all == 1 && client.pending.isEmpty)
    // A refused one leaves no place, and one that has a value does, for the oldest.
    client.replica.unsubscribe(mirrors[3])
    try world.settle()
    #expect(codes()[2] == .tooManyScopes)
    client.replica.unsubscribe(mirrors[0])
    try world.settle()
    #expect(mirrors[2].part?.all == 1 && codes()[2] == nil && client.replica.refusal(of: mirrors[2]) == nil)
  }

  @Test func theViewsOfOtherClientsOfTheUserCount() throws {
    var limits = HubLimits()
    limits.viewsPerUser = 3
    let world = viewWorld(limits, clientCount: 2)
    let first = subscribe(world.clients[0], count: 3)
    try world.settle()
    let second = subscribe(world.clients[1], count: 2)
    try world.settle()
    let connection = world.clients[1].replica.connection
    #expect(connection == .live && first.allSatisfy { $0.part != nil } && second.allSatisfy { $0.part == nil })
    let refusal = world.clients[1].replica.refusal(of: second[0])
    #expect(refusal?.contains("'views-per-user'") == true)
    world.clients[0].replica.unsubscribe(first[0])
    try world.settle()
    // Nothing tells the other client, which tries again with the next connection.
    world.cut(world.clients[1])
    try world.settle()
    #expect(second[0].part != nil && second[1].part == nil)
  }

  @Test func aPartAndAWindowBeyondALimitAreRefusedAlone() throws {
    var limits = HubLimits()
    (limits.scopes, limits.windowElementsPerUser) = (3, 40)
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    let world = BoardWorld(seed: 1, clientCount: 1, engine: engine, limits: limits, options: options) { random, _ in
      .change(random.next())
    }
    let client = world.clients[0]
    let board = StatePath<Board.State, Board.State>()
    let window = TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>()
    client.replica.subscribe(window, to: board.items[window: 0..<100].steps)
    let counts = (0..<4).map { _ in client.replica.subscribe(to: board.count) }
    try world.settle()
    var mirrors: [any Mirror] = [window]
    for count in counts { mirrors.append(count) }
    func codes() -> [PeerErrorCode?] { mirrors.map { client.replica.refusalCode(of: $0) } }
    let connection = client.replica.connection
    #expect(connection == .live)
    #expect(codes() == [.tooManyScopes, nil, nil, nil, .tooManyScopes])
    let refusals = mirrors.map { client.replica.refusal(of: $0) ?? "" }
    #expect(refusals[0].contains("'window-elements-per-user'") && refusals[4].contains("'scopes'"))
    // A smaller window takes the last place of a scope.
    client.replica.unsubscribe(counts[0])
    try world.settle()
    #expect(codes() == [.tooManyScopes, nil, nil, nil, nil] && counts[3].part != nil)
    client.replica.unsubscribe(counts[1])
    client.replica.move(window, to: board.items[window: 0..<20].steps)
    try world.settle()
    #expect(window.part != nil && codes()[0] == nil)
    let live = client.replica.connection
    #expect(live == .live)
  }

  private func windowWorld(elementsPerUser: Int) -> (BoardWorld, (Range<Int>) -> [PathStep]) {
    var limits = HubLimits()
    limits.windowElementsPerUser = elementsPerUser
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    let world = BoardWorld(seed: 1, clientCount: 1, engine: engine, limits: limits, options: options) { random, _ in
      .change(random.next())
    }
    return (world, { StatePath<Board.State, Board.State>().items[window: $0].steps })
  }

  private func windows(
    _ client: BoardWorld.Client, _ paths: [[PathStep]]
  ) -> [TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>] {
    paths.map {
      let mirror = TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>()
      client.replica.subscribe(mirror, to: $0)
      return mirror
    }
  }

  /// Only the oldest was requested again, and the others waited for ever if it was refused.
  @Test func aPartForWhichThereIsRoomDoesNotWaitForAnOlderOne() throws {
    let (world, window) = windowWorld(elementsPerUser: 100)
    let client = world.clients[0]
    let mirrors = windows(client, [window(0..<60), window(0..<30), window(0..<90), window(0..<40), window(0..<50)])
    func arePresent() -> [Bool] { mirrors.map { $0.part != nil } }
    try world.settle()
    #expect(arePresent() == [true, true, false, false, false])
    // 70 elements are free: not for the first that waits, but for the second, beside which the third has no place.
    client.replica.unsubscribe(mirrors[0])
    try world.settle()
    #expect(arePresent().dropFirst() == [true, false, true, false])
    #expect(client.replica.refusalCode(of: mirrors[2]) == .tooManyScopes)
    // A smaller window leaves room too.
    client.replica.move(mirrors[3], to: window(0..<20))
    try world.settle()
    #expect(arePresent().dropFirst() == [true, false, true, true])
  }

  /// The hub refuses the first request before it reads of the second detached part.
  @Test func aPartThatNeedsTheRoomOfSeveralIsRequestedAfterTheLast() throws {
    let (world, window) = windowWorld(elementsPerUser: 100)
    let client = world.clients[0]
    let mirrors = windows(client, [window(0..<50), window(0..<40), window(0..<95)])
    try world.settle()
    #expect(mirrors.map { $0.part != nil } == [true, true, false])
    client.replica.unsubscribe(mirrors[0])
    client.replica.unsubscribe(mirrors[1])
    // Until the hub has answered, it is a part beyond a limit, and not one that does not exist.
    #expect(client.replica.refusalCode(of: mirrors[2]) == .tooManyScopes)
    #expect(client.replica.refusal(of: mirrors[2])?.contains("'window-elements-per-user'") == true)
    try world.settle()
    #expect(mirrors[2].part != nil && client.replica.refusal(of: mirrors[2]) == nil)
  }

  /// The places of windows that the hub has refused are free for others that the client has not requested.
  @Test func aRefusedWindowTakesNoPlaceFromOthers() throws {
    let (world, window) = windowWorld(elementsPerUser: 100)
    let client = world.clients[0]
    let limit = Int(HubLimits().windowElements)
    let mirrors = windows(client, [window(0..<limit), window(0..<20)])
    try world.settle()
    #expect(mirrors.map { $0.part != nil } == [false, true])
    // A window that is moved and then refused leaves its place before.
    let third = windows(client, [window(0..<90)])[0]
    try world.settle()
    #expect(third.part == nil)
    client.replica.move(mirrors[1], to: window(0..<120))
    try world.settle()
    #expect(mirrors[1].part == nil && third.part != nil)
  }
}
