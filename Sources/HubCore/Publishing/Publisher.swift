import FeatureCore
import Wire

/// One state, published to the connections that subscribe to places in it.
///
/// At the end of a turn the state is published: its changes are encoded once, as a delta of the whole, and each place
/// with subscribers gets its slice of these bytes. A client that lagged, was disconnected or attaches late is brought
/// from its version to the published one in the same way, or by a snapshot if its version is not kept.
struct Publisher {
  /// Its index among the hub's publishers.
  let index: Int
  /// The root of the state, and the path from there to what it publishes: to a view's value, or none.
  let root: StateRoot
  private let prefix: [PathStep]
  private let source: any StateSource
  private let limits: HubLimits
  private(set) var scopes = ScopeTree()
  private(set) var subscribers: [Subscriber?] = []
  private var freeSubscribers: [Int] = []
  private var subscriberCount = 0
  /// The newest version's revision; nil while there are no subscribers.
  private(set) var publishedRevision: UInt64?
  /// The connections that were up to date until the last `publish`.
  private(set) var due: [LiveConnection] = []
  /// This turn's deltas to the published version; those from `deltaCount` on are reusable memory.
  private var deltas: [DeltaSlices] = []
  private var deltaCount = 0
  /// For each node, the oldest of the last revisions sent to its subscribers, and the last one with a hash.
  private var sent: [(revision: UInt64, hash: UInt64)] = []
  /// A lower bound for the revision at which the next bookmark is due.
  private var nextBookmark: UInt64 = 0
  private var snapshots: RunningSnapshots
  /// This turn's hashes of places in the published version, by their nodes.
  private var hashes = TurnHashes<Int>()
  private var versions: Versions
  /// An upper bound of the memory of one whole version.
  var stateByteCount = Int.max

  /// The publisher of a root, or of the value of a view.
  ///
  /// - Parameters:
  ///   - index: Its index among the hub's publishers.
  ///   - source: What it publishes.
  ///   - view: The path of the view; nil for a root, whose number is the index.
  ///   - limits: The limits for versions and snapshots.
  init(_ index: Int, of source: any StateSource, view: [PathStep]? = nil, limits: HubLimits) {
    (self.index, self.source, self.limits) = (index, source, limits)
    (root, prefix) = view.map { (.views, $0) } ?? (StateRoot(rawValue: UInt64(index)), [])
    snapshots = RunningSnapshots(limits)
    versions = Versions(countLimit: limits.versions, byteLimit: limits.versionBytes)
  }

  /// The path from the root to a node.
  func path(of node: Int) -> [PathStep] { prefix + scopes.path(of: node) }

  /// The number of kept versions.
  var versionCount: Int { versions.count }

  /// The number of states that only unfinished snapshots keep.
  var extraStateCount: Int { snapshots.extraStates(versions).count }

  /// True if there are subscribers.
  var hasSubscribers: Bool { mutating get { subscriberCount > 0 } }

  /// True if nobody has or waits for a version.
  var isUnused: Bool { subscriberCount == 0 && !versions.hasHolders }

  /// True if the state has changed since it was published. A state without subscribers is not published.
  ///
  /// Mutating only so that the check, which every turn makes, does not copy the publisher.
  var isOutdated: Bool {
    mutating get {
      guard let publishedRevision else { return false }
      return publishedRevision != source.revision
    }
  }

  /// Discards references to the output, which the shell has sent.
  mutating func clear() {
    deltaCount = 0
    snapshots.clear()
    hashes.removeAll()
  }
}

// MARK: - Subscribing

