import Wire

/// What one connection may do, in the form in which it is checked.
///
/// A connection without restrictions is asked one stored Bool for each frame. For others, paths are compared step by step
/// when they attach, and actions by their first bytes: nothing is decoded or allocated.
struct AccessRights {
  /// The paths of what may be attached.
  private let readablePaths: [[PathStep]]
  /// The first bytes of the actions that may be sent.
  private let actionPrefixes: [[UInt8]]
  /// Whether the whole state may be attached.
  let readsEverything: Bool
  /// Whether all actions may be sent.
  let actsOnEverything: Bool
  /// Whether the hub's own state may be attached.
  let isAdmin: Bool

  /// Resolves a grant for a feature. A path that the feature does not have grants nothing.
  init(_ grant: AccessGrant, schema: Schema) {
    readsEverything = grant.read.contains([])
    readablePaths = readsEverything ? [] : grant.read
    actsOnEverything = grant.act.contains([])
    actionPrefixes = actsOnEverything ? [] : grant.act.compactMap { schema.actionPrefix(of: $0) }
    isAdmin = grant.isAdmin
  }

  /// Whether a part of a state may be attached: the paths that are granted include what is below them and nothing
  /// above or beside them.
  func permitsAttaching(_ path: [PathStep], of root: StateRoot) -> Bool {
    switch root {
    case .feature: readsEverything || readablePaths.contains { path.starts(with: $0) }
    // It names every client, also those of parts that this one may not see.
    default: isAdmin || readsEverything
    }
  }

  /// How many of the actions of a sequence, from an offset on, may be sent one after another.
  ///
  /// It stops at bytes that are no CBOR, whose offset the caller finds when it skips them.
  func permittedCount(in sequence: RawSpan, from offset: Int, limit: Int) -> Int {
    var decoder = CBORDecoder(sequence, at: offset)
    var count = 0
    while count < limit, !decoder.isAtEnd, permits(sequence, at: decoder.offset) {
      do throws(WireError) { try decoder.skip() } catch { return count }
      count += 1
    }
    return count
  }

  /// Whether the action that begins at an offset may be sent.
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
