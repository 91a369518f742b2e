import ComposableArchitecture
import ComposableArchitectureClassic
import Foundation
import Testing

private typealias ClassicReducer = ComposableArchitectureClassic.Reducer
private typealias ClassicEffect = ComposableArchitectureClassic.Effect

/// Features with children whose effects have the same id.
private struct Ticker: ComposableArchitecture.Reducer {
  struct State: Equatable, Identifiable {
    var id = 0
    var count = 0
  }
  enum Action: Equatable { case start, stop, ticked }
  var clock: any Clock<Duration>

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { send in
          while true {
            try await clock.sleep(for: .seconds(1))
            await send(.ticked)
          }
        }
        .cancellable(id: "ticks")
      case .stop: return .cancel(id: "ticks")
      case .ticked:
        state.count += 1
        return .none
      }
    }
  }
}

private struct Tickers: ComposableArchitecture.Reducer {
  struct State: Equatable {
    var one: Ticker.State? = Ticker.State()
    var many: IdentifiedArrayOf<Ticker.State> = [Ticker.State(id: 1), Ticker.State(id: 2)]
  }
  @CasePathable enum Action: Equatable {
    case one(Ticker.Action)
    case many(IdentifiedAction<Int, Ticker.Action>)
    case close, removeFirst, stopAll
  }
  var clock: any Clock<Duration>

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .close: state.one = nil
      case .removeFirst: state.many.remove(at: 0)
      case .stopAll: return .cancel(id: "ticks")
      case .one, .many: break
      }
      return .none
    }
    .ifLet(\.one, action: \.one) { Ticker(clock: clock) }
    .forEach(\.many, action: \.many) { Ticker(clock: clock) }
  }
}

/// Effects of the children of a feature of 1.x keep their places in the streams of an older generation.
@MainActor @Suite struct ScopedStreamTests {
  private typealias ClassicStore = ComposableArchitectureClassic.Store<Tickers.State, Tickers.Action>
  private typealias Wrapping = @Sendable (ClassicEffect<Tickers.Action, Never>) -> ClassicEffect<Tickers.Action, Never>
  private let clock = TestClock()

  /// A store of a feature whose effects are in streams.
  private func store(_ wrap: @escaping Wrapping) -> ClassicStore {
    let clock = clock
    let feature = ClassicReducer<Tickers.State, Tickers.Action, Void>(feature: { _ in Tickers(clock: clock) })
    let reducer = ClassicReducer<Tickers.State, Tickers.Action, Void> { state, action, environment in
      wrap(feature.run(&state, action, environment))
    }
    return ClassicStore(initialState: Tickers.State(), reducer: reducer, environment: ())
  }

  /// The store after each child has started and ticked once.
  private func tickingStore(_ wrap: @escaping Wrapping) async -> ClassicStore {
    let store = store(wrap)
    store.send(.one(.start))
    store.send(.many(.element(id: 1, action: .start)))
    store.send(.many(.element(id: 2, action: .start)))
    await clock.advance(by: .seconds(1))
    #expect(counts(store) == [1, 1, 1])
    return store
  }

  private func counts(_ store: ClassicStore) -> [Int] {
    [store.state.one?.count ?? -1] + store.state.many.map(\.count)
  }

  private nonisolated static let wrappings: [Wrapping] = [
    { $0.receive(on: DispatchQueue.immediate).eraseToEffect() },
    { $0.filter { _ in true }.merge(with: Empty<Tickers.Action, Never>()).eraseToEffect() },
    { $0.flatMap { Just($0) }.eraseToEffect() },
    { $0.debounce(id: UUID(), for: 0, scheduler: DispatchQueue.immediate) },
  ]

  @Test(arguments: wrappings.indices) func anIDIsTheChildsOwn(_ index: Int) async {
    let store = await tickingStore(Self.wrappings[index])
    store.send(.many(.element(id: 1, action: .stop)))
    await clock.advance(by: .seconds(1))
    #expect(counts(store) == [2, 1, 2])
    store.send(.stopAll)
    await clock.advance(by: .seconds(1))
    #expect(counts(store) == [2, 1, 2])
  }

  @Test(arguments: wrappings.indices) func aChildsWorkEndsWithTheChild(_ index: Int) async {
    let store = store(Self.wrappings[index])
    let (one, first) = (store.send(.one(.start)), store.send(.many(.element(id: 1, action: .start))))
    let second = store.send(.many(.element(id: 2, action: .start)))
    store.send(.close)
    await one.finish()
    store.send(.removeFirst)
    await first.finish()
    #expect(!second.isOver)
    await clock.advance(by: .seconds(1))
    #expect(counts(store) == [-1, 1])
    second.cancel()
  }

  @Test func aCancellationOutsideStreamsReachesThem() async {
    // Only effects of the first action are in a stream.
    let clock = clock
    let feature = ClassicReducer<Tickers.State, Tickers.Action, Void>(feature: { _ in Tickers(clock: clock) })
    let reducer = ClassicReducer<Tickers.State, Tickers.Action, Void> { state, action, environment in
      let effect = feature.run(&state, action, environment)
      return action == .one(.start) ? effect.flatMap { Just($0) }.eraseToEffect() : effect
    }
    let store = ClassicStore(initialState: Tickers.State(), reducer: reducer, environment: ())
    let task = store.send(.one(.start))
    store.send(.close)
    await task.finish()
    #expect(store.state.one == nil)
  }
}
