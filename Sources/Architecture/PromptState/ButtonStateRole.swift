/// The role of a button, in addition to its action.
public enum ButtonStateRole: Sendable, Hashable {
  /// It closes the prompt without changes; the escape key has the same effect.
  case cancel
  /// It deletes data, so a prompt shows it with a warning and never as the default.
  case destructive
}
