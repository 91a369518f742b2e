import ComposableArchitecture
import Features
import TestSupport
import Testing
import Wire

@Suite struct ReplicationTests {
  private static func randomState(using generator: inout SplitMix) -> AppFeature.State {
    var state = AppFeature.State()
    state.counter.count =
      [0, 1, -1, .max, .min, Int.random(in: -1000...1000, using: &generator)].randomElement(using: &generator) ?? 0
    state.counter.numberFact = [nil, "", "a fact", "ein Fäktchen 🎲"].randomElement(using: &generator) ?? nil
    state.counter.isLoadingFact = .random(using: &generator)
    state.counter.isTimerOn = .random(using: &generator)
    state.counter.factAlert =
      [nil, FactAlert(title: "no"), FactAlert(title: "")].randomElement(using: &generator) ?? nil
    state.todos = Todos.State(todos: randomTodos(using: &generator))
    let numbers = (-3...6).shuffled(using: &generator).prefix(.random(in: 0...6, using: &generator))
    let favourites = IdentifiedArray(uniqueElements: numbers.map { Favourite(number: $0) })
    state.favourites = FavouriteNumbers.State(count: .random(in: -3...6, using: &generator), favourites: favourites)
    state.favourites.isLoadingFact = .random(using: &generator)
    let destinations: [FavouriteNumbers.Destination.State?] = [
      nil, .favourites(FavouriteList.State(favourites: favourites)), .alert(AlertState { TextState("a fact") }),
      .alert(
        AlertState {
          TextState("No fact")
        } actions: {
          ButtonState(action: .tryAgainButtonTapped) { TextState("Try again") }
          ButtonState(role: .cancel) { TextState("Never mind") }
        } message: {
          TextState("nobody knows")
        }),
    ]
    state.favourites.destination = destinations.randomElement(using: &generator) ?? nil
    return state
  }

  private static func randomTodos(using generator: inout SplitMix) -> IdentifiedArrayOf<Todo.State> {
    let ids = (0..<12).shuffled(using: &generator).prefix(.random(in: 0...12, using: &generator))
    return IdentifiedArray(
      uniqueElements: ids.map { id in
        let text = ["", "bread", "Brötchen 🥖", "水"].randomElement(using: &generator) ?? ""
        return Todo.State(id: id, text: text, isComplete: .random(using: &generator))
      })
  }

  private static func bytes(from old: AppFeature.State, to new: AppFeature.State) -> [UInt8] {
    var encoder = CBOREncoder()
    new.encodeDelta(from: old, to: &encoder)
    return encoder.bytes
  }

  @Test func aChangeOfOneTodoAmongManyIsAFewBytes() throws {
    var state = AppFeature.State()
    state.todos = Todos.State(
      todos: IdentifiedArray(uniqueElements: (0..<100_000).map { Todo.State(id: $0, text: "todo number \($0)") }))
    let old = state

    state.todos.todos[id: 70_000]?.isComplete = true
    let ticked = Self.bytes(from: old, to: state)
    // {1: {0: {3: [70000, {2: true}]}}}
    #expect(ticked == [0xa1, 0x01, 0xa1, 0x00, 0xa1, 0x03, 0x82, 0x1a, 0x00, 0x01, 0x11, 0x70, 0xa1, 0x02, 0xf5])

    state = old
    state.todos.todos.move(fromOffsets: [70_000], toOffset: 3)
    #expect(Self.bytes(from: old, to: state).count <= 20)
    state.todos.todos.remove(id: 5)
    #expect(Self.bytes(from: old, to: state).count <= 25)
    var decoder = CBORDecoder(Self.bytes(from: old, to: state).span.bytes)
    #expect(try old.applying(delta: &decoder) == state)
  }

