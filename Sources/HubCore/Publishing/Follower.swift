import Wire

/// One connection's following of one place in a state.
struct Follower {
  enum Standing: Equatable {
    /// It has what was published last.
    case current
    /// It has what this version has at the place; the version is held for it.
    case behind(UInt64)
    /// It has nothing that a delta could start from.
    case snapshotDue(SnapshotReason)
    /// It is sent a snapshot, and this piece of it is next; the snapshot's version is held for it.
    case reading(snapshot: Int, piece: Int, SnapshotReason)
  }

  /// The connection's slot.
  let slot: Int
  /// What the client calls the scope.
  let number: UInt16
  /// The place.
  let node: Int
  var standing: Standing
  /// The revision of the last frame of state that it was sent.
  var told: UInt64
  /// Whether there was something at the place then.
  var holds: Bool
  /// Whether it is to be told the hash of what it has.
  var owesHash = false
}

/// What the client of an absent session has of one scope.
struct HeldScope {
  let root: StateRoot
  let path: [PathStep]
  /// The revision of the last frame of state that it was sent.
  let told: UInt64
  /// A version that has the same at the place, and is held for it.
  let version: UInt64
  /// Whether there was something at the place.
  let holds: Bool
}
