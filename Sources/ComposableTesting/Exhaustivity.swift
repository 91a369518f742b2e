/// The changes and actions that a test must assert.
public enum Exhaustivity: Equatable, Sendable {
  /// Every change of the state, every received action, and that all effects end.
  case on
  /// Only the test's assertions are checked. Other changes and actions are skipped.
  ///
  /// - Parameter showSkippedAssertions: Whether skipped changes and actions are noted as warnings.
  case off(showSkippedAssertions: Bool)

  /// Only the test's assertions are checked.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}
