import ClusterCore
import ClusterLink
import ClusterLog
import Wire

extension FuzzTarget {
  /// Whatever bytes arrive over a link, the same happens however they are cut; a frame that can be read is written as the
  /// same bytes, except for a hello with unknown keys; and a link that has ended gives nothing more.
  static let clusterLink = FuzzTarget(name: "cluster-link") { bytes in
    guard let link = LinkPlay() else { return }
    try roundTrip(bytes, link)
    for isOpen in [false, true] {
      let whole = try link.outcome(of: bytes, cutAt: bytes.count, isOpen: isOpen)
      for size in [1, 7] {
        let outcome = try link.outcome(of: bytes, cutAt: size, isOpen: isOpen)
        try promise(outcome == whole, "cut by \(size), it is \(outcome) and not \(whole)")
      }
    }
  } seeds: {
    guard let link = LinkPlay() else { return [] }
    let rest = link.frames.dropFirst().map(\.bytes)
    return link.frames.map(\.bytes) + [Array(rest.joined()), link.frames[0].bytes + rest.joined()]
  }

  private static func roundTrip(_ bytes: [UInt8], _ link: LinkPlay) throws {
    var decoder = FrameDecoder(payloadLimit: link.options.payloadLimit)
    var failure: BrokenPromise?
    try? decoder.feed(bytes.span.bytes) { (header, payload) throws(WireError) in
      let frame = try LinkFrame(header.kind, payload)
      let written = Array(frame.bytes.dropFirst(FrameHeader.byteCount))
      if case .hello = frame { return }
      if written != [UInt8](payload) { failure = BrokenPromise("\(frame.kind) is written otherwise") }
    }
    if let failure { throw failure }
  }
}

/// A link of node b whose other end, node a, sends the bytes.
private struct LinkPlay {
  let options: LinkOptions
  let frames: [LinkFrame]

  init?() {
    guard let a = NodeName("a"), let b = NodeName("b"), let r = NodeName("r") else { return nil }
    var options = LinkOptions(node: b, process: 1, members: [a, b])
    options.payloadLimit = 1 << 16
    options.snapshotBytes = 1 << 12
    options.relays = [a, r]
    options.ceilings[a] = NodeCeiling(users: [0...1000], mayAct: true, sessions: 2, bytesPerSecond: 1 << 10)
    self.options = options
    let history = LogHistory(id: 5, store: 6)
    let leader = Leadership(term: 1, node: a, process: 2)
    let entry = EncodedEntry(
      LogEntry(
        position: 1, leader: leader, schema: SchemaFingerprint(ofBytes: [1]), previous: 0, content: .opening))
    let inParts = EncodedEntry(
      LogEntry(
        position: 1, leader: leader, schema: SchemaFingerprint(ofBytes: [1]), previous: 0,
        content: .parts(turn: 1, LargeTurn([1, 2, 3], partSize: 2))))
    let id = SessionID(high: 1, low: 2)
    frames = [
      .hello(LinkHello(node: a, process: 2, history: history, payloadLimit: 1 << 16, sharesUsers: false)), .ping(1),
      .beat(leader, position: 1, isCurrent: true), .status(history: 5, stored: 1),
      .session(LinkSession(number: 1, id: id, user: 1000, group: 100)),
      .session(LinkSession(number: 2, id: id, user: 2000, group: 100)),
      .actions(LinkActions(term: 1, session: 1, first: 1, [[1], [2, 3]])),
      .actions(LinkActions(term: 1, session: 1, first: 1, [])), .cancel(term: 1, session: 1, action: 1),
      .actions(LinkActions(term: 1, session: 2, first: 1, [[1]])), .sessionRefused(1, .user), .sessionEnded(1),
      .needsSnapshot(after: 0),
      .snapshot(
        SnapshotHead(
          JournalPlace(history: history, last: entry, turn: 0), byteCount: 2,
          checksum: SnapshotBytes([1, 2], pieceBytes: 1).checksum)),
      .session(LinkSession(number: 3, id: id, user: 1000, group: 100, origin: r)),
      .actions(LinkActions(term: 1, session: 3, first: 1, [[1]])),
      .follow(FollowRequest(history: history, position: 1, checksum: entry.checksum)), .follow(nil),
      .followed(.accepted(history)), .followed(.refused(.lacks(history))), .followed(.refused(.ahead)), .entry(entry),
      .entry(inParts), .part([1, 2]), .part([3]), .relayBeat(RelayBeat(position: 1, age: 2, way: 3, path: [r])),
      .piece([1]), .piece([2]), .snapshotNotice(.preparing), .snapshotNotice(.failed("the disk is full")),
      .goodbye(LinkGoodbye(.leaves, "the hub stops")),
      .pong(1, time: 1_800_000_000_000),
    ]
  }

  struct Outcome: Equatable {
    var messages: [ClusterMessage] = []
    var cancelled: [UInt64] = []
    var snapshots: [ClusterLink.SnapshotEvent] = []
    var end: LinkEnd?
    var output: [UInt8] = []
  }

  /// What the link makes of the bytes, in chunks of a size.
  func outcome(of bytes: [UInt8], cutAt size: Int, isOpen: Bool) throws -> Outcome {
    guard let a = NodeName("a") else { return Outcome() }
    var link = ClusterLink(options, certificate: [a], expected: nil, now: .zero)
    var outcome = Outcome()
    if isOpen {
      link.received(frames[0].bytes.span.bytes, now: .zero)
      for _ in 0..<3 { link.send(.needsSnapshot(after: 0)) }
      link.send(.follow(FollowRequest(history: nil, position: 0, checksum: 0)))
    }
    for start in stride(from: 0, to: bytes.count, by: max(size, 1)) {
      link.received(Array(bytes[start..<min(start + max(size, 1), bytes.count)]).span.bytes, now: .zero)
      for event in link.takeEvents() {
        try promise(outcome.end == nil, "a link that has ended goes on")
        switch event {
        case .message(let message): outcome.messages.append(message)
        case .ended(let end): outcome.end = end
        case .cancelled(_, _, let action): outcome.cancelled.append(action)
        case .snapshot(let event): outcome.snapshots.append(event)
        case .opened, .sessionRefused, .sessionEnded, .clockRead: break
        }
      }
    }
    outcome.output = link.takeOutput(limit: .max)
    return outcome
  }
}
