import Wire

/// One state, published to connections that follow places in it.
///
/// Once a turn the state is published: what changed is encoded once, as the delta of the whole, and each followed place
/// is given its slice of these bytes. Who could not be written to, was away, or comes late is brought from the version
/// that it has to the published one by the same means, or by a snapshot where there is no such version.
struct Publisher<State: Replicated> {
  let root: StateRoot
  private let limits: HubLimits
  private(set) var scopes = ScopeTree()
  private var followers: [Follower?] = []
  private var freeFollowers: [Int] = []
  /// How many follow.
  private(set) var followerCount = 0
  /// The newest version's revision; nil while nobody follows.
  private(set) var publishedRevision: UInt64?
  /// Slots of connections that the last `publish` left behind.
  private(set) var due: [Int] = []
  /// This turn's deltas to the published state, by the version that they start from, and what they mean for each node.
  private var deltas: [(base: UInt64, range: Range<Int>, slices: Range<Int>)] = []
  private var slices: [DeltaSlice] = []
  /// For each node, when its followers were last told a revision, and when a hash.
  private var told: [(revision: UInt64, hash: UInt64)] = []
  private var snapshots: [Snapshot?] = []
  /// This turn's pieces of snapshots in the output.
  private var written: [(snapshot: Int, piece: Int, offset: UInt64, range: Range<Int>, isLast: Bool)] = []
  /// This turn's hashes of what is published.
  private var hashes: [(node: Int, revision: UInt64, hash: StateHash)] = []
  private var versions: Versions<State>

  init(root: StateRoot, limits: HubLimits) {
    (self.root, self.limits) = (root, limits)
    versions = Versions(countLimit: limits.versions, byteLimit: limits.versionBytes)
  }

  /// How many versions are kept.
  var versionCount: Int { versions.count }

  /// Forgets what stands in the output, which was carried out.
  mutating func clear() {
    deltas.removeAll(keepingCapacity: true)
    slices.removeAll(keepingCapacity: true)
    written.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
  }
}

// MARK: - Following

extension Publisher {
  /// Begins to follow a place; `known` is the revision of what the client has of it, and `held` what the hub remembers of
  /// that.
  mutating func follow(
    _ path: [PathStep], as number: UInt16, slot: Int, known: UInt64?, held: HeldScope?, isResumed: Bool,
    current: (revision: UInt64, state: State)
  ) -> Int {
    if publishedRevision == nil {
      // Nobody followed: what is published begins here.
      begin(with: current)
    }
    let node = scopes.node(at: path)
    var follower = Follower(
      slot: slot, number: number, node: node, standing: .snapshotDue(.attached), told: 0, holds: false)
    if let known {
      follower.told = known
      if let held, held.told == known, versions.hold(held.version) {
        (follower.standing, follower.holds) = (.behind(held.version), held.holds)
      } else if isResumed, let state = versions.state(at: known) {
        versions.hold(known)
        (follower.standing, follower.holds) = (.behind(known), state.part(at: path[...]) != nil)
      } else {
        follower.standing = .snapshotDue(.versionNotKept)
      }
    }
    let id = freeFollowers.popLast() ?? followers.count
    if id == followers.count { followers.append(nil) }
    followers[id] = follower
    scopes.addFollower(id, to: node)
    followerCount += 1
    return id
  }

  private mutating func begin(with current: (revision: UInt64, state: State)) {
    publishedRevision = current.revision
    guard !versions.contains(current.revision) else { return }
    var scratch = CBOREncoder()
    // What an absent session holds needs memory beside the current state.
    if let newest = versions.newest { current.state.encodeDelta(from: newest, to: &scratch) }
    versions.append(current.state, at: current.revision, byteCount: Self.cost(scratch.unsharedByteCount, scratch.count))
  }

  /// An estimate of the memory that a version does not share with the next one.
  private static func cost(_ unsharedByteCount: Int, _ deltaByteCount: Int) -> Int {
    unsharedByteCount + 2 * deltaByteCount + MemoryLayout<State>.stride
  }

