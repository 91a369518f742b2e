internal import ReplicaCore
internal import Wire

/// A connection that subscribes to a part of the state and checks every received frame.
///
/// Each delta must start at the revision of the previous frame. If the part is small, the watcher also keeps a copy, by
/// the schema alone, and compares its hash with the hub's at the end.
final class Watcher {
  let number: Int
  let token: Int
  let channel = Channel()
  /// The index of the scope in the run; nil if there is only one.
  let scope: Int?
  let isSlow: Bool
  /// True if it is the first watcher of its scope.
  private let isFirst: Bool
  /// True if freshness is measured with it.
  private let isSampled: Bool
  private let path: [PathStep]
  private let schema: Schema
  private var mirror: ValueMirror?
  private var snapshot: [UInt8] = []
  private(set) var revision: UInt64?
  /// The highest revision that the hub has sent in the session.
  private var latest: UInt64 = 0
  private var session: SessionID?
  private var history: UInt64?
  private(set) var isReady = false
  private(set) var retryTime: UInt64? = 0
  private var connectTime: UInt64 = 0
  /// The time at which a slow one reads again; nil while it reads.
  var pauseEnd: UInt64?
  /// True if its state was compared with the hub's, or if it keeps no copy.
  private(set) var isVerified = false
  private var isAsked = false

  /// The number of subscribers with which freshness is measured.
  static let sampleLimit = 16
  /// The maximum size of a kept part, for the first subscriber of each scope and for the others. Applying a change
  /// without the feature's types takes time in proportion to the part.
  static let (firstMirrorLimit, mirrorLimit) = (64 << 10, 2 << 10)

  init(number: Int, token: Int, scope: Int?, path: [PathStep], schema: Schema, isSlow: Bool, isFirst: Bool) {
    (self.number, self.token, self.scope, self.path, self.schema) = (number, token, scope, path, schema)
    (self.isSlow, self.isFirst) = (isSlow, isFirst)
    isSampled = number < Self.sampleLimit && !isSlow
  }

  /// Returns true if it keeps no copy of its part, and has not reached a revision.
  func isBehind(_ revision: UInt64) -> Bool { mirror == nil && self.revision ?? 0 < revision }

  /// Tries to connect; returns false if the hub's queue is full.
  func connect(_ socket: String, at now: UInt64) throws(LoadError) -> Bool {
    connectTime = connectTime == 0 ? now : connectTime
    guard try channel.open(socket) else {
      retryTime = now + 1_000_000
      return false
    }
    retryTime = nil
    channel.output.frame(Hello(session: session, name: "storeload subscriber", history: history))
    return true
  }

  /// Closes the connection; the session is resumed on the next one, after a pause in nanoseconds.
  func cut(at now: UInt64, pause: UInt64 = 0) {
    channel.close()
    snapshot.removeAll()
    (retryTime, connectTime, pauseEnd) = (now + pause, connectTime == 0 ? now : connectTime, nil)
  }

  /// Ends the session.
  func leave() {
    channel.output.frame(FrameHeader(kind: .leave)) { _ in }
    _ = channel.flush()
  }

  /// Requests the hub's hash of the part; returns false if the peer has closed.
  func verify() -> Bool {
    guard isReady, !isAsked, retryTime == nil else { return true }
    isAsked = true
    guard mirror != nil else {
      isVerified = true
      return true
    }
    channel.output.frame(FrameHeader(kind: .verify, scope: 1)) { _ in }
    return channel.flush()
  }

  /// Reads frames; returns false if the peer has closed.
  func receive(
    _ buffer: UnsafeMutableRawBufferPointer, at now: UInt64, _ figures: inout ThreadFigures
  ) throws(LoadError) -> Bool {
    var failure: LoadError?
    let isAlive: Bool
    do throws(WireError) {
      isAlive = try channel.receive(buffer) { header, payload throws(WireError) in
        if failure == nil { failure = try handle(header, payload, now, &figures) }
      }
    } catch {
      throw failure ?? .malformed("\(error), at a subscriber")
    }
    if let failure { throw failure }
    return isAlive
  }

