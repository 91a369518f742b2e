import ComposableArchitecture
import Testing

/// A reducer handles the actions of an effect with the store's dependencies, not the effect's.
@MainActor @Suite(.timeLimit(.minutes(30))) struct EffectDependenciesTests {
  fileprivate enum NumberKey: DependencyKey {
    static let liveValue = 0
    static let testValue = 0
  }

  private struct Feature: Reducer {
    struct State { var log: [String] = [] }
    enum Action: Sendable {
      case start
      case note(String)
    }

    @Dependency(\.number) var number

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        @Dependency(\.number) var local
        switch action {
        case .start:
          return withDependencies {
            $0.number += 41
          } operation: {
            .run { send in
              @Dependency(\.number) var inEffect
              await send(.note("effect \(inEffect)"))
            }
          }
        case .note(let text):
          state.log.append("\(text), reducer \(local), property \(number)")
          guard state.log.count == 1 else { return .none }
          return .run { send in
            @Dependency(\.number) var inEffect
            await send(.note("next effect \(inEffect)"))
          }
        }
      }
    }
  }

  @Test func anOverrideAroundAnEffectEndsAtItsActions() async {
    let store = Store(initialState: Feature.State()) { Feature() }
    await store.send(.start).finish()
    #expect(store.log == ["effect 41, reducer 0, property 0", "next effect 0, reducer 0, property 0"])
  }

  /// Chooses its reducer by a dependency.
  private struct Switching: Reducer {
    @Dependency(\.number) var number

    var body: some Reducer<[String], Int> {
      if number == 0 { note("zero") } else { note("other") }
    }

    private func note(_ text: String) -> Reduce<[String], Int> {
      Reduce { state, _ in
        state.append(text)
        return .none
      }
    }
  }

  @Test func aBodyIsEvaluatedOnceForAStore() {
    let store = Store(initialState: [String]()) { Switching() }
    let other = withDependencies {
      $0.number = 1
    } operation: {
      store.send(1)
      return Store(initialState: [String]()) { Switching() }
    }
    other.send(1)
    #expect(store.state == ["zero"] && other.state == ["other"])
  }

  @Test func anOverrideAroundASendHoldsForItsActions() async {
    let store = Store(initialState: Feature.State()) { Feature() }
    await withDependencies {
      $0.number = 1
    } operation: {
      await store.send(.start).finish()
    }
    #expect(store.log == ["effect 42, reducer 1, property 1", "next effect 1, reducer 1, property 1"])
  }

  @Test func theOverridesOfAStoreHoldForActionsOfItsEffects() async {
    let store = Store(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.number = 2
    }
    await store.send(.start).finish()
    #expect(store.log.map { $0.suffix(10) } == ["property 2", "property 2"])
  }
}

extension DependencyValues {
  fileprivate var number: Int {
    get { self[EffectDependenciesTests.NumberKey.self] }
    set { self[EffectDependenciesTests.NumberKey.self] = newValue }
  }
}