  /// Ends following. With `remembering`, returns what the client has, whose version stays held.
  mutating func unfollow(_ id: Int, remembering: Bool) -> HeldScope? {
    guard let follower = followers[id] else { return nil }
    var version: UInt64?
    switch follower.standing {
    case .current:
      if let publishedRevision, remembering, versions.hold(publishedRevision) { version = publishedRevision }
    case .behind(let held):
      if remembering { version = held } else { versions.release(held) }
    case .reading(let snapshot, _, _):
      stopReading(snapshot)
    case .snapshotDue:
      break
    }
    let path = version == nil ? [] : scopes.path(of: follower.node)
    followers[id] = nil
    freeFollowers.append(id)
    scopes.removeFollower(id, from: follower.node)
    followerCount -= 1
    return version.map {
      HeldScope(root: root, path: path, told: follower.told, version: $0, holds: follower.holds)
    }
  }

  /// Lets go of what was held for a client that does not come back.
  mutating func forget(_ held: HeldScope) {
    versions.release(held.version)
  }

  /// Notes that a follower wants the hash of what it has.
  mutating func verify(_ id: Int) {
    followers[id]?.owesHash = true
  }

  /// Whether a follower has not yet got all that it is owed.
  func isUnfinished(_ id: Int) -> Bool {
    followers[id].map { $0.standing != .current } ?? false
  }
}

// MARK: - Publishing

extension Publisher {
  /// Makes a state the published one; those to whom it means something are `due` until the next call.
  /// - Complexity: O(what changed + bytes of its delta + places followed + followers of places that changed).
  mutating func publish(_ state: State, at revision: UInt64, _ out: inout Outgoing) {
    due.removeAll(keepingCapacity: true)
    guard let old = publishedRevision, old != revision else { return }
    guard followerCount > 0, let base = versions.state(at: old) else {
      publishedRevision = nil
      return versions.removeUnheld()
    }
    let unshared = out.writer.unsharedByteCount
    let range = out.writer.part { state.encodeDelta(from: base, to: &$0) }
    let cost = Self.cost(out.writer.unsharedByteCount - unshared, range.count)
    // What was this turn's way to the version before leads nowhere now.
    deltas.removeAll(keepingCapacity: true)
    slices.removeAll(keepingCapacity: true)
    versions.append(state, at: revision, byteCount: cost)
    publishedRevision = revision
    addDelta(from: old, range, out)
    while told.count < scopes.nodes.count { told.append((old, old)) }
    for node in scopes.nodes.indices where !scopes.nodes[node].followers.isEmpty {
      noteDue(node, slices[node], from: old, to: revision)
    }
  }

  private mutating func noteDue(_ node: Int, _ slice: DeltaSlice, from old: UInt64, to revision: UInt64) {
    var owesHash = false
    if slice == .unchanged {
      guard revision - told[node].revision >= limits.bookmarkInterval else { return }
    } else if revision - told[node].hash >= limits.hashInterval {
      owesHash = true
      told[node].hash = revision
    }
    told[node].revision = revision
    for id in scopes.nodes[node].followers {
      guard let follower = followers[id], follower.standing == .current, slice != .joined || !follower.holds
      else { continue }
      versions.hold(old)
      followers[id]?.standing = .behind(old)
      if owesHash { followers[id]?.owesHash = true }
      due.append(follower.slot)
    }
  }

  private mutating func addDelta(from base: UInt64, _ range: Range<Int>, _ out: Outgoing) {
    let first = slices.count
    scopes.slice(out.writer.span(range), at: range.lowerBound, into: &slices)
    deltas.append((base, range, first..<slices.count))
  }