  private func handle(
    _ header: FrameHeader, _ payload: RawSpan, _ now: UInt64, _ figures: inout ThreadFigures
  ) throws(WireError) -> LoadError? {
    switch FrameKind(rawValue: header.kind) {
    case .welcome: try welcome(payload, now, &figures)
    case .snapshot: return try take(header, payload, now, &figures)
    case .delta:
      figures.totals.deltas += 1
      var decoder = CBORDecoder(payload)
      try decoder.tuple(2)
      let base = try decoder.unsigned()
      guard base == revision, header.revision > base else {
        return .wrong(
          "a delta leads from revision \(base) to \(header.revision), but the subscriber was at \(revision ?? 0)")
      }
      if let mirror {
        try mirror.apply(decoder, at: header.revision)
      } else {
        try decoder.skip()
        try decoder.finish()
      }
      arrived(header.revision, now, &figures)
    case .bookmark:
      figures.totals.bookmarks += 1
      guard let revision, header.revision > revision else {
        return .wrong("a bookmark at revision \(header.revision), but the subscriber was at \(revision ?? 0)")
      }
      (self.revision, latest) = (header.revision, max(header.revision, latest))
      mirror?.advance(to: header.revision)
    case .absent:
      figures.totals.absences += 1
      if let failure = older(header.revision, "the absence of the part") { return failure }
      mirror?.remove(at: header.revision)
      arrived(header.revision, now, &figures)
      if isAsked { isVerified = true }
    case .hash:
      let there = try StateHash(decoding: payload)
      guard let here = mirror?.hash() else { break }
      figures.totals.hashes += 1
      if isAsked { isVerified = true }
      guard here == there else {
        return .wrong(
          "at revision \(header.revision) a subscriber's state has the hash \(here), the hub's has \(there)")
      }
    case .error: return LoadError(try PeerError(decoding: payload))
    case .goodbye: return LoadError(try Goodbye(decoding: payload))
    default: break
    }
    return nil
  }

  private func welcome(_ payload: RawSpan, _ now: UInt64, _ figures: inout ThreadFigures) throws(WireError) {
    let welcome = try Welcome(decoding: payload)
    figures.connects.add(now - connectTime)
    connectTime = 0
    if welcome.isResumed { figures.totals.resumed += 1 }
    let isKnown = welcome.isResumed && welcome.history == history
    // The revisions of another history are not comparable, and a new session may get an older snapshot.
    if welcome.history != history || !welcome.isResumed { latest = 0 }
    (session, history) = (welcome.session, welcome.history)
    channel.output.frame(Attach(path: path, knownRevision: isKnown && isReady ? revision : nil), scope: 1)
    if isAsked, !isVerified { isAsked = false }
    _ = channel.flush()
  }

  private func take(
    _ header: FrameHeader, _ payload: RawSpan, _ now: UInt64, _ figures: inout ThreadFigures
  ) throws(WireError) -> LoadError? {
    let piece = try SnapshotPiece(CBORDecoder(payload))
    let offset = Int(clamping: piece.offset)
    if offset == 0 { snapshot.removeAll(keepingCapacity: true) }
    guard offset == snapshot.count else {
      return .wrong("a piece of a snapshot begins at \(offset), not at \(snapshot.count)")
    }
    snapshot.append(contentsOf: [UInt8](piece.bytes))
    guard header.flags & SnapshotPiece.finalFlag != 0 else { return nil }
    figures.totals.snapshots += 1
    if !isReady, snapshot.count <= (isFirst ? Self.firstMirrorLimit : Self.mirrorLimit) {
      let mirror = ValueMirror()
      do throws(SchemaPathError) {
        try mirror.attach(schema, at: path)
        self.mirror = mirror
        figures.totals.mirrors += 1
      } catch {
        return .doesNotFit("\(error)")
      }
    }
    let whole = snapshot
    snapshot = []
    if let failure = older(header.revision, "a snapshot") { return failure }
    if let mirror {
      _ = try mirror.replace(with: whole.span.bytes, at: header.revision)
    } else {
      try CBORDecoder.check(whole)
    }
    arrived(header.revision, now, &figures)
    return nil
  }

  /// A failure if a state is older than what the hub has sent before, also on an earlier connection.
  private func older(_ revision: UInt64, _ what: String) -> LoadError? {
    guard revision < latest else { return nil }
    return .wrong("\(what) at revision \(revision) came after revision \(latest)")
  }

  private func arrived(_ revision: UInt64, _ now: UInt64, _ figures: inout ThreadFigures) {
    (self.revision, latest) = (revision, max(revision, latest))
    if isReady, isSampled {
      figures.arrivals.append(.init(watcher: number, revision: revision, time: now))
    }
    isReady = true
  }
}

extension CBORDecoder {
  /// Throws if the bytes are not one well-formed item.
  fileprivate static func check(_ bytes: [UInt8]) throws(WireError) {
    var decoder = CBORDecoder(bytes.span.bytes)
    try decoder.skip()
    try decoder.finish()
  }
}
