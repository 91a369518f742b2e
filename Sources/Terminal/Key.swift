/// A key that was pressed, or something else that a terminal reports like one.
public nonisolated enum Key: Equatable, Sendable {
  /// A character, control characters excepted.
  case character(Character)
  /// A letter with the control key, in lower case.
  case control(Character)
  /// An arrow.
  case up, down, left, right
  /// To the beginning or the end.
  case home, end
  /// A screenful up or down.
  case pageUp, pageDown
  /// The key that takes away what is before the cursor.
  case backspace
  /// The key that takes away what is at the cursor.
  case delete
  /// The tabulator, and with the shift key.
  case tab, backTab
  /// The escape key.
  case escape
  /// The enter key.
  case enter
  /// Text that was pasted. None of its characters is a command.
  case paste(String)
  /// The left button of the mouse was pressed, at a row and a column.
  case click(row: Int, column: Int)
  /// The wheel of the mouse was turned.
  case wheelUp, wheelDown
  /// Any other key.
  case other
}
