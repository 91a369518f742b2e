/// The failures of what is tried again until it succeeds, and which of them are news for the operator: the first one
/// after a while, and each reason once a minute.
nonisolated struct RepeatedFailures {
  private struct Failure {
    let since: Duration
    /// When each reason was told.
    var told: [String: Duration] = [:]
  }

  private var failures: [String: Failure] = [:]
  /// The time for which failures are usual, for example while the other nodes start.
  private let patience: Duration

  /// The time after which the same failure is told again.
  static let interval = Duration.seconds(60)

  /// The greatest number of reasons told of one subject within that time: strangers who connect can fail for many.
  private static let reasonLimit = 16

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
    failure.told = failure.told.filter { now - $0.value < Self.interval }
    guard failure.told[reason] == nil, failure.told.count < Self.reasonLimit else { return false }
    failure.told[reason] = now
    return true
  }

  /// Notes that something has succeeded.
  mutating func succeeded(_ subject: String) { failures[subject] = nil }
}
