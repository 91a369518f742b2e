import Features
import HubCore
import IdentifiedCollections
import ReplicaCore
internal import SchemaNames
import Senders
import Wire

/// A view of the simulated feature that clients attach. Its values have one type in both versions of the feature.
struct SimulatedView: Sendable {
  let name: String
  let reference: ViewReference
  let schema: Schema
  let path: [PathStep]
  /// Creates a mirror and a function that returns its bytes.
  let makeMirror: @Sendable () -> (any Mirror, () -> [UInt8]?)
  /// The bytes of the part in the value that the hub should have for a user.
  let expected: @Sendable (any SimulatedState, UInt32) -> [UInt8]?

  /// The views that a hub declares.
  static func declared<State: SimulatedState>(_: State.Type, _ recorder: Recorder) -> StateViews<State> {
    StateViews {
      StateView("open", of: \.app.todos.todos) { open($0) }
      StateView("titles", of: \.shared.rows, parameter: Int.self) { rows, rest in
        titles(rows, recorder.mixesUpParameters ? rest ^ 1 : rest)
      }
      StateView("mine", of: \.numbers, for: SystemUser.self) { mine($0, $1.id) }
    }
  }

  private static func open(_ todos: IdentifiedArrayOf<Todo.State>) -> IdentifiedArrayOf<Todo.State> {
    todos.filter { !$0.isComplete }
  }

  private static func titles(_ rows: IdentifiedArrayOf<SharedRow>, _ rest: Int) -> [String] {
    rows.filter { $0.id & 3 == rest }.map(\.title)
  }

  private static func mine(_ numbers: [Int], _ user: UInt32) -> [Int] { numbers.filter { $0 & 1 == Int(user) & 1 } }

  /// The views as clients attach them: whole values, a window, and two values of a parameter.
  static let all: [SimulatedView] = {
    let todos = StatePath<IdentifiedArrayOf<Todo.State>, IdentifiedArrayOf<Todo.State>>()
    return [
      SimulatedView(ViewName("open"), todos) { state, _ in open(state.app.todos.todos) },
      SimulatedView(ViewName("open"), todos[window: 1..<3]) { state, _ in open(state.app.todos.todos) },
      SimulatedView(ViewName("titles", 0), StatePath()) { state, _ in titles(state.shared.rows, 0) },
      SimulatedView(ViewName("titles", 3), StatePath()) { state, _ in titles(state.shared.rows, 3) },
      SimulatedView(ViewName("mine"), StatePath()) { state, user in mine(state.numbers, user) },
    ]
  }()

  private init<Value: Replicated, Part: Replicated>(
    _ name: ViewName<Value>, _ path: StatePath<Value, Part>,
    value: @escaping @Sendable (any SimulatedState, UInt32) -> Value
  ) {
    let steps = path.steps
    (self.name, reference, self.path) = ("\(name.reference)", name.reference, steps)
    schema = Schema(state: Value.self, action: Never.self)
    makeMirror = {
      let mirror = TypedMirror<Part>()
      return (mirror, { mirror.part?.encoded() })
    }
    expected = { state, user in value(state, user).part(at: steps[...])?.encoded() }
  }
}
