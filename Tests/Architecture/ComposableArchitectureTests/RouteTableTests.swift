import CasePaths
import Testing

@testable import FeatureCore

/// The table that finds the reducers of a case.
@Suite struct RouteTableTests {
  @CasePathable
  enum Action {
    case refresh
    case first(Int)
    case second(Int)
  }

  typealias Routed = RoutedReducers<[String], Action>

  private func step(_ name: String, _ actionCase: PartialCaseKeyPath<Action>?) -> _ReducerStep<[String], Action> {
    _ReducerStep(
      CompiledReducer { state, _ in
        state.append(name)
        return .none
      }, for: actionCase)
  }

  /// Specialised code numbers the cases as they are declared, other code as the compiler does, with payloads first. An
  /// action of the one must not take the route of the other.
  @Test func theTwoNumberingsOfCasesDoNotMix() throws {
    let tag = try #require(EnumTag<Action>())
    let actions: [Action] = [.refresh, .first(1), .second(2)]
    #expect(actions.map { Action._caseIndex(of: $0) } == [0, 1, 2])
    #expect(actions.map { tag.of($0) } == [2, 0, 1])
    let routes = Routed.Routes([step("first", \.first), step("second", \.second), step("all", nil)], tag)
    for _ in 0..<2 {
      for (index, action) in actions.enumerated() {
        let expected = [["all"], ["first", "all"], ["second", "all"]][index]
        var state: [String] = []
        let byIndex = routes.byIndex.link(at: index) ?? routes.addFirst(for: action, at: index)
        _ = byIndex._withUnsafeGuaranteedRef { $0.run(&state, action) }
        #expect(state == expected)
        state = []
        _ = routes.routeByTag(of: action)._withUnsafeGuaranteedRef { $0.run(&state, action) }
        #expect(state == expected)
      }
    }
  }
}
