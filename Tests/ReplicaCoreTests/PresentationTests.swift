import ComposableArchitecture
import HubCore
import TestSupport
import Testing
import Wire

@testable import ReplicaCore

/// Of two clients that present at the same time, the second replaces the first one's child. The first client's actions
/// for its own child are then late, and do not reach the other's.
@Suite struct PresentationTests {
  @Reducer
  struct Note {
    @Replicated @ObservableState
    struct State: Equatable, Sendable {
      let number: Int
      var text = ""
    }

    @Replicated
    enum Action: Equatable, Sendable {
      /// Says which note its sender means.
      case edited(Int, String)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .edited(_, let text) = action { state.text = text }
        return .none
      }
    }
  }

  @Replicated
  enum Answer: Equatable, Sendable { case confirmed }

  @Reducer(state: .equatable, .sendable, action: .equatable, .sendable)
  @Replicated
  enum Destination {
    case note(Note)
    case alert(AlertState<Answer>)
  }

  @Reducer
  struct Notes {
    @Replicated @ObservableState
    struct State: Equatable, Sendable {
      @Presents var destination: Destination.State?
      /// The number of edits of another note than their sender meant.
      var mistakes = 0
    }

    @Replicated
    enum Action: Equatable, Sendable {
      case show(Int)
      case showLater(Int)
      case alert(String)
      case rename(String)
      case destination(PresentationAction<Destination.Action>)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .show(let number): state.destination = .note(Note.State(number: number))
        case .showLater(let number): return .send(.show(number))
        case .alert(let title): state.destination = .alert(AlertState { TextState(title) })
        case .rename(let text): state.destination?.modify(\.note) { $0.text = text }
        case .destination(.presented(.note(.edited(let number, _)))):
          if state.destination?.note?.number != number { state.mistakes += 1 }
        case .destination: break
        }
        return .none
      }
      .ifLet(\.$destination, action: \.destination)
    }
  }

  /// The same behind a reducer that runs first.
  struct Counted: Reducer {
    var body: some Reducer<Notes.State, Notes.Action> {
      Reduce { state, _ in
        state.mistakes += 0
        return .none
      }
      Notes()
    }
  }

  typealias NotesWorld = World<Notes.State, Notes.Action>

  private func world(
    seed: UInt64 = 1, _ reducer: some Reducer<Notes.State, Notes.Action> = Notes()
  ) throws -> NotesWorld {
    let world = NotesWorld(
      seed: seed, clientCount: 2, engine: FeatureEngine(initialState: Notes.State(), reducer: reducer)
    ) { _, _ in .rename("") }
    try world.settle()
    return world
  }

  private func edit(_ number: Int, _ text: String) -> Notes.Action {
    .destination(.presented(.note(.edited(number, text))))
  }

  /// Lets the hub receive what a client has sent, but sends nothing to it.
  private func deliverUp(_ client: NotesWorld.Client, in world: NotesWorld) throws {
    client.isBlocked = true
    try world.turn()
    world.deliver(client, atMost: .max)
    try world.turn()
  }

  @Test(arguments: [false, true]) func theFirstClientDoesNotEditTheOthersChild(isCounted: Bool) throws {
    let world = try isCounted ? world(Counted()) : world()
    let (first, second) = (world.clients[0], world.clients[1])
    try world.send(.show(1), from: first)
    // Before anything has arrived, a client may act on what it has presented itself.
    try world.send(edit(1, "a"), from: first)
    try deliverUp(first, in: world)
    try world.send(.show(2), from: second)
    try world.send(edit(2, "b"), from: second)
    try deliverUp(second, in: world)
    try world.send(edit(1, "c"), from: first)
    try deliverUp(first, in: world)
    try world.send(.destination(.dismiss), from: first)
    try deliverUp(first, in: world)
    try world.settle()
    let late = ActionError.rejected(code: RejectionCode.late.rawValue, reason: "something else is shown now")
    #expect(first.failed == [late, late] && second.failed.isEmpty)
    #expect(world.engine.state.destination == .note(Note.State(number: 2, text: "b")))
    #expect(world.engine.state.mistakes == 0 && first.state == world.engine.state)

    // Now it sees the other's child.
    try world.send(edit(2, "d"), from: first)
    try world.settle()
    #expect(first.failed.count == 2 && world.engine.state.destination?.note?.text == "d")
  }

  @Test func whatAnEffectOrTheHubPresentsIsNotTheSendersOwn() throws {
    let world = try world()
    let (first, second) = (world.clients[0], world.clients[1])
    try world.send(.show(1), from: first)
    try world.settle()
    world.hub.send(AnyAction(Notes.Action.show(2)))
    try world.turn()
    try world.send(edit(1, "late"), from: second)
    try deliverUp(second, in: world)
    #expect(world.engine.state.destination?.note?.text == "")

    // An action that follows at once belongs to the one of the client.
    try world.send(.showLater(3), from: second)
    try world.send(edit(3, "own"), from: second)
    try deliverUp(second, in: world)
    #expect(world.engine.state.destination?.note?.text == "own")
    try world.settle()
    #expect(second.failed.count == 1 && second.applied == 2)
  }

  /// What another client changes in a child, or in a copy of it, is not another child.
  @Test func aChangedChildIsTheSame() throws {
    let world = try world()
    let (first, second) = (world.clients[0], world.clients[1])
    try world.send(.show(1), from: first)
    try world.settle()
    for text in ["a", "b"] {
      try world.send(.rename(text), from: second)
      try world.send(edit(1, text), from: second)
      try deliverUp(second, in: world)
    }
    try world.send(edit(1, "c"), from: first)
    try deliverUp(first, in: world)
    try world.settle()
    #expect(first.failed.isEmpty && world.engine.state.destination?.note?.text == "c")
  }

  @Test func anotherAlertOfOneCaseIsAnotherChild() throws {
    let world = try world()
    let (first, second) = (world.clients[0], world.clients[1])
    try world.send(.alert("one"), from: first)
    try deliverUp(first, in: world)
    try world.send(.alert("two"), from: second)
    try deliverUp(second, in: world)
    try world.send(.destination(.dismiss), from: first)
    try deliverUp(first, in: world)
    try world.settle()
    #expect(first.failed.count == 1 && world.engine.state.destination?.alert?.title == TextState("two"))
  }

  /// An alert's id is not on the wire, so nobody is sent anything when the same one is shown again.
  @Test(arguments: [false, true]) func anEqualChildThatIsPresentedAgainIsTheSame(isAlert: Bool) throws {
    let world = try world()
    let (first, second) = (world.clients[0], world.clients[1])
    let show = isAlert ? Notes.Action.alert("one") : .show(1)
    try world.send(show, from: first)
    try world.settle()
    try world.send(show, from: second)
    try world.settle()
    world.hub.send(AnyAction(show))
    try world.settle()
    try world.send(.destination(.dismiss), from: first)
    try world.settle()
    #expect(first.failed.isEmpty && world.engine.state.destination == nil)
  }

  /// Of a child that was closed and presented again in one turn, nothing is sent either, but it is another one.
  @Test func aRefusalTellsItsSenderWhatItHasSeen() throws {
    let world = try world()
    let (first, second) = (world.clients[0], world.clients[1])
    try world.send(.alert("one"), from: first)
    try world.settle()
    for action in [Notes.Action.destination(.dismiss), .alert("one")] { try world.send(action, from: second) }
    try world.settle()
    try world.send(.destination(.dismiss), from: first)
    try world.settle()
    #expect(first.failed.count == 1 && world.engine.state.destination != nil)
    try world.send(.destination(.dismiss), from: first)
    try world.settle()
    #expect(first.failed.count == 1 && world.engine.state.destination == nil)
  }

  /// Its user does not act on what is shown, because the client does not show it.
  @Test func aClientOfAnotherPartIsNotLate() throws {
    let world = try world()
    let (first, second) = (world.clients[0], world.clients[1])
    first.subscribe(TypedMirror<Int>(), to: [1])
    first.replica.unsubscribe(try #require(first.whole))
    first.replica.unsubscribe(try #require(first.untyped))
    try world.settle()
    try world.send(.show(1), from: second)
    try world.settle()
    try world.send(.destination(.dismiss), from: first)
    try world.settle()
    #expect(first.failed.isEmpty && world.engine.state.destination == nil)

    // One that follows the part with the presentation is.
    first.subscribe(TypedMirror<PresentationState<Destination.State>>(), to: [0])
    try world.send(.show(2), from: second)
    try world.settle()
    try world.send(.show(3), from: second)
    try deliverUp(second, in: world)
    try world.send(.destination(.dismiss), from: first)
    try deliverUp(first, in: world)
    try world.settle()
    #expect(first.failed.count == 1 && world.engine.state.destination?.note?.number == 3)
  }

  /// A client of an earlier version does not say what it has seen: its actions reach what is shown.
  @Test func clientsThatDoNotSayWhatTheyHaveSeenAreNotLate() throws {
    let world = try world()
    try world.send(.show(1), from: world.clients[0])
    try world.settle()
    let other = world.hub.connected(Peer(process: 1, user: 1, group: 1), at: world.now)
    var writer = FrameWriter()
    writer.frame(Hello())
    writer.frame(FrameHeader(kind: .actions)) { encoder in
      for number: UInt64 in [1, 0] { encoder.unsigned(number) }
      edit(1, "unsaid").encode(to: &encoder)
    }
    let bytes = writer.bytes
    world.hub.received(bytes.span.bytes, on: other, at: world.now)
    #expect(world.engine.state.destination?.note?.text == "unsaid")
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func noEditMeetsAnotherChild(seed: UInt64) throws {
    let world = try world(seed: seed, Counted())
    var random = SplitMix(seed: seed)
    /// The note that each client has presented, until it knows the outcome.
    var own: [(ticket: ActionTicket, number: Int)?] = [nil, nil]
    for step in 0..<400 {
      let index = Int.random(in: 0...1, using: &random)
      let client = world.clients[index]
      if let ticket = own[index]?.ticket, !client.pending.contains(ticket) { own[index] = nil }
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        let before = client.pending
        try world.send(.show(step), from: client)
        own[index] = client.pending.subtracting(before).first.map { ($0, step) }
      case 2...4:
        guard let number = own[index]?.number ?? client.state?.destination?.note?.number else { break }
        try world.send(edit(number, "\(step)"), from: client)
      case 5: client.isBlocked.toggle()
      case 6: world.cut(client)
      default: world.deliver(client, atMost: .max)
      }
      world.now += .milliseconds(200)
      try world.turn()
    }
    try world.settle()
    #expect(world.engine.state.mistakes == 0, "seed \(seed)")
    #expect(world.clients.contains { !$0.failed.isEmpty }, "no action was late with seed \(seed)")
  }
}
