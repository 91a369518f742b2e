import Wire

/// The part of a connection that outlives it: the progress of a client's numbered actions.
struct Session {
  let id: SessionID
  /// The user that opened it. Only this user may resume it.
  let user: UInt32
  /// The client's name from its *hello*.
  var name: String
  /// Every action up to this sequence number took effect or was rejected.
  var processed: UInt64 = 0
  /// The highest sequence number whose outcome may be sent, if the log must store outcomes first.
  var settled: UInt64 = 0
  /// The sequence number of the last action whose effects the hub does not hold for the client any more; 0 if there is
  /// none.
  var released: UInt64 = 0
  /// True if it was restored at the hub's start, so its client may know revisions that were lost.
  var isRecovered = false
  var rejections = PendingRejections()
  /// The scopes of the last connection, until the client attaches them again.
  var retained: [RetainedScope] = []
}

/// A client's state of one scope, retained while the session is detached.
struct RetainedScope {
  /// The index of the publisher of its root.
  let publisher: Int
  let path: [PathStep]
  /// The revision of the last state frame sent for the scope.
  let sentRevision: UInt64
  /// A version with the same value at the place, held for the client.
  let version: UInt64
  /// True if the place had a value.
  let hasValue: Bool
}

extension Session {
  /// The number of sessions for which a detached one counts, so that the rejections of all are limited too.
  var weight: Int { 1 + rejections.byteCount / 4096 }
}
