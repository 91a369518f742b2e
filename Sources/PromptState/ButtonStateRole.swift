/// What a button is for, beyond its action.
public enum ButtonStateRole: Sendable, Hashable {
  /// It leaves the prompt and changes nothing; also what the escape key means.
  case cancel
  /// It deletes data, so a prompt shows it with a warning and never as the default.
  case destructive
}
