internal import HubCore

/// The slow reads after a blocked turn. Reads are timed for a while, so that the action that blocks the next turn can
/// be named. For the first blocked turn only the last read is known: timing each read is too expensive while none is
/// slow.
struct SlowReads {
  /// A slow read.
  typealias Read = (milliseconds: UInt64, actions: [String], peer: Peer)

  /// The minimum duration of a slow read, in milliseconds.
  private static let threshold: UInt64 = 50
  /// The time during which reads are timed after a blocked turn, in milliseconds.
  private static let duration: UInt64 = 60_000

  /// True while reads are timed.
  private(set) var isOn = false
  private var end: UInt64 = 0
  private var slowest: Read?

  /// Starts to time reads.
  mutating func begin(at now: UInt64) { (isOn, end) = (true, now + Self.duration) }

  /// Records the duration of a read, in nanoseconds.
  mutating func note(_ time: UInt64, at now: UInt64, _ read: (_ milliseconds: UInt64) -> Read) {
    isOn = now < end
    let milliseconds = time / 1_000_000
    guard milliseconds >= Self.threshold, milliseconds > slowest?.milliseconds ?? 0 else { return }
    slowest = read(milliseconds)
  }

  /// Removes and returns the slowest read of the turn.
  mutating func take() -> Read? { slowest.take() }
}
