/// A key that was pressed.
public nonisolated enum Key: Equatable, Sendable {
  /// A character, control characters excepted.
  case character(Character)
  /// A letter with the control key, in lower case.
  case control(Character)
  /// The arrow up.
  case up
  /// The arrow down.
  case down
  /// The escape key.
  case escape
  /// The enter key.
  case enter
  /// Any other key.
  case other
}
