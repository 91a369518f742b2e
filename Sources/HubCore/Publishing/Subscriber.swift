import Wire

/// One connection's subscription to one place in a state.
struct Subscriber {
  enum Standing: Equatable {
    /// It has the published version.
    case current
    /// It has this older version of the place; the version is held for it.
    case behind(UInt64)
    /// It has nothing that a delta could start from.
    case snapshotDue(SnapshotReason)
    /// It is being sent a snapshot, and this piece of it is next; the snapshot's version is held for it.
    case reading(snapshot: Int, piece: Int, SnapshotReason)
  }

  let connection: LiveConnection
  /// The client's number for the scope.
  let number: UInt16
  /// The place.
  let node: Int
  var standing: Standing
  /// The revision of the last frame of state that it was sent.
  var sentRevision: UInt64
  /// Whether there was something at the place then.
  var hasValue: Bool
  /// Whether a hash of what it has is to be sent.
  var isHashDue = false
}
