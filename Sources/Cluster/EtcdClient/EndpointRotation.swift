import RandomNumbers

/// Which member is asked next, and when, without I/O.
///
/// After a failure the next member is asked at once. When all have failed, there is a pause, which grows to a quarter of
/// a second: an election of etcd takes about one second, and the first member that answers again shall be found soon.
nonisolated struct EndpointRotation {
  private let count: Int
  /// The number of the member.
  private(set) var current: Int
  private var failures = 0
  private var random: SplitMix

  /// Begins with a member by chance, so that the clients spread.
  init(count: Int, seed: UInt64) {
    precondition(count > 0, "there is a member to ask")
    self.count = count
    random = SplitMix(seed: seed)
    current = Int.random(in: 0..<count, using: &random)
  }

  /// A member has answered.
  mutating func succeeded() { failures = 0 }

  /// A member has failed; the next one is current.
  /// - Returns: The pause before it is asked.
  mutating func failed() -> Duration {
    current = (current + 1) % count
    failures += 1
    guard failures >= count else { return .zero }
    let longest = min(20 << min((failures - count) / count, 4), 250)
    // Not all clients at the same moment.
    return .milliseconds(Int.random(in: longest / 2...longest, using: &random))
  }
}
