import Wire

/// The rights of one connection, in the form in which they are checked.
///
/// A connection without restrictions costs one check of a stored Boolean per frame. For others, the hub compares paths
/// step by step when they attach, and actions by their first bytes, without decoding or allocating.
struct AccessRights {
  /// The rights on the feature's state and actions.
  private let granted: ClientRights
  /// What the client is told: nothing if it may do everything, or if its rights are too long to be told.
  let told: ClientRights?
  /// True if the whole state may be attached.
  let readsEverything: Bool
  /// True if all actions may be sent.
  let actsOnEverything: Bool
  /// True if the hub's own state may be attached even without reading the whole state.
  let isAdmin: Bool

  /// Resolves a grant for a feature. Paths that the feature does not have grant nothing.
  init(_ grant: AccessGrant, schema: Schema) {
    readsEverything = grant.read.contains([])
    // A change of a shared model's field is an action.
    let acts = grant.act + (grant.write.contains([]) ? schema.sharedModels : grant.write)
    actsOnEverything = acts.contains([])
    granted = ClientRights(
      readablePaths: readsEverything ? nil : grant.read,
      actionPrefixes: actsOnEverything ? nil : acts.compactMap { schema.actionPrefix(of: $0) },
      readableViews: readsEverything ? [] : grant.views)
    told = granted.areUnrestricted || !granted.areWithinLimits ? nil : granted
    isAdmin = grant.isAdmin
  }

  /// Returns true if a part of a state may be attached. A granted path includes everything below it, but nothing above
  /// or beside it.
  func permitsAttaching(_ path: [PathStep], of root: StateRoot) -> Bool {
    switch root {
    case .feature: granted.permitAttaching(path)
    case .views: granted.permitAttachingView(path)
    // The hub's own state names every client, including those of parts that this connection may not read.
    default: isAdmin || readsEverything
    }
  }

  /// Returns the number of leading actions of a sequence, from an offset, that may be sent.
  ///
  /// The count stops at bytes that are not CBOR; the caller finds their offset when it skips the counted actions.
  func permittedCount(in sequence: RawSpan, from offset: Int, limit: Int) -> Int {
    var decoder = CBORDecoder(sequence, at: offset)
    var count = 0
    while count < limit, !decoder.isAtEnd, granted.permitSending(sequence, at: decoder.offset) {
      do throws(WireError) { try decoder.skipAction() } catch { return count }
      count += 1
    }
    return count
  }
}
