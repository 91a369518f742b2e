/// The times of unacknowledged actions in order, with equal ones combined.
struct RunQueue {
  private var times: [UInt64] = []
  private var counts: [Int] = []
  private var first = 0
  /// The number of actions.
  private(set) var count = 0

  /// Appends actions with one time.
  mutating func append(_ time: UInt64, _ number: Int) {
    guard number > 0 else { return }
    count += number
    if let last = times.indices.last, last >= first, times[last] == time {
      counts[last] += number
    } else {
      times.append(time)
      counts.append(number)
    }
  }

  /// Removes the oldest actions, and calls a function with each run of equal times.
  mutating func removeFirst(_ number: Int, _ body: (_ time: UInt64, _ count: Int) -> Void) {
    var rest = min(number, count)
    count -= rest
    while rest > 0 {
      let taken = min(rest, counts[first])
      body(times[first], taken)
      counts[first] -= taken
      rest -= taken
      if counts[first] == 0 { first += 1 }
    }
    guard first == times.count || first > 4096 && first > times.count / 2 else { return }
    times.removeFirst(first)
    counts.removeFirst(first)
    first = 0
  }

  /// Removes all actions.
  mutating func removeAll() {
    times.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
    (first, count) = (0, 0)
  }
}
