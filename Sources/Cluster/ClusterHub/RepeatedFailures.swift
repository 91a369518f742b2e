/// The failures of what is tried again until it succeeds, and which of them are news for the operator: the first one
/// after a while, one with another reason, and one a minute.
nonisolated struct RepeatedFailures {
  private struct Failure {
    let since: Duration
    var told: (reason: String, at: Duration)?
  }

  private var failures: [String: Failure] = [:]
  /// The time for which failures are usual, for example while the other nodes start.
  private let patience: Duration

  /// The time after which the same failure is told again.
  static let interval = Duration.seconds(60)

  init(patience: Duration) { self.patience = patience }

  /// Notes a failure.
  ///
  /// - Parameters:
  ///   - reason: Why it has failed.
  ///   - subject: What has failed.
  ///   - now: The time.
  /// - Returns: True if the failure is news.
  mutating func note(_ reason: String, of subject: String, at now: Duration) -> Bool {
    var failure = failures[subject] ?? Failure(since: now)
    defer { failures[subject] = failure }
    guard now - failure.since >= patience else { return false }
    if let told = failure.told, told.reason == reason, now - told.at < Self.interval { return false }
    failure.told = (reason, now)
    return true
  }

  /// Notes that something has succeeded.
  mutating func succeeded(_ subject: String) { failures[subject] = nil }
}