  /// What the way from a version to the published one means for a node; nil if the version is not kept.
  private mutating func slice(from version: UInt64, for node: Int, _ out: inout Outgoing) -> DeltaSlice? {
    if let delta = deltas.first(where: { $0.base == version && node < $0.slices.count }) {
      return slices[delta.slices.lowerBound + node]
    }
    guard let publishedRevision, let base = versions.state(at: version),
      let state = versions.state(at: publishedRevision)
    else { return nil }
    let range = out.writer.part { state.encodeDelta(from: base, to: &$0) }
    addDelta(from: version, range, out)
    return slices[slices.count - scopes.nodes.count + node]
  }
}

// MARK: - Writing

extension Publisher {
  /// Writes what brings a follower to the published state, as far as this turn's budget of snapshots goes.
  mutating func bringUpToDate(_ id: Int, _ out: inout Outgoing) {
    while let follower = followers[id], let publishedRevision {
      switch follower.standing {
      case .current:
        if follower.owesHash { writeHash(id, follower, at: publishedRevision, &out) }
        return
      case .behind(let version):
        writeChange(id, follower, from: version, to: publishedRevision, &out)
      case .snapshotDue(let reason):
        guard out.snapshotBudget > 0 else { return }
        if let snapshot = snapshot(of: follower.node, at: publishedRevision) {
          followers[id]?.standing = .reading(snapshot: snapshot, piece: 0, reason)
        } else {
          writeAbsence(id, follower, at: publishedRevision, &out)
        }
      case .reading(let snapshot, let piece, let reason):
        guard out.snapshotBudget > 0 else { return }
        writePiece(id, follower, snapshot, piece, reason, &out)
      }
    }
  }

  private mutating func writeChange(
    _ id: Int, _ follower: Follower, from version: UInt64, to revision: UInt64, _ out: inout Outgoing
  ) {
    defer { versions.release(version) }
    followers[id]?.standing = .current
    guard version != revision else { return }
    guard let slice = slice(from: version, for: follower.node, &out) else {
      followers[id]?.standing = .snapshotDue(.versionNotKept)
      return
    }
    switch slice {
    case .changed(let range) where follower.holds && range.count <= limits.deltaBytes:
      writeDelta(id, follower, range, at: revision, &out)
    case .changed where follower.holds:
      followers[id]?.standing = .snapshotDue(.deltaTooLarge)
    case .joined where follower.holds, .unchanged:
      if revision - follower.told >= limits.bookmarkInterval { writeDelta(id, follower, nil, at: revision, &out) }
    case .changed, .replaced, .joined:
      let isThere = versions.state(at: revision)?.part(at: scopes.path(of: follower.node)[...]) != nil
      if isThere {
        followers[id]?.standing = .snapshotDue(follower.holds ? .replaced : .returned)
      } else if follower.holds {
        writeAbsence(id, follower, at: revision, &out)
      }
    }
  }

  /// Writes the frame of a delta: a head of its own before shared bytes, or before the change that changes nothing.
  private mutating func writeDelta(
    _ id: Int, _ follower: Follower, _ slice: Range<Int>?, at revision: UInt64, _ out: inout Outgoing
  ) {
    let header = FrameHeader(kind: .delta, scope: follower.number, revision: revision)
    let head = out.writer.head(header, restCount: slice?.count ?? 0) {
      $0.arrayHeader(count: 2)
      $0.unsigned(follower.told)
      if slice == nil { $0.mapHeader(count: 0) }
    }
    out.add(head)
    if let slice { out.add(slice) }
    followers[id]?.told = revision
  }

  private mutating func writeAbsence(
    _ id: Int, _ follower: Follower, at revision: UInt64, _ out: inout Outgoing
  ) {
    let header = FrameHeader(kind: .absent, scope: follower.number, revision: revision)
    out.add(out.writer.frame(header) { _ in })
    followers[id]?.standing = .current
    followers[id]?.told = revision
    followers[id]?.holds = false
  }

