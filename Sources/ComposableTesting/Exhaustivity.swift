/// How much of what happens a test must state.
public enum Exhaustivity: Equatable, Sendable {
  /// Every change of the state, every received action, and that all effects end.
  case on
  /// Only what the test states is checked; the rest is passed over.
  ///
  /// - Parameter showSkippedAssertions: Whether what is passed over is noted as a warning.
  case off(showSkippedAssertions: Bool)

  /// Only what the test states is checked.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}
