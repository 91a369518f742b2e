import Wire

/// The part of a connection that outlives it: how far a client's numbered actions have come.
struct Session {
  let id: SessionID
  /// The user that opened it, and that alone may resume it.
  let user: UInt32
  /// The name by which its client introduced itself.
  var name: String
  /// Every action up to this sequence number took effect or was rejected.
  var processed: UInt64 = 0
  /// How far outcomes may be sent, when the log must store them first.
  var settled: UInt64 = 0
  /// Whether it is from before the hub's start, so that its client may have revisions that were lost.
  var isRecovered = false
  /// Rejections that the client has not acknowledged, oldest first.
  var rejections: [Rejected] = []
  /// The scopes of the last connection, until the client attaches them again.
  var retained: [RetainedScope] = []
}

/// The state that the client of a session has of one scope.
struct RetainedScope {
  /// The index of the publisher of its root.
  let publisher: Int
  let path: [PathStep]
  /// The revision of the last frame of state that it was sent.
  let sentRevision: UInt64
  /// A version with the same value at the place, held for it.
  let version: UInt64
  /// Whether there was something at the place.
  let hasValue: Bool
}

extension [Rejected] {
  /// How many rejections, from the oldest on, are of actions up to a sequence number.
  func prefixCount(upTo sequence: UInt64) -> Int {
    guard let last, last.sequence > sequence else { return count }
    return prefix { $0.sequence <= sequence }.count
  }
}
