import RandomNumbers

/// Which member is asked next, and when, without I/O.
///
/// After a failure the next member is asked at once. One that could not be reached is not asked again for some seconds
/// while another one can be asked: if its machine is gone, each attempt would last as long as the connection's deadline.
/// When all have failed, there is a pause, which grows to a quarter of a second: an election of etcd takes about one
/// second, and the first member that answers again shall be found soon.
nonisolated struct EndpointRotation {
  /// The way in which a member has failed.
  enum Failure {
    /// There was no connection, or it has ended: the machine may be gone.
    case unreachable
    /// A call had no answer, or the member could not give one. So it is with all members while etcd elects its leader.
    case unanswered
  }

  /// The time in which a member that could not be reached is asked only if no other one can be.
  static let avoidance = Duration.seconds(10)

  private let count: Int
  /// The number of the member.
  private(set) var current: Int
  private var failures = 0
  /// The time until which a member is avoided; nil if it is not.
  private var avoidedUntil: [Duration?]
  private var random: SplitMix

  /// Begins with a member by chance, so that the clients spread.
  init(count: Int, seed: UInt64) {
    precondition(count > 0, "there is a member to ask")
    self.count = count
    avoidedUntil = .init(repeating: nil, count: count)
    random = SplitMix(seed: seed)
    current = Int.random(in: 0..<count, using: &random)
  }

  /// A member has been connected: it is the current one.
  mutating func connected(_ member: Int) { current = member }

  /// The current member has answered.
  mutating func succeeded() {
    failures = 0
    avoidedUntil[current] = nil
  }

  /// A member has failed; another one is current.
  ///
  /// - Parameters:
  ///   - member: The member.
  ///   - failure: What it has failed in.
  ///   - time: The time.
  ///   - busy: The members to which a connection is being made.
  /// - Returns: The pause before the current one is asked.
  mutating func failed(
    _ member: Int, _ failure: Failure, at time: Duration, besides busy: [Int] = []
  ) -> Duration {
    if failure == .unreachable { avoid(member, at: time) }
    current = next(after: member, at: time, besides: busy) ?? member
    failures += 1
    guard failures >= count else { return .zero }
    let longest = min(20 << min((failures - count) / count, 4), 250)
    // Not all clients at the same moment.
    return .milliseconds(Int.random(in: longest / 2...longest, using: &random))
  }

  /// Avoids a member that has not been connected for long, while another one has.
  mutating func avoid(_ member: Int, at time: Duration) { avoidedUntil[member] = time + Self.avoidance }

  /// The member after another one that is not avoided, or simply the next one if all are.
  ///
  /// - Parameters:
  ///   - member: The member.
  ///   - time: The time.
  ///   - busy: Those that are left out.
  /// - Returns: The member; nil if all are left out.
  func next(after member: Int, at time: Duration, besides busy: [Int]) -> Int? {
    let others = (1...count).map { (member + $0) % count }.filter { !busy.contains($0) }
    return others.first { avoidedUntil[$0].map { $0 <= time } ?? true } ?? others.first
  }
}
