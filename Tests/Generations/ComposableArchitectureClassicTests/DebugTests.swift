import ComposableArchitectureClassic
import ConcurrencyExtras
import Foundation
import Testing

@MainActor @Suite struct DebugTests {
  struct State {
    var count = 0
    var tags: Set<String> = ["b", "a"]
    var names = ["x": 1]
    var child: (Int, label: String)? = (1, "one")
    var object = Object()
  }
  final class Object { var parts: [Int] = [] }
  enum Action { case increment, nested(Nested), pair(Int, name: String) }
  enum Nested { case tapped(Int), closed }
  struct Secret: CustomDebugOutputConvertible { var debugOutput: String { "***" } }

  /// The output of a reducer's debug printer.
  private struct Printed {
    let queue = DispatchQueue(label: "DebugTests")
    private let output = LockIsolated("")
    var environment: DebugEnvironment {
      DebugEnvironment(printer: { [output] text in output.withValue { $0 += text } }, queue: queue)
    }
    /// The text, after the queue has printed everything.
    var text: String {
      queue.sync {}
      return output.value
    }
  }

  @Test func everyKindOfValueHasItsForm() {
    #expect(
      debugOutput(State()) == """
        State(
          count: 0,
          tags: Set([
            "a",
            "b",
          ]),
          names: [
            "x": 1,
          ],
          child: (
            1,
            label: "one"
          ),
          object: Object(
            parts: [
            ]
          )
        )
        """)
    #expect(debugOutput(Action.pair(1, name: "one")) == "Action.pair(\n  1,\n  name: \"one\"\n)")
    #expect(debugOutput(Action.nested(.tapped(2))) == "Action.nested(\n  Nested.tapped(\n    2\n  )\n)")
    #expect(debugOutput(Action.increment) == "Action.increment")
    #expect(debugOutput(Secret(), indent: 2) == "  ***")
    #expect(debugOutput(Int?.none as Any) == "nil")
    #expect(debugDiff(1, 1) == nil && debugDiff(1, 2) == "- 1\n+ 2")
  }

  private static let reducer = Reducer<State, Action, Void> { state, action, _ in
    if case .increment = action { state.count += 1 }
    return .none
  }

  @Test func actionsAndChangesArePrinted() {
    let printed = Printed()
    let environment = printed.environment
    let store = Store(
      initialState: State(), reducer: Self.reducer.debug("App", environment: { _ in environment }), environment: ())
    store.send(.nested(.closed))
    #expect(printed.text == "App: received action:\n  Action.nested(\n    Nested.closed\n  )\n  (No state changes)\n")
  }

  @Test func labelsAndPartsOfTheState() {
    let printed = Printed()
    let environment = printed.environment
    let reducer = Self.reducer
      .debug(state: { $0.count }, action: /Action.nested, actionFormat: .labelsOnly, environment: { _ in environment })
      .debugActions(actionFormat: .labelsOnly, environment: { _ in environment })
    let store = Store(initialState: State(), reducer: reducer, environment: ())
    store.send(.pair(1, name: "one"))
    store.send(.nested(.tapped(3)))
    #expect(
      printed.text == """
        received action:
          Action.pair(_, name:)
        received action:
          Action.nested(.tapped)
        received action:
          Nested.tapped
          (No state changes)

        """)
  }
}
