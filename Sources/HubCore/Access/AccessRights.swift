import Wire

/// The rights of one connection, in the form in which they are checked.
///
/// A connection without restrictions costs one check of a stored Boolean per frame. For others, the hub compares paths
/// step by step when they attach, and actions by their first bytes, without decoding or allocating.
struct AccessRights {
  /// The paths of the parts that may be attached.
  private let readablePaths: [[PathStep]]
  /// The first bytes of the actions that may be sent.
  private let actionPrefixes: [[UInt8]]
  /// True if the whole state may be attached.
  let readsEverything: Bool
  /// True if all actions may be sent.
  let actsOnEverything: Bool
  /// True if the hub's own state may be attached even without reading the whole state.
  let isAdmin: Bool

  /// Resolves a grant for a feature. Paths that the feature does not have grant nothing.
  init(_ grant: AccessGrant, schema: Schema) {
    readsEverything = grant.read.contains([])
    readablePaths = readsEverything ? [] : grant.read
    // A change of a shared model's field is an action.
    let acts = grant.act + (grant.write.contains([]) ? schema.sharedModels : grant.write)
    actsOnEverything = acts.contains([])
    actionPrefixes = actsOnEverything ? [] : acts.compactMap { schema.actionPrefix(of: $0) }
    isAdmin = grant.isAdmin
  }

  /// Returns true if a part of a state may be attached. A granted path includes everything below it, but nothing above
  /// or beside it.
  func permitsAttaching(_ path: [PathStep], of root: StateRoot) -> Bool {
    switch root {
    case .feature: readsEverything || readablePaths.contains { path.starts(with: $0) }
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
    while count < limit, !decoder.isAtEnd, permits(sequence, at: decoder.offset) {
      do throws(WireError) { try decoder.skipAction() } catch { return count }
      count += 1
    }
    return count
  }

  /// Returns true if the action at an offset may be sent.
  private func permits(_ bytes: RawSpan, at offset: Int) -> Bool {
    for prefix in actionPrefixes where begins(bytes, at: offset, with: prefix.span.bytes) { return true }
    return false
  }

  private func begins(_ bytes: RawSpan, at offset: Int, with prefix: RawSpan) -> Bool {
    guard bytes.byteCount - offset >= prefix.byteCount else { return false }
    for index in 0..<prefix.byteCount
    where bytes.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)
      != prefix.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    {
      return false
    }
    return true
  }
}
