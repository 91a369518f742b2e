internal import HubCore

/// The queue of accepted connections that are not served yet, one queue for each user.
///
/// The kernel's queue serves all users in order of arrival. The hub therefore empties it faster than it opens
/// connections. It refuses connections beyond a user's limit at once, and opens the others in turn, one of each user. A
/// user who fills the kernel's queue delays others only by the time to accept its connections.
struct Admission {
  /// The maximum number opened at once in a turn. Most turns have none or one.
  private static let openedAtOnce = 2
  /// The time for opening queued connections in one turn, in nanoseconds. At least one is opened.
  static let openingTime: UInt64 = 50_000

  /// The users with queued connections, in the order of their turns.
  private var queues: [(user: UInt32, descriptors: [CInt])] = []
  /// The number of queued connections.
  private(set) var count = 0
  private var openedCount = 0
  /// The number of connections whose peers had disconnected, in the current period, and the end of that period.
  private var disconnected = (count: 0, end: UInt64(0))

  /// True if there is work at the end of the turn.
  var isInUse: Bool { count + openedCount > 0 }

  /// Returns true, and counts the connection, if a new connection may be opened at once.
  mutating func opensAtOnce() -> Bool {
    guard count == 0, openedCount < Self.openedAtOnce else { return false }
    openedCount += 1
    return true
  }

  /// Adds a connection to the queue of its user.
  mutating func add(_ descriptor: CInt, of user: UInt32) {
    count += 1
    if let index = queues.firstIndex(where: { $0.user == user }) {
      queues[index].descriptors.append(descriptor)
    } else {
      queues.append((user, [descriptor]))
    }
  }

  /// Returns the number of queued connections of a user.
  func count(of user: UInt32) -> Int { queues.first { $0.user == user }?.descriptors.count ?? 0 }

  /// Removes and returns the next connection: the first one of the next user.
  mutating func next() -> CInt? {
    guard !queues.isEmpty else { return nil }
    var (user, descriptors) = queues.removeFirst()
    let descriptor = descriptors.removeFirst()
    if !descriptors.isEmpty { queues.append((user, descriptors)) }
    count -= 1
    return descriptor
  }

  /// Records a connection whose peer had disconnected before it was opened. Returns true if there are many: others that
  /// disconnect at once wait after them. A few come from programs that only look whether a hub is there.
  ///
  /// - Parameter now: The time in milliseconds.
  mutating func noteDisconnected(at now: UInt64) -> Bool {
    if now >= disconnected.end { disconnected = (0, now + 100) }
    disconnected.count += 1
    return disconnected.count > TurnScheduler.acceptLimit
  }

  /// Begins a turn.
  mutating func beginTurn() { openedCount = 0 }
}
