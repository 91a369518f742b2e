/// Tells when clients that send little share the hub with clients that send more than a turn has time for.
///
/// Then the hub answers the former between short slices of the latter's work. While all send much, or nobody else is
/// there, slices are long: each turn costs a poll and a write to each subscriber.
struct Contention {
  /// How many frames and actions of each user are handled in a turn before everything else.
  static let guaranteed = 32
  /// As many bytes as one read brings at the most: more is waiting.
  static let muchBytes = 64 * 1024
  /// As many frames and actions at a time keep others waiting.
  static let muchWork = 256
  /// A client that sends no more than this at a time sends little.
  private static let littleWork = 16
  /// For how long either kind of client counts, in milliseconds.
  private static let memory: UInt64 = 1000

  private var lastMuch: UInt64?
  private var lastLittle: UInt64?
  /// Whether somebody has sent much lately.
  private(set) var isPossible = false
  /// Whether both kinds of clients are there.
  private(set) var isOn = false

  /// Returns true if what one read has brought keeps others waiting. A few bytes never do, even if the turn has no time left
  /// for them: many clients that send little would otherwise count as clients that send much.
  static func isMuch(_ work: (count: Int, isComplete: Bool), of byteCount: Int) -> Bool {
    byteCount >= muchBytes || work.count >= muchWork || !work.isComplete && byteCount >= muchWork
  }

  mutating func noteMuch(from connection: ServedConnection?, at now: UInt64) {
    connection?.lastMuch = now
    lastMuch = now
    isPossible = true
  }

  mutating func noteLittle(_ count: Int, from connection: ServedConnection?, at now: UInt64) {
    update(at: now)
    guard isPossible, count > 0, count <= Self.littleWork, let connection else { return }
    // One that has sent much a moment ago sends the rest of it.
    if let much = connection.lastMuch, now - much < Self.memory { return }
    lastLittle = now
    isOn = true
  }

  /// Forgets what is long ago.
  mutating func update(at now: UInt64) {
    isPossible = lastMuch.map { now - $0 < Self.memory } ?? false
    isOn = isPossible && lastLittle.map { now - $0 < Self.memory } ?? false
  }
}