extension Publisher {
  /// Subscribes a connection to a place.
  ///
  /// - Parameters:
  ///   - request: The place, and the revision that the client has of it.
  ///   - number: The client's number for the scope.
  ///   - connection: The connection.
  ///   - retained: The hub's record of the client's state of the scope.
  /// - Returns: The subscriber's number in this publisher.
  mutating func subscribe(
    _ request: Attach, as number: UInt16, connection: LiveConnection, retained: RetainedScope?
  ) -> Int {
    // Without subscribers nothing was published; publishing begins here.
    if publishedRevision == nil, source.isPrepared { begin() }
    let node = scopes.node(at: request.path)
    // A second turn may end before the output of the first is sent; its deltas were cut without this place.
    deltaCount = 0
    hashes.removeAll()
    let id = freeSubscribers.popLast() ?? subscribers.count
    if id == subscribers.count { subscribers.append(nil) }
    subscribers[id] = Subscriber(
      connection: connection, number: number, node: node, standing: .snapshotDue(.attached), sentRevision: 0,
      hasValue: false)
    scopes.add(id, to: node)
    subscriberCount += 1
    while sent.count < scopes.nodes.count { sent.append((0, 0)) }
    if scopes.nodes[node].subscribers.count == 1, let publishedRevision {
      sent[node] = (publishedRevision, publishedRevision)
      nextBookmark = min(nextBookmark, publishedRevision + limits.bookmarkInterval)
    }
    if let known = request.knownRevision { resume(id, from: known, retained, isSameHistory: connection.knowsHistory) }
    return id
  }

  /// Adds a version from before the hub's start, for reconnecting clients.
  mutating func restore(_ version: StateVersion, at revision: UInt64) {
    // Its memory is unknown; the limit of the count applies.
    versions.append(
      version, at: revision, byteCount: version.inlineByteCount, stateByteCount: stateByteCount)
  }

  /// Looks for the version that a client claims to have.
  private mutating func resume(_ id: Int, from known: UInt64, _ retained: RetainedScope?, isSameHistory: Bool) {
    subscribers[id]?.sentRevision = known
    if let retained, retained.sentRevision == known, versions.hold(retained.version) {
      subscribers[id]?.standing = .behind(retained.version)
      setHasValue(retained.hasValue, id)
    } else if isSameHistory, root != .views, let version = versions[known] {
      versions.hold(known)
      subscribers[id]?.standing = .behind(known)
      setHasValue(subscribers[id].map { version.part(at: scopes.path(of: $0.node)) != nil } ?? false, id)
    } else {
      subscribers[id]?.standing = .snapshotDue(.versionNotKept)
    }
    noteSentRevision(of: id)
  }

  private mutating func setHasValue(_ hasValue: Bool, _ id: Int) {
    guard let subscriber = subscribers[id], subscriber.hasValue != hasValue else { return }
    subscribers[id]?.hasValue = hasValue
    scopes.changeAbsentCount(of: subscriber.node, by: hasValue ? -1 : 1)
  }

  /// Begins to publish a view's value that was not complete when its subscribers came. Returns false if it is not yet;
  /// they then wait.
  mutating func beginIfPrepared() -> Bool {
    guard source.prepare() else { return false }
    guard subscriberCount > 0, publishedRevision == nil else { return true }
    begin()
    guard let publishedRevision else { preconditionFailure("publishing has begun") }
    for node in scopes.nodes.indices where !scopes.nodes[node].subscribers.isEmpty {
      sent[node] = (publishedRevision, publishedRevision)
      for id in scopes.nodes[node].subscribers { noteSentRevision(of: id) }
    }
    return true
  }

  private mutating func begin() {
    let version = source.currentVersion()
    let revision = source.versionRevision
    publishedRevision = revision
    nextBookmark = revision + limits.bookmarkInterval
    guard versions[revision] == nil else { return }
    var scratch = CBOREncoder()
    // A version held for a detached session needs memory in addition to the current state.
    if let newest = versions.newest { version.encodeDelta(from: newest, to: &scratch) }
    versions.append(
      version, at: revision, byteCount: Self.cost(of: version, scratch.unsharedByteCount, scratch.count),
      stateByteCount: stateByteCount)
  }

  /// An estimate of the memory that a version does not share with the next one.
  private static func cost(of version: StateVersion, _ unsharedByteCount: Int, _ deltaByteCount: Int) -> Int {
    unsharedByteCount + 2 * deltaByteCount + version.inlineByteCount
  }

