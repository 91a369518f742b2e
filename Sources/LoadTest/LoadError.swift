public import EventLoop

/// Why a load test did not add up.
public nonisolated enum LoadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The hub cannot be reached.
  case cannotConnect(UVError)
  /// The hub closed a connection.
  case disconnected(reason: String)
  /// The hub refused an action.
  case rejected(reason: String)
  /// The hub sent something that this program does not understand.
  case malformed(String)
  /// The hub did not answer.
  case silent(for: Duration, answered: Int, sent: Int)
  /// The final count, of the counter or of the todos, is not what the actions make of the first one.
  case wrongCount(expected: Int, found: Int)
  /// A todo is not what the last action for it said.
  case wrongTodo(id: Int)
  /// The list is too short for the actions.
  case tooFewTodos(needed: Int, found: Int)

  /// What happened, and what it means.
  public var description: String {
    switch self {
    case .cannotConnect(let error): "\(error). \(error.connectionAdvice)"
    case .disconnected(let reason): "the hub closed a connection: \(reason)"
    case .rejected(let reason): "the hub refused an action: \(reason)"
    case .malformed(let what): "the hub sent something malformed: \(what)"
    case .silent(let duration, let answered, let sent):
      "no answer for \(duration): \(answered) of \(sent) actions were answered"
    case .wrongCount(let expected, let found):
      "the final count is \(found) and not \(expected): actions were lost or doubled, or another client also acts"
    case .wrongTodo(let id):
      "todo \(id) is not what the last action said: actions were lost, or another client also acts"
    case .tooFewTodos(let needed, let found):
      "the list has \(found) todos and these actions need \(needed): fill it with --todos \(needed)"
    }
  }
}
