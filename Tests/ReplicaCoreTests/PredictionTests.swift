import ComposableArchitecture
import Features
import HubCore
import ReplicaCore
import TestSupport
import Testing
import Wire

/// The state that a client shows before the hub has answered.
@Suite(.computing) struct PredictionTests {
  /// The reducer of the world's hub.
  private static func reduce(_ state: inout AppFeature.State, _ action: AppFeature.Action) {
    withDependencies {
      $0.continuousClock = TestClock()
    } operation: {
      _ = AppFeature().reduce(into: &state, action: action)
    }
  }

  /// Each client is accompanied by one that does not predict, in the same history with other clients.
  @Test(arguments: [UInt64](0..<20))
  func onceAllIsQuietWhatIsShownIsTheHubsState(block: UInt64) throws {
    var (different, ahead) = (0, 0)
    for seed in block * 5..<block * 5 + 5 {
      let world = AppWorld(seed: seed, clientCount: 4)
      for client in world.clients.dropLast() { client.prediction = Prediction(Self.reduce) }
      for _ in 0..<300 {
        try world.step()
        for client in world.clients {
          guard let prediction = client.prediction else { continue }
          #expect((prediction.pendingCount == 0) == client.pending.isEmpty, "seed \(seed)")
          #expect(prediction.state == nil || !client.pending.isEmpty, "seed \(seed)")
          if !client.pending.isEmpty { ahead += 1 }
          if let predicted = prediction.state, predicted != client.state { different += 1 }
        }
      }
      try world.settle()
      for client in world.clients {
        #expect(client.shownState == world.engine.state, "seed \(seed)")
        #expect(client.prediction?.state == nil, "seed \(seed)")
        // Another client may have replaced the sheet that an action was for.
        #expect(client.failed.allSatisfy { $0.isLate }, "seed \(seed)")
      }
    }
    // The histories contain enough predictions and corrections.
    #expect(ahead > 100 && different > 100)
  }

  /// The shown state always equals the settled state with the pending actions applied in order.
  @Test(arguments: [UInt64](0..<10))
  func whatIsShownIsThePendingActionsOnTheSettledState(seed: UInt64) throws {
    let world = AppWorld(seed: seed, clientCount: 3)
    var sent: [ObjectIdentifier: [AppFeature.Action]] = [:]
    for client in world.clients {
      client.prediction = Prediction { state, action in
        sent[ObjectIdentifier(client), default: []].append(action)
        Self.reduce(&state, action)
      }
    }
    for _ in 0..<300 {
      sent = [:]
      try world.step()
      for client in world.clients {
        guard var expected = client.settledState, let prediction = client.prediction, let shown = prediction.state
        else {
          continue
        }
        sent[ObjectIdentifier(client)] = []
        prediction.rebase()
        let pending = sent[ObjectIdentifier(client)] ?? []
        #expect(pending.count == client.pending.count)
        for action in pending { Self.reduce(&expected, action) }
        #expect(shown == expected && prediction.state == expected)
      }
    }
  }

  /// However the hub's frames are divided into reads, and whatever parts of the client are still loading.
  @Test(arguments: [UInt64](0..<20)) func everyActionCountsOnce(seed: UInt64) throws {
    let world = AppWorld(seed: seed, clientCount: 2)
    let (client, other) = (world.clients[0], world.clients[1])
    client.prediction = Prediction(Self.reduce)
    var (sentCount, inDoubt) = (0, 0)
    func check() {
      guard let count = client.shownState?.counter.count, client.state != nil else { return }
      #expect(count == sentCount, "seed \(seed)")
      if client.state?.counter.count != count { inDoubt += 1 }
    }
    try world.settle()
    for step in 0..<400 {
      switch Int.random(in: 0..<8, using: &world.random) {
      case 0:
        try world.send(.counter(.incrementButtonTapped), from: client)
        sentCount += 1
      case 1: try world.send(.todos(.addButtonTapped(text: String(repeating: "x", count: step))), from: other)
      case 2 where step.isMultiple(of: 20):
        client.subscribe(TypedMirror<Todos.State>(), to: StatePath<AppFeature.State, AppFeature.State>().todos.steps)
      case 3...5:
        world.deliver(client, atMost: .random(in: 1...300, using: &world.random))
        world.deliver(other, atMost: .max)
      default: try world.turn()
      }
      check()
    }
    try world.settle()
    check()
    #expect(inDoubt > 10 && sentCount > 10)
  }

