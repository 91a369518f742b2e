import ClusterCore
import ClusterLink
import ClusterLog
import Wire

/// One end of a link, and what has happened at it.
final class TestEnd {
  static let members = ["a", "b", "c"].map(TestEnd.name)
  static let history = LogHistory(id: 5, store: 77)
  static let leadership = Leadership(term: 3, node: name("b"), process: 9)

  var link: ClusterLink
  var now = Duration.seconds(100)
  private(set) var messages: [ClusterMessage] = []
  private(set) var opened: ClusterLink.Peer?
  private(set) var refused: [SessionRefusal] = []
  /// The sessions of the other end that have ended.
  private(set) var ended: [ClusterSession] = []
  /// The cancellations, by the low half of the session's id.
  private(set) var cancelled: [String] = []
  private(set) var advances = 0
  /// How much the other end's clock is ahead, as the link has found it.
  private(set) var clocks: [Duration] = []
  /// The snapshots that have arrived, and the notices of others.
  private(set) var snapshots: [(place: JournalPlace, bytes: [UInt8])] = []
  private(set) var notices: [ClusterLink.SnapshotEvent] = []
  private var arriving: [UInt8] = []

  static func name(_ text: String) -> NodeName {
    guard let name = NodeName(text) else { preconditionFailure("\(text) is not a name") }
    return name
  }

  static func session(_ low: UInt64, of node: String = "a", user: UInt32 = 1000) -> ClusterSession {
    ClusterSession(node: name(node), user: user, id: SessionID(high: 0, low: low))
  }

  init(
    _ name: String, certificate: [String] = ["a", "b"], expected: String? = nil,
    change: (inout LinkOptions) -> Void = { _ in }
  ) {
    var options = LinkOptions(node: Self.name(name), process: 7, members: Set(Self.members))
    options.history = Self.history
    change(&options)
    link = ClusterLink(options, certificate: certificate.map(Self.name), expected: expected.map(Self.name), now: now)
  }

  /// Two ends whose hellos have arrived.
  static func pair(change: (inout LinkOptions) -> Void = { _ in }) -> (TestEnd, TestEnd) {
    let (a, b) = (TestEnd("a", expected: "b", change: change), TestEnd("b", change: change))
    a.exchange(with: b)
    return (a, b)
  }

  /// Passes everything on in both directions until both are silent, in chunks of this size.
  func exchange(with other: TestEnd, by size: Int = 1000) {
    var isMoving = true
    while isMoving {
      isMoving = false
      for (sender, receiver) in [(self, other), (other, self)] {
        let bytes = sender.link.takeOutput(limit: size)
        if !bytes.isEmpty { isMoving = true }
        receiver.receive(bytes)
      }
    }
  }

  func receive(_ bytes: [UInt8]) {
    link.received(bytes.span.bytes, now: now)
    takeEvents()
  }

  func receive(_ frame: LinkFrame) { receive(frame.bytes) }

  func pass(_ time: Duration) {
    now += time
    link.advance(to: now)
    takeEvents()
  }

  func takeEvents() {
    for event in link.takeEvents() {
      switch event {
      case .opened(let peer): opened = peer
      case .message(let message): messages.append(message)
      case .snapshot(.began): arriving = []
      case .snapshot(.piece(let bytes)):
        advances += 1
        arriving += bytes
      case .snapshot(.arrived(let place)): snapshots.append((place, arriving))
      case .snapshot(let notice): notices.append(notice)
      case .sessionRefused(_, let refusal): refused.append(refusal)
      case .sessionEnded(let session): ended.append(session)
      case .cancelled(_, let session, let action): cancelled.append("\(session.id.low): \(action)")
      case .clockRead(let difference): clocks.append(difference)
      case .ended: break
      }
    }
  }

  /// The frames that wait to be sent.
  func takeFrames() throws -> [LinkFrame] {
    var frames: [LinkFrame] = []
    var decoder = FrameDecoder(payloadLimit: 1 << 24)
    try decoder.feed(link.takeOutput(limit: .max).span.bytes) { (header, payload) throws(WireError) in
      frames.append(try LinkFrame(header.kind, payload))
    }
    return frames
  }

  /// The violation that has ended the link.
  var violation: String? { if case .violation(let text)? = link.end { text } else { nil } }
}

/// A frame of every kind.
enum Frames {
  static let entry = EncodedEntry(
    LogEntry(
      position: 1, leader: TestEnd.leadership, schema: SchemaFingerprint(ofBytes: [1]), previous: 0,
      content: .turns(first: 1, [[0x80]])))

  static let hello = LinkHello(
    node: TestEnd.name("a"), process: .max, history: TestEnd.history, payloadLimit: 2 << 20, sharesUsers: false)

  /// An entry whose turn comes in two parts.
  static let parts: [[UInt8]] = [[1, 2], [3]]
  static let inParts = EncodedEntry(
    LogEntry(
      position: 1, leader: TestEnd.leadership, schema: SchemaFingerprint(ofBytes: [1]), previous: 0,
      content: .parts(turn: 1, LargeTurn([1, 2, 3], partSize: 2))))

  static let all: [LinkFrame] = [
    .hello(hello), .goodbye(LinkGoodbye(.leaves, "the hub stops")), .ping(1),
    .pong(1, time: 1_800_000_000_000),
    .beat(TestEnd.leadership, position: 9, isCurrent: true), .status(history: 5, stored: 8),
    .session(LinkSession(number: 1, id: SessionID(high: 1, low: 2), user: 1000, group: 100)), .sessionEnded(1),
    .sessionRefused(1, .user), .actions(LinkActions(term: 3, session: 1, first: 4, [[1, 2], []])),
    .needsSnapshot(after: 6),
    .snapshot(
      SnapshotHead(
        JournalPlace(history: TestEnd.history, last: entry, turn: 1), byteCount: 3, checksum: .max)),
    .piece([1, 2, 3]), .cancel(term: 3, session: 1, action: 4), .snapshotNotice(.preparing),
    .snapshotNotice(.failed("the disk is full")),
    .session(
      LinkSession(number: 1, id: SessionID(high: 1, low: 2), user: 1000, group: 100, origin: TestEnd.name("r"))),
    .session(LinkSession(number: 1, id: SessionID(high: 1, low: 2), user: 1000, group: 100, name: "todo.py")),
    .session(
      LinkSession(
        number: 1, id: SessionID(high: 1, low: 2), user: 1000, group: 100, origin: TestEnd.name("r"), name: "todo.py")),
    .follow(FollowRequest(history: TestEnd.history, position: 6, checksum: .max)),
    .follow(FollowRequest(history: nil, position: 0, checksum: 0)), .follow(nil),
    .followed(.accepted(TestEnd.history)), .followed(.refused(.notReady)), .followed(.refused(.ahead)),
    .followed(.refused(.loop)), .followed(.refused(.diverged)), .followed(.refused(.lacks(TestEnd.history))),
    .followed(.refused(.otherHistory(TestEnd.history))), .entry(entry), .part([1, 2, 3]),
    .relayBeat(RelayBeat(position: 6, age: 250, way: 3, path: [TestEnd.name("r")])),
  ]
}
