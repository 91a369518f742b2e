import Wire

/// Reads the hub's output on one connection, and checks the sequence of frames according to PROTOCOL.md.
struct WireTap {
  private struct Scope {
    let root: StateRoot
    /// The client's revision after the output so far; nil if only a snapshot can follow.
    var revision: UInt64?
    /// The snapshot in progress: its revision and the bytes so far.
    var snapshot: (revision: UInt64, byteCount: UInt64)?
  }

  private var decoder = FrameDecoder(payloadLimit: 1 << 30)
  private var upDecoder = FrameDecoder(payloadLimit: 1 << 30)
  private var scopes: [UInt16: Scope] = [:]
  private(set) var session: SessionID?
  private(set) var isResumed = false
  private var lastApplied: UInt64 = 0
  /// The revisions at which actions were acknowledged.
  private(set) var appliedRevisions: [UInt64] = []
  private(set) var frameCount = 0
  private(set) var releaseCount = 0

  /// Processes bytes from the client.
  mutating func clientWrote(_ bytes: [UInt8]) throws {
    var attached: [(UInt16, Attach)] = []
    try upDecoder.feed(bytes.span.bytes) { header, payload throws(WireError) in
      if FrameKind(rawValue: header.kind) == .attach { attached.append((header.scope, try Attach(decoding: payload))) }
    }
    for (number, attach) in attached { scopes[number] = Scope(root: attach.root, revision: attach.knownRevision) }
  }

  /// Processes bytes from the hub.
  ///
  /// - Parameters:
  ///   - revision: The last revision that may be sent.
  ///   - processed: The sequence number up to which actions of a session may be acknowledged; nil for no limit.
  mutating func hubWrote(
    _ bytes: [UInt8], revision limit: UInt64?, processed: (SessionID) -> UInt64?
  ) throws {
    var frames: [(FrameHeader, [UInt8])] = []
    try decoder.feed(bytes.span.bytes) { header, payload in
      frames.append((header, payload.withUnsafeBytes { [UInt8]($0) }))
    }
    for (header, payload) in frames { try check(header, payload, limit, processed) }
  }

  private mutating func check(
    _ header: FrameHeader, _ payload: [UInt8], _ limit: UInt64?, _ processed: (SessionID) -> UInt64?
  ) throws {
    frameCount += 1
    guard let kind = FrameKind(rawValue: header.kind) else {
      throw Violation(.protocolBroken, "the hub wrote a frame of kind \(header.kind)")
    }
    let scope = scopes[header.scope]
    let isOfScope = [.snapshot, .delta, .bookmark, .absent, .hash].contains(kind)
    if let limit, header.revision > limit, !isOfScope || scope?.root != .hub {
      throw Violation(.seenBeforeStored, "\(kind) of revision \(header.revision) leaves, and \(limit) is stored")
    }
    if session == nil, ![.welcome, .error, .goodbye].contains(kind) {
      throw Violation(.framesOutOfOrder, "\(kind) comes before the welcome")
    }
    switch kind {
    case .welcome:
      guard session == nil else { throw Violation(.framesOutOfOrder, "a second welcome") }
      let welcome = try Welcome(decoding: payload.span.bytes)
      (session, isResumed) = (welcome.session, welcome.isResumed)
      try checkOutcome(welcome.processed, limit, processed, "a welcome with processed")
    case .applied:
      let sequence = try UInt64(decoding: payload.span.bytes)
      guard sequence > lastApplied else {
        throw Violation(.framesOutOfOrder, "applied \(sequence) after applied \(lastApplied)")
      }
      lastApplied = sequence
      appliedRevisions.append(header.revision)
      try checkOutcome(sequence, limit, processed, "applied")
    case .rejected:
      try checkOutcome(try Rejected(decoding: payload.span.bytes).sequence, limit, processed, "rejected")
    case .snapshot:
      try check(try Piece(payload), header)
    case .delta:
      var decoder = CBORDecoder(payload.span.bytes)
      try decoder.tuple(2)
      let base = try decoder.unsigned()
      guard let scope, scope.revision == base, header.revision > base, scope.snapshot == nil else {
        throw Violation(
          .framesOutOfOrder,
          "a delta \(base)–\(header.revision) for scope \(header.scope), which is at \(text(scope?.revision))")
      }
      scopes[header.scope]?.revision = header.revision
    case .bookmark:
      guard let scope, let own = scope.revision, header.revision > own else {
        throw Violation(.framesOutOfOrder, "a bookmark of \(header.revision), at \(text(scope?.revision))")
      }
      scopes[header.scope]?.revision = header.revision
    case .absent:
      guard scope != nil else { throw Violation(.framesOutOfOrder, "absent in scope \(header.scope)") }
      scopes[header.scope]?.revision = header.revision
      scopes[header.scope]?.snapshot = nil
    case .hash:
      guard let scope, let own = scope.revision, header.revision >= own else {
        throw Violation(.framesOutOfOrder, "a hash of \(header.revision), at \(text(scope?.revision))")
      }
    case .detached: scopes[header.scope] = nil
    case .released: releaseCount += 1
    case .error, .goodbye, .pong, .schema, .standing: break
    case .hello, .attach, .actions, .ping, .leave, .detach, .verify, .describe, .cancel, .represent, .transfer:
      throw Violation(.protocolBroken, "the hub wrote a client's frame, \(kind)")
    }
  }

  private mutating func check(_ piece: Piece, _ header: FrameHeader) throws {
    guard let scope = scopes[header.scope] else {
      throw Violation(.framesOutOfOrder, "a snapshot in scope \(header.scope), which is not attached")
    }
    if piece.offset > 0 {
      guard let snapshot = scope.snapshot, snapshot == (header.revision, piece.offset) else {
        throw Violation(.framesOutOfOrder, "a piece at \(piece.offset) that does not follow the one before")
      }
    }
    let isLast = header.flags & SnapshotPiece.finalFlag != 0
    scopes[header.scope]?.snapshot = isLast ? nil : (header.revision, piece.offset + UInt64(piece.byteCount))
    if isLast { scopes[header.scope]?.revision = header.revision }
  }

  /// Checks that in sync mode outcomes are sent only when they are stored.
  private func checkOutcome(
    _ sequence: UInt64, _ limit: UInt64?, _ processed: (SessionID) -> UInt64?, _ what: String
  ) throws {
    guard limit != nil, let session else { return }
    guard let stored = processed(session) else {
      throw Violation(.seenBeforeStored, "\(what) \(sequence) leaves, and its session is not stored")
    }
    if sequence > stored {
      throw Violation(.seenBeforeStored, "\(what) \(sequence) leaves, and \(stored) is stored")
    }
  }

  private func text(_ revision: UInt64?) -> String { revision.map { "\($0)" } ?? "none" }

  private struct Piece {
    let offset: UInt64
    let byteCount: Int

    init(_ payload: [UInt8]) throws {
      let piece = try SnapshotPiece(CBORDecoder(payload.span.bytes))
      (offset, byteCount) = (piece.offset, piece.bytes.byteCount)
    }
  }
}
