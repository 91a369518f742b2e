import ComposableArchitecture
import Testing

/// The type of effects, as features name it in the Swift 6 language mode.
@MainActor @Suite(.timeLimit(.minutes(30))) struct EffectTypeTests {
  final class Reference {}

  enum Action {
    case begin
    case note(Reference)
    case end
  }

  /// An action need not be `Sendable`.
  private static let nothing: Effect<Action> = .none

  private func later(_ effect: Effect<Action>) -> @Sendable () -> Effect<Action> { { effect } }

  @Test func mergesAreNamedByTheTypeWithoutItsAction() {
    let store = Store(initialState: 0) {
      Reduce<Int, Action> { state, action in
        state += 1
        switch action {
        case .begin:
          return Effect.merge(
            .send(.end), Effect.concatenate(.send(.note(Reference())), Self.nothing), Effect.merge([.none, .none]))
        case .note: return later(.none)()
        case .end: return Effect.concatenate([.none])
        }
      }
    }
    store.send(.begin)
    #expect(store.withState { $0 } == 3)
  }
}
