/// Detects that clients with little traffic share the hub with clients that send more than a turn has time for.
///
/// In such a contended turn the hub handles the heavy traffic in short slices and serves the other clients in between.
/// If all clients send much, or no other is active, the slices are long, since each turn costs a poll and a write to
/// each subscriber.
struct Contention {
  /// The number of frames and actions of each user that are handled in a turn before any other work.
  static let guaranteed = 32
  /// The maximum size of one read; a read of this size suggests that more is waiting.
  static let muchBytes = 64 * 1024
  /// The number of frames and actions in one read that would make other clients wait.
  static let muchWork = 256
  /// The maximum size of one read, while the hub is contended, from a connection that sends much: in small frames,
  /// each of which costs as much as many bytes, or within a large one.
  static let contendedRead = (small: 1024, large: 16 * 1024)
  /// The maximum number of frames and actions in one read of a client with little traffic.
  private static let littleWork = 16
  /// The time in milliseconds for which a client of either kind is remembered.
  private static let memory: UInt64 = 1000

  private var lastMuch: UInt64?
  private var lastLittle: UInt64?
  /// True if some client has sent much recently.
  private(set) var isPossible = false
  /// True if clients of both kinds are active.
  private(set) var isOn = false

  /// Returns true if handling one read makes other clients wait. A read of a few bytes never does, even if the turn has
  /// no time left for it: otherwise many clients with little traffic would count as clients that send much.
  static func isMuch(_ work: (count: Int, isComplete: Bool), of byteCount: Int) -> Bool {
    byteCount >= muchBytes || work.count >= muchWork || !work.isComplete && byteCount >= muchWork
  }

  /// The time in nanoseconds after which output that was held back for so many clients is written to one of them.
  static func outputInterval(_ count: Int) -> UInt64 { max(100_000 / UInt64(max(count, 1)), 50_000) }

  /// The work that waits between two polls of a contended hub.
  struct Waiting {
    /// The number of accepted connections that are not opened yet.
    var connections = 0
    var hasFrames = false
    var hasSnapshots = false
    /// The number of clients whose output was held back.
    var heldBack = 0
    /// The number of clients that are not read.
    var readers = 0
  }

  /// A short part of that work.
  enum Work {
    /// Open a connection.
    case connection
    /// Write what was held back for one client, or a piece of a snapshot.
    case output
    /// Handle waiting frames, and read from one client.
    case input
  }

  /// Chooses the next part, so that every kind of work goes on however much there is of the others.
  ///
  /// - Parameters:
  ///   - number: The number of the part.
  ///   - waiting: The work that waits.
  ///   - sinceOutput: The time in nanoseconds since the last output.
  static func nextWork(_ number: UInt32, of waiting: Waiting, sinceOutput: UInt64) -> Work {
    let hasInput = waiting.hasFrames || waiting.readers > 0
    let hasOther = hasInput || waiting.hasSnapshots || waiting.heldBack > 0
    if waiting.connections > 0, number.isMultiple(of: 3) || !hasOther { return .connection }
    // Without other work it is sent at once: a loop that only waits for a time would take the processor from clients.
    let isOutputDue = !hasInput && waiting.connections == 0 || sinceOutput >= outputInterval(waiting.heldBack)
    return isOutputDue || number.isMultiple(of: 2) && waiting.hasSnapshots ? .output : .input
  }

  mutating func noteMuch(from connection: ServedConnection?, at now: UInt64) {
    connection?.lastMuch = now
    lastMuch = now
    isPossible = true
  }

  /// Returns true if a connection has sent much recently.
  static func sendsMuch(_ connection: ServedConnection, at now: UInt64) -> Bool {
    connection.lastMuch.map { now - $0 < memory } ?? false
  }

  mutating func noteLittle(_ count: Int, from connection: ServedConnection?, at now: UInt64) {
    update(at: now)
    guard isPossible, count > 0, count <= Self.littleWork, let connection else { return }
    // A connection that has just sent much is sending the rest of it.
    if Self.sendsMuch(connection, at: now) { return }
    lastLittle = now
    isOn = true
  }

  /// Discards expired records.
  mutating func update(at now: UInt64) {
    isPossible = lastMuch.map { now - $0 < Self.memory } ?? false
    isOn = isPossible && lastLittle.map { now - $0 < Self.memory } ?? false
  }
}