  /// Ends a subscription. With `retaining`, returns the client's state, whose version remains held.
  mutating func unsubscribe(_ id: Int, retaining: Bool) -> RetainedScope? {
    guard let subscriber = subscribers[id] else { return nil }
    var version: UInt64?
    switch subscriber.standing {
    case .current:
      if let publishedRevision, retaining, versions.hold(publishedRevision) { version = publishedRevision }
    case .behind(let held):
      if retaining { version = held } else { versions.release(held) }
    case .reading(let snapshot, _, _):
      snapshots.stopReading(snapshot, &versions)
    case .snapshotDue:
      break
    }
    let path = version == nil ? [] : scopes.path(of: subscriber.node)
    subscribers[id] = nil
    freeSubscribers.append(id)
    scopes.remove(id, from: subscriber.node, hasValue: subscriber.hasValue)
    subscriberCount -= 1
    return version.map {
      RetainedScope(
        publisher: index, path: path, sentRevision: subscriber.sentRevision, version: $0,
        hasValue: subscriber.hasValue)
    }
  }

  /// Removes all versions, also those that are held. Call it only without subscribers.
  mutating func removeVersions() {
    precondition(subscriberCount == 0, "subscribers need versions")
    publishedRevision = nil
    versions.removeAll()
  }

  /// Releases a version that was held for a client.
  mutating func forget(_ retained: RetainedScope) {
    versions.release(retained.version)
  }

  /// A subscriber's state, for the process that takes over its connection.
  func handed(_ scope: LiveConnection.Scope) -> HandedSession.Scope? {
    guard let subscriber = subscribers[scope.subscriber] else { return nil }
    let version: UInt64? =
      switch subscriber.standing {
      // The next process computes a view anew, perhaps in another way.
      case _ where root == .views: nil
      case .current: publishedRevision
      case .behind(let version): version
      case .snapshotDue, .reading: nil
      }
    return HandedSession.Scope(
      number: scope.number, root: root, path: prefix + scopes.path(of: subscriber.node),
      sentRevision: subscriber.sentRevision, version: version, hasValue: subscriber.hasValue,
      isHashDue: subscriber.isHashDue)
  }

  /// Records a subscriber's request for the hash of its state.
  mutating func verify(_ id: Int) {
    subscribers[id]?.isHashDue = true
  }

  /// The place that a subscriber subscribes to, from the root.
  func place(of id: Int) -> (path: [PathStep], root: StateRoot) {
    (prefix + (subscribers[id].map { scopes.path(of: $0.node) } ?? []), root)
  }

  /// Returns true if a subscriber has not been sent everything yet.
  func isUnfinished(_ id: Int) -> Bool {
    subscribers[id].map { $0.standing != .current } ?? false
  }
}

// MARK: - Publishing

extension Publisher {
  /// Publishes the source's state; the affected connections are `due` until the next call.
  ///
  /// - Parameters:
  ///   - out: The output of the turn.
  ///   - known: A change that is encoded already, and need not be encoded again if it is the one to publish.
  /// - Returns: The encoded delta; nil if the state has not changed or has no subscribers.
  /// - Complexity: O(changes + bytes of the delta + places that it touches + their subscribers).
  mutating func publish(
    _ out: inout Outgoing, _ known: EncodedDelta? = nil
  ) -> (base: UInt64, version: StateVersion, revision: UInt64, byteCount: Int)? {
    due.removeAll(keepingCapacity: true)
    let revision = source.revision
    guard let old = publishedRevision, old != revision else { return nil }
    guard subscriberCount > 0, let base = versions[old] else {
      publishedRevision = nil
      versions.removeUnheld()
      return nil
    }
    let version = source.currentVersion()
    // A view that the change of the state has left as it was, or that waits.
    guard version !== base || root != .views else { return nil }
    let range: Range<Int>
    let unshared: Int
    if let known, known.base == old, known.revision == revision {
      range = out.writer.part { $0.append(known.bytes.span.bytes) }
      unshared = known.unsharedByteCount
    } else {
      let earlier = out.writer.unsharedByteCount
      range = out.writer.part { version.encodeDelta(from: base, to: &$0) }
      unshared = out.writer.unsharedByteCount - earlier
    }
    let cost = Self.cost(of: version, unshared, range.count)
    versions.append(version, at: revision, byteCount: cost, stateByteCount: stateByteCount)
    publishedRevision = revision
    snapshots.discardExcess(versions, at: out.now)
    // This turn's deltas to the previous version are now useless.
    deltaCount = 0
    let delta = cut(range, from: old, out)
    for node in deltas[delta].touched where !scopes.nodes[node].subscribers.isEmpty {
      var slice = deltas[delta][node]
      if slice == .viewed { slice = view(node, in: delta, from: base, to: version, &out) }
      if slice != .unchanged { noteChange(of: node, slice, from: old, to: revision) }
    }
    if revision >= nextBookmark { noteBookmarks(from: old, to: revision) }
    return (old, version, revision, range.count)
  }