  @Test func statesComeBackFromTheirBytesAndFromTheirDeltas() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the random states: \(seed)")
    var generator = SplitMix(seed: seed)
    for _ in 0..<5000 {
      let (old, new) = (Self.randomState(using: &generator), Self.randomState(using: &generator))
      let bytes = new.encoded()
      #expect(try AppFeature.State(decoding: bytes.span.bytes) == new)

      var encoder = CBOREncoder()
      new.encodeDelta(from: old, to: &encoder)
      let delta = encoder.bytes
      var decoder = CBORDecoder(delta.span.bytes)
      let applied = try old.applying(delta: &decoder)
      try decoder.finish()
      #expect(applied == new, "seed \(seed): from \(old) to \(new)")
      #expect(applied.encoded() == bytes)
    }
  }

  @Test func anEqualTextInOtherCharactersIsAChange() throws {
    var (old, new) = (AppFeature.State(), AppFeature.State())
    old.counter.numberFact = "caf\u{e9}"
    new.counter.numberFact = "cafe\u{301}"
    #expect(old == new)
    var encoder = CBOREncoder()
    new.encodeDelta(from: old, to: &encoder)
    let delta = encoder.bytes
    var decoder = CBORDecoder(delta.span.bytes)
    #expect(try old.applying(delta: &decoder).encoded() == new.encoded())
  }

  @Test func noChangeIsAnEmptyMap() {
    let state = AppFeature.State()
    var encoder = CBOREncoder()
    state.encodeDelta(from: state, to: &encoder)
    #expect(encoder.bytes == [0xa0])
  }

  @Test func aChangeOfOneFieldIsAFewBytes() {
    var state = AppFeature.State()
    let old = state
    state.counter.count = 7
    var encoder = CBOREncoder()
    state.encodeDelta(from: old, to: &encoder)
    #expect(encoder.bytes == [0xa1, 0x00, 0xa1, 0x00, 0x07])
  }

  @Test(arguments: [
    Counter.Action.decrementButtonTapped, .incrementButtonTapped, .numberFactButtonTapped,
    .numberFactResponse(.success("yes")), .numberFactResponse(.failure(NumberFactError(message: "no"))),
    .toggleTimerButtonTapped, .timerTicked, .factAlertDismissed,
  ])
  func actionsComeBackFromTheirBytes(action: Counter.Action) throws {
    let bytes = AppFeature.Action.counter(action).encoded()
    #expect(try AppFeature.Action(decoding: bytes.span.bytes) == .counter(action))
  }

  @Test(
    arguments: [
      .todos(.addButtonTapped(text: "bröd")), .todos(.clearCompletedButtonTapped), .todos(.deleteButtonTapped(id: 300)),
      .todos(.moved(id: 3, before: 4)), .todos(.moved(id: 3, before: nil)), .todos(.sortCompletedTodos),
      .todos(.restored(Todo.State(id: 3, text: "bread", isComplete: true), before: 4)),
      .todos(.todos(.element(id: 7, action: .completionChanged(true)))),
      .todos(.todos(.element(id: 7, action: .textChanged("")))),
      .favourites(.view(.decrementButtonTapped)), .favourites(.view(.incrementButtonTapped)),
      .favourites(.view(.factButtonTapped)), .favourites(.view(.favouriteButtonTapped)),
      .favourites(.view(.favouritesButtonTapped)), .favourites(.factResponse(.success("a fact"))),
      .favourites(.factResponse(.failure(NumberFactError(message: "no")))), .favourites(.destination(.dismiss)),
      .favourites(.destination(.presented(.alert(.tryAgainButtonTapped)))),
      .favourites(.destination(.presented(.favourites(.deleteButtonTapped(-5))))),
      .favourites(.destination(.presented(.favourites(.doneButtonTapped)))),
      .favourites(.destination(.presented(.favourites(.numberTapped(5))))),
      .favourites(.destination(.presented(.favourites(.delegate(.numberChosen(5)))))),
    ] as [AppFeature.Action])
  func actionsOfTheOtherFeaturesComeBackFromTheirBytes(action: AppFeature.Action) throws {
    let bytes = action.encoded()
    #expect(try AppFeature.Action(decoding: bytes.span.bytes) == action)
    for count in bytes.indices {
      #expect(throws: WireError.self) { try AppFeature.Action(decoding: Array(bytes[..<count]).span.bytes) }
    }
  }

  @Test func anIncrementIsThreeBytes() {
    #expect(AppFeature.Action.counter(.incrementButtonTapped).encoded() == [0x82, 0x00, 0x01])
  }

  @Test(
    arguments: [
      [0x82, 0x00, 0x18, 0x63], [0x82, 0x00, 0x08], [0x82, 0x03, 0x01], [0x82, 0x00], [0x82, 0x00, 0x01, 0x00], [],
    ] as [[UInt8]])
  func whatIsNoActionIsRefused(bytes: [UInt8]) {
    #expect(throws: WireError.self) { try AppFeature.Action(decoding: bytes.span.bytes) }
  }

  @Test func fieldsOfALaterVersionArePassedOver() throws {
    let later = CBORValue.map([
      .init(key: .unsigned(0), value: .map([.init(key: .unsigned(0), value: .unsigned(3))])),
      .init(key: .unsigned(9), value: .text("new")),
    ]).encoded()
    #expect(try AppFeature.State(decoding: later.span.bytes).counter.count == 3)
  }
}
