import Wire

/// One connection's subscription to one place in a state.
struct Subscriber {
  enum Standing: Equatable {
    /// It has the published version.
    case current
    /// It has this older version of the place; the version is held for it.
    case behind(UInt64)
    /// It has no state from which a delta could start.
    case snapshotDue(SnapshotReason)
    /// It is being sent a snapshot, of which this piece is next; the snapshot's version is held for it.
    case reading(snapshot: Int, piece: Int, SnapshotReason)
  }

  let connection: LiveConnection
  /// The client's number for the scope.
  let number: UInt16
  /// The place.
  let node: Int
  var standing: Standing
  /// The revision of the last frame of state that was sent to it.
  var sentRevision: UInt64
  /// True if the place had a value at that revision.
  var hasValue: Bool
  /// True if a hash of its state is to be sent.
  var isHashDue = false
}