  private mutating func noteChange(of node: Int, _ slice: DeltaSlice, from old: UInt64, to revision: UInt64) {
    let isHashDue = revision - sent[node].hash >= limits.hashInterval
    if isHashDue { sent[node].hash = revision }
    sent[node].revision = revision
    for id in scopes.nodes[node].subscribers {
      guard let subscriber = subscribers[id] else { continue }
      // The place did not change for these subscribers.
      if slice == .joined || !subscriber.hasValue { noteSentRevision(of: id) }
      if slice != .joined || !subscriber.hasValue { makeDue(id, subscriber, from: old, isHashDue: isHashDue) }
    }
  }

  /// Takes into account that a subscriber may know an earlier revision than the others of its place.
  private mutating func noteSentRevision(of id: Int) {
    guard let subscriber = subscribers[id], subscriber.sentRevision < sent[subscriber.node].revision else { return }
    switch subscriber.standing {
    case .snapshotDue, .reading: return
    case .current, .behind: break
    }
    sent[subscriber.node].revision = subscriber.sentRevision
    nextBookmark = min(nextBookmark, subscriber.sentRevision + limits.bookmarkInterval)
  }

  /// Makes a bookmark due for the subscribers of places that have not changed for long.
  private mutating func noteBookmarks(from old: UInt64, to revision: UInt64) {
    nextBookmark = .max
    for node in scopes.nodes.indices where !scopes.nodes[node].subscribers.isEmpty {
      if revision - sent[node].revision >= limits.bookmarkInterval {
        // Those that have resumed a session know other revisions than the rest.
        var oldest = revision
        for id in scopes.nodes[node].subscribers {
          guard let subscriber = subscribers[id] else { continue }
          if revision - min(subscriber.sentRevision, revision) >= limits.bookmarkInterval {
            makeDue(id, subscriber, from: old, isHashDue: false)
          } else {
            oldest = min(oldest, subscriber.sentRevision)
          }
        }
        sent[node].revision = oldest
      }
      nextBookmark = min(nextBookmark, sent[node].revision + limits.bookmarkInterval)
    }
  }

  private mutating func makeDue(_ id: Int, _ subscriber: Subscriber, from old: UInt64, isHashDue: Bool) {
    guard subscriber.standing == .current else { return }
    versions.hold(old)
    subscribers[id]?.standing = .behind(old)
    if isHashDue, subscriber.hasValue { subscribers[id]?.isHashDue = true }
    due.append(subscriber.connection)
  }

  /// Cuts a delta in the output into slices, and returns its index in `deltas`.
  private mutating func cut(_ range: Range<Int>, from base: UInt64, _ out: borrowing Outgoing) -> Int {
    if deltaCount == deltas.count { deltas.append(DeltaSlices()) }
    deltas[deltaCount].cut(out.writer.span(range), at: range, from: base, for: scopes)
    deltaCount += 1
    return deltaCount - 1
  }

  /// A node's slice of the delta from a version to the published one; nil if the version is not kept.
  private mutating func slice(from version: UInt64, for node: Int, _ out: inout Outgoing) -> DeltaSlice? {
    let known = deltas[..<deltaCount].firstIndex { $0.base == version }
    if let known, deltas[known][node] != .viewed { return deltas[known][node] }
    guard let publishedRevision, let base = versions[version], let state = versions[publishedRevision] else {
      return nil
    }
    let delta =
      known ?? cut(out.writer.part { state.encodeDelta(from: base, to: &$0) }, from: version, out)
    let slice = deltas[delta][node]
    return slice == .viewed ? view(node, in: delta, from: base, to: state, &out) : slice
  }

  /// Encodes the delta of a window whose collection has changed, once for all its subscribers.
  ///
  /// - Complexity: O(log n) if versions of an identified array share the elements of the window; O(elements of the window)
  ///   otherwise.
  private mutating func view(
    _ node: Int, in delta: Int, from base: StateVersion, to version: StateVersion, _ out: inout Outgoing
  ) -> DeltaSlice {
    let path = scopes.path(of: node)
    let slice: DeltaSlice =
      switch (base.part(at: path), version.part(at: path)) {
      case (nil, nil): .unchanged
      case (let old?, let new?): out.writer.change(from: old, to: new).map { .changed($0) } ?? .unchanged
      case (_?, nil), (nil, _?): .replaced
      }
    deltas[delta].resolve(node, as: slice)
    return slice
  }
}

