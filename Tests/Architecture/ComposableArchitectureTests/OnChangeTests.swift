import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct OnChangeTests {
  @Reducer struct Feature {
    @ObservableState struct State: Equatable {
      var count = 0
      var isOn = false
      var log: [String] = []
    }

    enum Action: BindableAction, Sendable {
      case binding(BindingAction<State>)
      case add(Int)
      case note(String)
    }

    var body: some ReducerOf<Self> {
      BindingReducer()
        .onChange(of: \.isOn) { old, new in
          Reduce { state, action in
            state.log.append("isOn \(old) → \(new), now \(state.isOn), by binding \(action.is(\.binding))")
            return .run { await $0(.note("effect")) }
          }
        }
      Reduce { state, action in
        switch action {
        case .add(let number): state.count += number
        case .note(let text): state.log.append(text)
        case .binding: break
        }
        return .none
      }
      .onChange(of: \.count) { old, new in
        Reduce { state, _ in
          state.log.append("count \(old) → \(new)")
          return .none
        }
      }
      .onChange(of: { $0.count / 10 }) { old, new in
        if new > old {
          Reduce { state, _ in
            state.log.append("tens \(new)")
            return .none
          }
        }
      }
    }
  }

  @Test func aChangeRunsTheReducerWithBothValues() {
    let store = Store(initialState: Feature.State()) { Feature() }
    store.send(.add(1))
    store.send(.add(0))
    store.send(.add(10))
    store.send(.add(-10))
    #expect(store.log == ["count 0 → 1", "count 1 → 11", "tens 1", "count 11 → 1"])
  }

  @Test func itsEffectsRun() async {
    let store = Store(initialState: Feature.State()) { Feature() }
    await store.send(.binding(.set(\.isOn, true))).finish()
    #expect(store.log == ["isOn false → true, now true, by binding true", "effect"])
    await store.send(.binding(.set(\.isOn, true))).finish()
    #expect(store.log.count == 2)
  }

  @Test func valuesAreComparedAsAsked() {
    struct Parity: Reducer {
      struct State { var (number, changes) = (0, 0) }
      var body: some Reducer<State, Int> {
        Reduce { state, action in
          state.number = action
          return .none
        }
        .onChange(of: \.number, removeDuplicates: { $0 % 2 == $1 % 2 }) { _, _ in
          Reduce { state, _ in
            state.changes += 1
            return .none
          }
        }
      }
    }
    let store = Store(initialState: Parity.State()) { Parity() }
    for number in [2, 4, 5, 7, 8] { store.send(number) }
    #expect(store.changes == 2)
  }

  /// The forms whose closure returns an effect, beside the one with a reducer.
  @Reducer struct Effects {
    @ObservableState struct State: Equatable {
      var count = 0
      var isOn = false
      var log: [String] = []
    }
    enum Action: BindableAction, Sendable {
      case binding(BindingAction<State>)
      case add(Int)
      case note(String)
    }
    var body: some ReducerOf<Self> {
      BindingReducer()
        .onChange(of: \.isOn) { oldValue, state in
          .run { [isOn = state.isOn] send in await send(.note("\(oldValue) → \(isOn)")) }
        }
      Reduce { state, action in
        switch action {
        case .add(let number): state.count += number
        case .note(let text): state.log.append(text)
        case .binding: break
        }
        return .none
      }
      .onChange(of: \.count) { oldValue, state in
        state.log.append("count \(oldValue) → \(state.count)")
        return .none
      }
      .onChange(of: { (state: State) -> (Int, Bool) in (state.count / 10, state.isOn) }, removeDuplicates: ==) {
        oldValue, state in
        guard oldValue.0 != state.count / 10 else { return .none }
        return .send(.note("tens \(state.count / 10)"))
      }
      .onChange(of: \.count) { _, new in
        Reduce { state, _ in
          state.log.append("reducer \(new)")
          return .none
        }
      }
    }
  }

  @Test func aChangeRunsTheEffectOfAClosure() async {
    let store = Store(initialState: Effects.State()) { Effects() }
    store.send(.add(1))
    store.send(.add(0))
    store.send(.add(10))
    #expect(store.log == ["count 0 → 1", "reducer 1", "count 1 → 11", "reducer 11", "tens 1"])
    await store.send(.binding(.set(\.isOn, true))).finish()
    #expect(store.log.last == "false → true")
  }
}
