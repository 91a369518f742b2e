/// How long a call to the store may take. The time is short at first, because a member that has died is left soon then,
/// and what etcd has lost in an election is sent again soon. It grows while answers are missing: a store whose disks are
/// slow would otherwise be asked again and again before it can answer.
nonisolated struct CallPatience {
  /// The time at first.
  let shortest: Duration
  /// The number of calls in a row without an answer.
  private var missing = 0

  /// The number of calls that have the shortest time. They last longer than an election of etcd usually does.
  private static let shortCount = 5
  private static let greatestFactor = 8

  init(shortest: Duration) { self.shortest = shortest }

  /// The time for the next call.
  var timeout: Duration { shortest * min(max(missing - Self.shortCount + 2, 1), Self.greatestFactor) }

  /// A store that has been slow is not asked in a hurry at once.
  mutating func noteAnswer() { missing = missing > Self.shortCount ? missing - 1 : 0 }
  mutating func noteMissing() { missing = min(missing + 1, Self.shortCount + Self.greatestFactor - 2) }
}