  /// Writes the hash of what a follower has, which is what was published, for the client to compare.
  private mutating func writeHash(
    _ id: Int, _ follower: Follower, at revision: UInt64, _ out: inout Outgoing
  ) {
    followers[id]?.owesHash = false
    guard follower.holds, let hash = hash(of: follower.node, at: revision) else { return }
    out.add(
      out.writer.frame(FrameHeader(kind: .hash, scope: follower.number, revision: revision)) {
        hash.encode(to: &$0)
      })
  }

  private mutating func hash(of node: Int, at revision: UInt64) -> StateHash? {
    if let known = hashes.first(where: { $0.node == node && $0.revision == revision }) { return known.hash }
    guard let part = versions.state(at: revision)?.part(at: scopes.path(of: node)[...]) else { return nil }
    let hash = part.stateHash()
    hashes.append((node, revision, hash))
    return hash
  }
}

// MARK: - Snapshots

extension Publisher {
  /// A snapshot that one more can read from its beginning; nil if there is nothing at the place.
  private mutating func snapshot(of node: Int, at revision: UInt64) -> Int? {
    for index in snapshots.indices {
      guard let running = snapshots[index], running.node == node, running.isWhole, versions.hold(running.revision)
      else { continue }
      snapshots[index]?.readers += 1
      return index
    }
    guard let part = versions.state(at: revision)?.part(at: scopes.path(of: node)[...]) else { return nil }
    let index = snapshots.firstIndex { $0 == nil } ?? snapshots.count
    if index == snapshots.count { snapshots.append(nil) }
    snapshots[index] = Snapshot(
      of: part, node: node, revision: revision, pieceLimit: limits.snapshotPieces)
    snapshots[index]?.readers = 1
    versions.hold(revision)
    return index
  }

  private mutating func writePiece(
    _ id: Int, _ follower: Follower, _ snapshot: Int, _ index: Int, _ reason: SnapshotReason, _ out: inout Outgoing
  ) {
    guard let revision = snapshots[snapshot]?.revision,
      let piece = piece(index, of: snapshot, &out)
    else {
      // Others were so much faster that what is next was not kept: begin anew.
      stopReading(snapshot)
      followers[id]?.standing = .snapshotDue(reason)
      return
    }
    let flags = piece.isLast ? SnapshotPiece.finalFlag : 0
    let header = FrameHeader(kind: .snapshot, flags: flags, scope: follower.number, revision: revision)
    let head = out.writer.head(header, restCount: piece.range.count) {
      SnapshotPiece.encodeHead(reason, offset: piece.offset, byteCount: piece.range.count, to: &$0)
    }
    out.add(head)
    out.add(piece.range)
    out.snapshotBudget -= piece.range.count
    guard piece.isLast else {
      followers[id]?.standing = .reading(snapshot: snapshot, piece: index + 1, reason)
      return
    }
    followers[id]?.told = revision
    followers[id]?.holds = true
    // The version that was held for reading is the one that it has now.
    followers[id]?.standing = .behind(revision)
    versions.hold(revision)
    stopReading(snapshot)
  }

  private mutating func piece(
    _ index: Int, of snapshot: Int, _ out: inout Outgoing
  ) -> (offset: UInt64, range: Range<Int>, isLast: Bool)? {
    if let known = written.first(where: { $0.snapshot == snapshot && $0.piece == index }) {
      return (known.offset, known.range, known.isLast)
    }
    guard let piece = snapshots[snapshot]?.piece(index) else { return nil }
    let range = out.writer.part { $0.append(piece.bytes.span.bytes) }
    written.append((snapshot, index, piece.offset, range, piece.isLast))
    return (piece.offset, range, piece.isLast)
  }

  private mutating func stopReading(_ index: Int) {
    guard let snapshot = snapshots[index] else { return }
    versions.release(snapshot.revision)
    snapshots[index]?.readers -= 1
    guard snapshot.readers == 1 else { return }
    snapshots[index] = nil
    written.removeAll { $0.snapshot == index }
  }
}
