import ComposableTesting
import Foundation
import Testing

/// A feature with effects that a test controls.
@Reducer
struct ControlledFeature {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var text = ""
  }

  @CasePathable
  enum Action: Equatable {
    case tapped
    case load
    case loaded(String)
    case both
    case forever
    case stop
    case silent
    case ask
    case chain
    case immediate
    case later(Duration)
    case view(View)

    @CasePathable enum View: Equatable { case appeared, typed(String) }
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tapped:
        state.count += 1
        return .none
      case .load: return .run { send in await send(.loaded("a")) }
      case .loaded(let text):
        state.text = text
        return .none
      case .both:
        return .run { send in
          await send(.loaded("a"))
          await send(.loaded("b"))
        }
      case .forever: return .run { _ in try await Task.never() }.cancellable(id: "forever")
      case .stop: return .cancel(id: "forever")
      case .silent: return .none
      case .ask: return .send(.silent)
      case .chain: return .send(.forever)
      case .immediate: return .send(.loaded("now"))
      case .later(let duration):
        return .run { send in
          try await clock.sleep(for: duration)
          await send(.loaded("late"))
        }
      case .view(.appeared): return .none
      case .view(.typed(let text)):
        state.text = text
        return .none
      }
    }
  }
}

@MainActor
func makeStore(
  _ state: ControlledFeature.State = ControlledFeature.State(), fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) -> TestStoreOf<ControlledFeature> {
  TestStore(
    initialState: state, reducer: { ControlledFeature() }, fileID: fileID, file: filePath, line: line,
    column: column)
}

/// The only issue of an operation, with plain spaces in place of figure spaces.
@MainActor
func issue(_ operation: () async -> Void, sourceLocation: SourceLocation = #_sourceLocation) async -> String {
  let issues = await withExpectedIssue { await operation() }
  #expect(issues.count == 1, sourceLocation: sourceLocation)
  return issues.first?.replacing("\u{2007}", with: " ") ?? ""
}