  /// A hub sends the outcomes of a resumed session before the parts that contain them.
  @Test(arguments: [UInt64](0..<20)) func ownWorkDoesNotDisappearWhenTheSessionIsResumed(seed: UInt64) throws {
    let world = AppWorld(seed: seed, clientCount: 1)
    let client = world.clients[0]
    client.prediction = Prediction(Self.reduce)
    try world.settle()
    var sent = 0
    for _ in 0..<400 {
      switch Int.random(in: 0..<20, using: &world.random) {
      case 0..<6:
        try world.send(.counter(.incrementButtonTapped), from: client)
        sent += 1
      case 6, 7: world.cut(client)
      case 8..<11: world.now += .milliseconds(Int.random(in: 1...200, using: &world.random))
      default: world.deliver(client, atMost: Int.random(in: 1...200, using: &world.random))
      }
      try world.turn()
      #expect(client.shownState?.counter.count == sent, "seed \(seed)")
    }
    try world.settle()
    #expect(world.engine.state.counter.count == sent && client.pending.isEmpty, "seed \(seed)")
  }

  /// The hub's state is never copied or traversed: the cost of a rebase is that of the pending actions.
  @Test func aRebaseCostsThePendingActions() throws {
    var calls = 0
    let prediction = Prediction<AppFeature.State, AppFeature.Action> { state, action in
      calls += 1
      Self.reduce(&state, action)
    }
    let (replica, tickets) = try Self.tickets(5)
    var hub = AppFeature.State()
    for ticket in tickets { prediction.sent(.counter(.incrementButtonTapped), as: ticket, on: hub) }
    #expect(calls == 5 && prediction.state?.counter.count == 5)
    for ticket in tickets.prefix(3) { prediction.ended(ticket) }
    hub.counter.count = 13
    _ = prediction.settle(on: hub)
    prediction.rebase()
    #expect(calls == 7 && prediction.state?.counter.count == 15)
    // An action in the middle was rejected.
    prediction.ended(tickets[4])
    _ = prediction.settle(on: hub)
    prediction.rebase()
    #expect(prediction.state?.counter.count == 14 && prediction.pendingCount == 1)
    prediction.ended(tickets[3])
    _ = prediction.settle(on: hub)
    prediction.rebase()
    #expect(prediction.state == nil && prediction.pendingCount == 0)
    // Ending an action that is not pending has no effect.
    prediction.ended(tickets[0])
    withExtendedLifetime(replica) {}
  }

  /// Each outcome goes to the predictions of all parts. If each took the time of all pending actions, a client would not
  /// catch up any more after it was offline.
  @Test(.timeLimit(.minutes(30))) func theOutcomesOfAnotherPartCostLittle() throws {
    let predictions = (0..<16).map { _ in Prediction<Int, Int> { $0 += $1 } }
    let (replica, tickets) = try Self.tickets(60_000)
    let own = stride(from: 0, to: tickets.count, by: 2).map { tickets[$0] }
    let others = stride(from: 1, to: tickets.count, by: 2).map { tickets[$0] }
    for prediction in predictions {
      for ticket in own { prediction.sent(1, as: ticket, on: 0) }
      #expect(!others.contains { prediction.ended($0) } && prediction.pendingCount == own.count)
      #expect(own.allSatisfy { prediction.ended($0) } && prediction.pendingCount == 0)
    }
    withExtendedLifetime(replica) {}
  }

  @Test func actionsThatWereSentBeforeTheStateCameAreAppliedToIt() throws {
    let prediction = Prediction(Self.reduce)
    let (replica, tickets) = try Self.tickets(2)
    for ticket in tickets { prediction.sent(.counter(.incrementButtonTapped), as: ticket, on: nil) }
    #expect(prediction.state == nil && prediction.pendingCount == 2)
    _ = prediction.settle(on: AppFeature.State())
    prediction.rebase()
    #expect(prediction.state?.counter.count == 2)
    withExtendedLifetime(replica) {}
  }

  /// Holds a replica, which cannot be copied.
  private final class Holder {
    var replica = ReplicaCore(schema: Schema(state: AppFeature.State.self, action: AppFeature.Action.self))
  }

  private static func tickets(_ count: Int) throws -> (Holder, [ActionTicket]) {
    let holder = Holder()
    return (
      holder, try (0..<count).map { _ in try holder.replica.send(AppFeature.Action.counter(.incrementButtonTapped)) }
    )
  }
}

extension ActionError {
  /// True for an action that came too late for its target.
  fileprivate var isLate: Bool {
    if case .rejected(RejectionCode.late.rawValue, _) = self { true } else { false }
  }
}
