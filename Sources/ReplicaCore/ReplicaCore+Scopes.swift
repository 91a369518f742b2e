public import Wire

extension ReplicaCore {
  /// Begins to follow a part of the hub's state; the mirror has it as soon as there is a hub.
  public mutating func follow<Part>(_ path: StatePath<State, Part>) -> Mirror<Part> {
    follow(.feature, path.steps)
  }

  /// Begins to follow a part of what the hub tells of itself.
  public mutating func followHub<Part>(_ path: StatePath<HubState, Part>) -> Mirror<Part> {
    follow(.hub, path.steps)
  }

  private mutating func follow<Part>(_ root: StateRoot, _ path: [PathStep]) -> Mirror<Part> {
    lastMirror += 1
    let mirror = Mirror<Part>(id: MirrorID(number: lastMirror), root: root, path: path)
    mirrors.append(mirror)
    if link == .open { attach(mirror, known: nil) }
    return mirror
  }

  /// Ends following a part; the mirror keeps what it has.
  public mutating func unfollow(_ mirror: AnyMirror) {
    guard let index = mirrors.firstIndex(where: { $0 === mirror }) else { return }
    mirrors.remove(at: index)
    detach(mirror)
    if link == .open { becomeLiveIfWhole() }
  }

  /// The mirror of this name, if it is followed.
  public func mirror(_ id: MirrorID) -> AnyMirror? { mirrors.first { $0.id == id } }

  // MARK: Attaching

  mutating func beginConnection() {
    (attached, retired, nextScope, translation) = ([:], [], 0, nil)
    for mirror in mirrors { mirror.beginConnection() }
  }

  mutating func attachAll(isResumed: Bool) {
    for mirror in mirrors {
      let known = isResumed && mirror.isInStep ? mirror.revision : nil
      mirror.isAwaited = known == nil
      attach(mirror, known: known)
    }
  }

  private mutating func attach(_ mirror: AnyMirror, known: UInt64?) {
    var path = mirror.path
    if let translation, mirror.root == .feature {
      do throws(SchemaPathError) {
        path = try translation.paths.mapPath(mirror.path)
        mirror.mapping = try translation.state?.part(at: path)
      } catch {
        // A hub that does not have the part has nothing there.
        mirror.remove(at: mirror.revision)
        return commands.append(.changed(mirror.id))
      }
    }
    // Without a number that is free it has to wait for the next connection.
    guard attached.count + retired.count <= Int(UInt16.max) else { return }
    while attached[nextScope] != nil || retired.contains(nextScope) { nextScope &+= 1 }
    attached[nextScope] = mirror
    mirror.scope = nextScope
    let wish = Attach(root: mirror.root, path: path, knownRevision: known)
    commands.append(.write(output.frame(wish, scope: nextScope)))
    nextScope &+= 1
  }

  private mutating func detach(_ mirror: AnyMirror) {
    guard let scope = mirror.scope else { return }
    attached[scope] = nil
    mirror.beginConnection()
    guard link == .open else { return }
    retired.insert(scope)
    commands.append(.write(output.frame(FrameHeader(kind: .detach, scope: scope)) { _ in }))
  }

  // MARK: What comes for a scope

  // Of a scope that was detached, something may still be under way.

  mutating func receiveSnapshot(_ header: FrameHeader, _ payload: RawSpan, at now: Duration) throws(WireError) {
    let piece = try SnapshotPiece(CBORDecoder(payload))
    guard let mirror = attached[header.scope] else { return }
    if piece.offset == 0 { mirror.pieces = [] }
    guard piece.offset == UInt64(mirror.pieces.count) else {
      return giveUp("a piece of a snapshot is missing", at: now)
    }
    piece.bytes.withUnsafeBytes { mirror.pieces.append(contentsOf: $0) }
    guard mirror.pieces.count <= options.stateBytes else {
      return giveUp("the hub's state exceeds \(options.stateBytes) bytes", at: now)
    }
    guard header.flags & SnapshotPiece.finalFlag != 0 else { return }
    if try mirror.replace(at: header.revision) { commands.append(.changed(mirror.id)) }
    becomeLiveIfWhole()
  }

  mutating func receiveDelta(_ header: FrameHeader, _ payload: RawSpan, at now: Duration) throws(WireError) {
    guard let mirror = attached[header.scope] else { return }
    var decoder = CBORDecoder(payload)
    try decoder.tuple(2)
    let base = try decoder.unsigned()
    guard mirror.isInStep, base == mirror.revision, header.revision > base else {
      // Never applied to a state it was not made for: a snapshot will put things right.
      mirror.isInStep = false
      return giveUp("the hub sent a delta from revision \(base) to a client at \(mirror.revision)", at: now)
    }
    mirror.isInStep = false
    if let mapping = mirror.mapping {
      var encoder = CBOREncoder()
      try mapping.mapChange(&decoder, to: &encoder)
      try decoder.finish()
      let bytes = encoder.bytes
      var mapped = CBORDecoder(bytes.span.bytes)
      try mirror.apply(&mapped, at: header.revision)
    } else {
      try mirror.apply(&decoder, at: header.revision)
    }
    commands.append(.changed(mirror.id))
  }

  /// Takes the revision up to which the hub's part has not changed.
  mutating func receiveBookmark(_ header: FrameHeader, at now: Duration) {
    guard let mirror = attached[header.scope] else { return }
    guard mirror.isInStep, header.revision > mirror.revision else {
      mirror.isInStep = false
      return giveUp("the hub sent a bookmark of \(header.revision) to a client at \(mirror.revision)", at: now)
    }
    mirror.told(header.revision)
  }

  mutating func receiveAbsence(_ header: FrameHeader) {
    guard let mirror = attached[header.scope] else { return }
    mirror.remove(at: header.revision)
    commands.append(.changed(mirror.id))
    becomeLiveIfWhole()
  }

  /// Compares a hash with that of what is here; what is not the hub's is replaced by a snapshot.
  mutating func compareHash(_ header: FrameHeader, _ theirs: StateHash, at now: Duration) {
    // What was mapped or has other fields has another hash.
    guard translation == nil, let mirror = attached[header.scope], mirror.isInStep, let ours = mirror.hash(),
      ours != theirs
    else { return }
    // One or two are a defect that heals; a hub that never agrees, nor says that numbers are free, uses them up.
    guard retired.count < Self.retiredLimit else {
      return giveUp("the hub does not say of \(retired.count) scopes that they are detached", at: now)
    }
    commands.append(.diverged(mirror.id, Divergence(revision: header.revision, here: ours, there: theirs)))
    detach(mirror)
    mirror.isInStep = false
    attach(mirror, known: nil)
  }

  /// Asks the hub for the hash of what a mirror has, to compare.
  public mutating func verify(_ mirror: AnyMirror) {
    guard link == .open, let scope = mirror.scope else { return }
    commands.append(.write(output.frame(FrameHeader(kind: .verify, scope: scope)) { _ in }))
  }
}
