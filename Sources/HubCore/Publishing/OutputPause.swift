/// A user's output: the bytes that sockets have not accepted, and the pause that follows much output in one turn.
///
/// The shell copies what a socket does not accept. Without the pause, one large change would be copied for all of a
/// user's connections before `HubLimits.heldBytesPerUser` could act, and that limit would then close connections whose
/// clients read. After a pause a connection gets one delta with everything that has changed meanwhile.
struct OutputPause {
  /// The bytes that sockets have not accepted.
  var queuedBytes = 0
  /// True while the user's connections are not written to.
  private(set) var isOn = false
  /// The connections to write to after the pause; their standing is `paused`.
  var waiting: [LiveConnection] = []
  /// The time at which the pause ends even if sockets accept nothing.
  private(set) var end = Duration.zero
  /// The bytes of large writes in a turn, and the number of that turn.
  private var written: (byteCount: Int, turn: UInt64) = (0, 0)

  /// The maximum length of a pause. Clients that never read must not hold up the user's other clients.
  private static var limit: Duration { .milliseconds(100) }
  /// The size from which a write counts. Smaller ones fit into the buffers of sockets.
  static var countedBytes: Int { 4096 }

  /// Records a large write. Returns true if a pause begins.
  ///
  /// - Parameter budget: The bytes that may be written in one turn.
  mutating func note(_ byteCount: Int, inTurn turn: UInt64, at now: Duration, _ budget: Int) -> Bool {
    written = ((written.turn == turn ? written.byteCount : 0) + byteCount, turn)
    guard !isOn, written.byteCount > budget else { return false }
    (isOn, end) = (true, now + Self.limit)
    return true
  }

  /// Returns true if the pause should end: sockets have accepted most of the output, or it has lasted too long.
  func isOver(at now: Duration, _ budget: Int) -> Bool { hasDrained(budget) || now >= end }

  /// Returns true if sockets have accepted most of the output.
  func hasDrained(_ budget: Int) -> Bool { queuedBytes <= budget / 2 }

  /// Ends the pause, and returns the connections that wait.
  mutating func finish() -> [LiveConnection] {
    isOn = false
    defer { waiting = [] }
    return waiting
  }
}
