import Wire

/// The part of a connection that outlives it: how far a client's numbered actions have come.
struct Session {
  let id: SessionID
  /// Every action up to this sequence number took effect or was rejected.
  var processed: UInt64 = 0
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