// MARK: - Writing

extension Publisher {
  /// Writes the frames that bring a subscriber to the published version, as far as this turn's snapshot budget allows.
  mutating func bringUpToDate(_ id: Int, _ out: inout Outgoing) {
    while let subscriber = subscribers[id], let publishedRevision {
      switch subscriber.standing {
      case .current:
        if subscriber.isHashDue { writeHash(id, subscriber, at: publishedRevision, &out) }
        return
      case .behind(let version):
        writeChange(id, subscriber, from: version, to: publishedRevision, &out)
      case .snapshotDue(let reason):
        guard out.snapshotBudget > 0 else { return }
        if let snapshot = snapshot(for: subscriber, at: publishedRevision, out.now) {
          subscribers[id]?.standing = .reading(snapshot: snapshot, piece: 0, reason)
        } else {
          writeAbsence(id, subscriber, at: publishedRevision, &out)
        }
      case .reading(let snapshot, let piece, let reason):
        guard out.snapshotBudget > 0 else { return }
        writePiece(id, subscriber, snapshot, piece, reason, &out)
      }
    }
  }

  private mutating func writeChange(
    _ id: Int, _ subscriber: Subscriber, from version: UInt64, to revision: UInt64, _ out: inout Outgoing
  ) {
    defer { versions.release(version) }
    subscribers[id]?.standing = .current
    guard version != revision else { return }
    guard let slice = slice(from: version, for: subscriber.node, &out) else {
      subscribers[id]?.standing = .snapshotDue(.versionNotKept)
      return
    }
    switch slice {
    case .changed(let range) where subscriber.hasValue && range.count <= limits.longestDelta:
      writeDelta(id, subscriber, range, at: revision, &out)
    case .changed where subscriber.hasValue:
      subscribers[id]?.standing = .snapshotDue(.deltaTooLarge)
    case .unchanged where subscriber.hasValue, .joined where subscriber.hasValue:
      writeBookmarkIfDue(id, subscriber, at: revision, &out)
    case .changed, .replaced, .joined, .unchanged, .viewed:
      let isThere = versions[revision]?.part(at: scopes.path(of: subscriber.node)) != nil
      if isThere {
        subscribers[id]?.standing = .snapshotDue(subscriber.hasValue ? .replaced : .returned)
      } else if subscriber.hasValue {
        writeAbsence(id, subscriber, at: revision, &out)
      } else {
        writeBookmarkIfDue(id, subscriber, at: revision, &out)
      }
    }
  }

  /// Writes the frame of a delta: a separate head before shared bytes.
  private mutating func writeDelta(
    _ id: Int, _ subscriber: Subscriber, _ slice: Range<Int>, at revision: UInt64, _ out: inout Outgoing
  ) {
    let header = FrameHeader(kind: .delta, scope: subscriber.number, revision: revision)
    let head = out.writer.head(header, restCount: slice.count) {
      $0.arrayHeader(count: 2)
      $0.unsigned(subscriber.sentRevision)
    }
    out.add(head)
    out.add(slice)
    subscribers[id]?.sentRevision = revision
  }

  /// Writes a bookmark, valid for any type and for an absent scope, if the subscriber was sent no revision for a long
  /// time.
  private mutating func writeBookmarkIfDue(
    _ id: Int, _ subscriber: Subscriber, at revision: UInt64, _ out: inout Outgoing
  ) {
    guard revision - subscriber.sentRevision >= limits.bookmarkInterval else { return noteSentRevision(of: id) }
    let header = FrameHeader(kind: .bookmark, scope: subscriber.number, revision: revision)
    out.add(out.writer.frame(header) { _ in })
    subscribers[id]?.sentRevision = revision
  }

