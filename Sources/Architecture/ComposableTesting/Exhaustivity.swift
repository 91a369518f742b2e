/// The changes and actions that a test must assert.
public enum Exhaustivity: Equatable, Sendable {
  /// Every change of the state and every received action must be asserted, and all effects must end.
  case on
  /// Only the test's assertions are checked. Other changes and actions are skipped.
  ///
  /// - Parameter showSkippedAssertions: True to report skipped changes and actions as warnings.
  case off(showSkippedAssertions: Bool)

  /// Only the test's assertions are checked.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}
