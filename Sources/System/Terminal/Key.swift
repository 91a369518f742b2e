/// A pressed key, or another event that a terminal reports in the same way.
public nonisolated enum Key: Equatable, Sendable {
  /// A character other than a control character.
  case character(Character)
  /// A lower-case letter with the Control key.
  case control(Character)
  /// An arrow key.
  case up, down, left, right
  /// The Home and End keys.
  case home, end
  /// The Page Up and Page Down keys.
  case pageUp, pageDown
  /// The Backspace key.
  case backspace
  /// The Delete key.
  case delete
  /// The Tab key, alone or with Shift.
  case tab, backTab
  /// The Escape key.
  case escape
  /// The Enter key.
  case enter
  /// Pasted text, and the size of the rest if it was too long. None of its characters is a command.
  case paste(String, omittedByteCount: Int = 0)
  /// A press of the left mouse button at a row and a column.
  case click(row: Int, column: Int)
  /// A turn of the mouse wheel.
  case wheelUp, wheelDown
  /// Any other key.
  case other
}