  private mutating func writeAbsence(
    _ id: Int, _ subscriber: Subscriber, at revision: UInt64, _ out: inout Outgoing
  ) {
    let header = FrameHeader(kind: .absent, scope: subscriber.number, revision: revision)
    let reason = source.absenceReason
    out.add(out.writer.frame(header) { if let reason { $0.text(reason) } })
    subscribers[id]?.standing = .current
    subscribers[id]?.sentRevision = revision
    setHasValue(false, id)
  }

  /// Writes the hash of the subscriber's state, which is the published version, for the client to compare.
  private mutating func writeHash(
    _ id: Int, _ subscriber: Subscriber, at revision: UInt64, _ out: inout Outgoing
  ) {
    guard subscriber.hasValue, let part = versions[revision]?.part(at: scopes.path(of: subscriber.node)) else {
      subscribers[id]?.isHashDue = false
      return writeAbsence(id, subscriber, at: revision, &out)
    }
    guard let hash = hash(of: part, subscriber.node, at: revision, &out) else {
      out.isHashUnfinished = true
      return
    }
    subscribers[id]?.isHashDue = false
    out.add(
      out.writer.frame(FrameHeader(kind: .hash, scope: subscriber.number, revision: revision)) {
        hash.encode(to: &$0)
      })
  }

  /// The hash of a node's part; nil if this turn has no time left for it. What was hashed is not hashed again.
  private mutating func hash(
    of part: any Replicated, _ node: Int, at revision: UInt64, _ out: inout Outgoing
  ) -> StateHash? {
    if let known = hashes.hash(of: node, at: revision) { return known }
    guard out.hashBudget > 0 else { return nil }
    guard let hash = Reducing.unobserved({ part.stateHash(budget: &out.hashBudget) }) else { return nil }
    hashes.add(hash, of: node, at: revision)
    return hash
  }
}

// MARK: - Snapshots

extension Publisher {
  /// Begins to read a snapshot of a subscriber's place; nil if the place has no value.
  private mutating func snapshot(for subscriber: Subscriber, at revision: UInt64, _ now: Duration) -> Int? {
    let node = subscriber.node
    if let running = snapshots.join(node, beyond: subscriber.sentRevision, at: revision, &versions) { return running }
    guard let part = versions[revision]?.part(at: scopes.path(of: node)) else { return nil }
    return snapshots.begin(of: part, node: node, at: revision, &versions, now)
  }

  private mutating func writePiece(
    _ id: Int, _ subscriber: Subscriber, _ snapshot: Int, _ index: Int, _ reason: SnapshotReason,
    _ out: inout Outgoing
  ) {
    guard let revision = snapshots.revision(of: snapshot), let piece = snapshots.piece(index, of: snapshot, &out) else {
      // Faster readers have caused the next piece to be dropped: start again.
      snapshots.stopReading(snapshot, &versions)
      subscribers[id]?.standing = .snapshotDue(reason)
      return
    }
    let flags = piece.isLast ? SnapshotPiece.finalFlag : 0
    let header = FrameHeader(kind: .snapshot, flags: flags, scope: subscriber.number, revision: revision)
    let head = out.writer.head(header, restCount: piece.range.count) {
      SnapshotPiece.encodeHead(reason, offset: piece.offset, byteCount: piece.range.count, to: &$0)
    }
    out.add(head)
    out.add(piece.range)
    out.snapshotBudget -= piece.range.count
    guard piece.isLast else {
      subscribers[id]?.standing = .reading(snapshot: snapshot, piece: index + 1, reason)
      return
    }
    subscribers[id]?.sentRevision = revision
    setHasValue(true, id)
    // The version that was held for reading is now the subscriber's version.
    subscribers[id]?.standing = .behind(revision)
    versions.hold(revision)
    snapshots.stopReading(snapshot, &versions)
    noteSentRevision(of: id)
  }
}

extension FrameWriter {
  /// Writes the delta between two values of one type; nil if they have the same bytes.
  fileprivate mutating func change(from old: any Replicated, to new: any Replicated) -> Range<Int>? {
    change(old, new)
  }

  private mutating func change<Part: Replicated>(_ old: any Replicated, _ new: Part) -> Range<Int>? {
    guard let old = old as? Part else { preconditionFailure("the parts of two versions at one path have one type") }
    return Reducing.unobserved {
      new.differs(from: old) ? part { new.encodeDelta(from: old, to: &$0) } : nil
    }
  }
}
