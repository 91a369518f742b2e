internal import ComposableArchitecture

/// The text of failures, the same as that of the original library, which authors of tests know.
enum FailureText {
  /// The difference of the dumps of two values; nil if these are equal.
  static func visibleDifference<T>(
    expected: T, actual: T, actualName: String = "Actual", indent count: Int = 4
  ) -> String? {
    // The two were compared before, so issues of the comparison were already reported.
    let difference = TaskResultReports.$areOn.withValue(false) { diff(expected, actual, format: .proportional) }
    return difference.map { "\(indent($0, by: count))\n\n(Expected: −, \(actualName): +)" }
  }

  /// The difference of an expected and an actual value.
  static func difference<T>(expected: T, actual: T, actualName: String = "Actual") -> String {
    if let difference = visibleDifference(expected: expected, actual: actual, actualName: actualName) {
      return difference
    }
    return """
      Expected:
      \(indent(String(describing: expected), by: 2))

      \(actualName):
      \(indent(String(describing: actual), by: 2))
      """
  }

  /// A dump, to follow a headline.
  static func dump(_ value: Any, indent: Int = 2) -> String {
    var text = ""
    customDump(value, to: &text, indent: indent)
    return text
  }

  /// A dump of one action, or of a list of several.
  static func dump<Action>(ofAll actions: [Action]) -> String {
    actions.count == 1 ? dump(actions[0], indent: 0) : dump(actions, indent: 0)
  }

  static func indent(_ text: String, by count: Int) -> String {
    let space = String(repeating: " ", count: count)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { space + $0 }.joined(separator: "\n")
  }

  static func plural(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  static let noChange = """
    Expected state to change, but no change occurred.

    The trailing closure made no observable modifications to state. If no change to state is expected, omit the \
    trailing closure.
    """

  /// - Parameter hasOwnTimeout: True if the assertion has a timeout of its own.
  static func effectsInFlight(hasOwnTimeout: Bool) -> String {
    """
    There are effects in-flight. If the effect that delivers this action uses a clock/scheduler (via "receive(on:)", \
    "delay", "debounce", etc.), make sure that you wait enough time for it to perform the effect. If you are using a \
    test clock/scheduler, advance it so that the effects may complete, or consider using an immediate clock/scheduler \
    to immediately perform the effect instead.

    If you are not yet using a clock/scheduler, or can not use a clock/scheduler, \(timeoutHint(hasOwnTimeout)).
    """
  }

  /// - Parameter hasOwnTimeout: True if the call has a timeout of its own.
  static func taskInFlight(hasOwnTimeout: Bool) -> String {
    """
    If this task delivers its action using a clock/scheduler (via "sleep(for:)", "timer(interval:)", etc.), make sure \
    that you wait enough time for it to perform its work. If you are using a test clock/scheduler, advance the \
    scheduler so that the effects may complete, or consider using an immediate clock/scheduler to immediately perform \
    the effect instead.

    If you are not yet using a clock/scheduler, or cannot use a clock/scheduler, \(timeoutHint(hasOwnTimeout)).
    """
  }

  private static func timeoutHint(_ hasOwnTimeout: Bool) -> String {
    hasOwnTimeout
      ? #"try increasing the duration of this assertion's "timeout""#
      : #"configure this assertion with an explicit "timeout""#
  }

  /// The time that an assertion has waited.
  static func after(_ timeout: Duration) -> String { timeout > .zero ? " after \(timeout)" : "" }

  static let noEffects = """
    There are no in-flight effects that could deliver this action. Could the effect you expected to deliver this \
    action have been cancelled?
    """

  static let stillRunning = """
    An effect returned for this action is still running. It must complete before the end of the test. …

    To fix, inspect any effects the reducer returns for this action and ensure that all of them complete by the end of \
    the test. There are a few reasons why an effect may not have completed:

    • If using async/await in your effect, it may need a little bit of time to properly finish. To fix you can simply \
    perform "await store.finish()" at the end of your test.

    • If an effect uses a clock (or scheduler, via "receive(on:)", "delay", "debounce", etc.), make sure that you wait \
    enough time for it to perform the effect. If you are using a test clock/scheduler, advance it so that the effects \
    may complete, or consider using an immediate clock/scheduler to immediately perform the effect instead.

    • If you are returning a long-living effect (timers, notifications, subjects, etc.), then make sure those effects \
    are torn down by marking the effect ".cancellable" and returning a corresponding cancellation effect \
    ("Effect.cancel") from another action, or, if your effect is driven by a Combine subject, send it a completion.

    • If you do not wish to assert on these effects, perform "await store.skipInFlightEffects()", or consider using a \
    non-exhaustive test store: "store.exhaustivity = .off".
    """
}
