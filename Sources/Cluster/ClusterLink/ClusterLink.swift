package import ClusterCore
package import ClusterLog
import Wire

/// One end of a link between two nodes, without I/O: bytes in, messages out, and the other way round.
///
/// Both ends are the same. Each sends its hello at once; a link is open when the other's hello has been accepted. The
/// shell has checked the certificate by then, and passes the names in it.
///
/// ```swift
/// var link = ClusterLink(options, certificate: names, expected: nil, now: now)
/// link.received(bytes.span.bytes, now: now)
/// for event in link.takeEvents() { handle(event) }
/// send(link.takeOutput(limit: 65_536))
/// ```
///
/// A peer is a machine that may be faulty or taken over. Everything that it sends has a limit that is checked before
/// memory is allocated for it, and bytes that no node sends end the link with a `LinkEnd`, never the process.
package struct ClusterLink: ~Copyable {
  package let options: LinkOptions
  /// The other end, once its hello was accepted.
  package internal(set) var peer: Peer?
  /// The reason why the link has ended; nil while it lives.
  package internal(set) var end: LinkEnd?
  /// The time from the last ping to its answer; nil before the first.
  package internal(set) var roundTrip: Duration?
  /// The wall clock of this machine. The shell sets it before it passes bytes.
  package var clock = LinkClock()
  /// The time until which the shell must not read from the connection: the node has used up its quota. Nil if it may.
  package internal(set) var readsAgainAt: Duration?

  let certificate: [NodeName]
  let expected: NodeName?
  var now: Duration
  let startedAt: Duration
  var receivedAt: Duration
  var sentAt: Duration
  var decoder: FrameDecoder
  /// The frames that are written, and those before them that are being taken: two buffers, so that each is emptied even
  /// if there is always something to send.
  var (writer, taking) = (FrameWriter(), FrameWriter())
  var takenCount = 0
  var events: [Event] = []
  var ping: (number: UInt64, at: Duration)?
  var pingCount: UInt64 = 0
  var pingedAt: Duration
  var announced = AnnouncedSessions()
  var accepted = AcceptedSessions()
  var outgoing: OutgoingSnapshot?
  var incoming: IncomingSnapshot?
  /// The number of requests for a snapshot that may still be answered. The other node leaves out an answer while it
  /// sends another one, so some are never answered.
  var unansweredRequests = 0
  /// The entries for a relay that are not written yet. They are shared by the links to all relays, and the core bounds
  /// their number.
  var entries: [(entry: EncodedEntry, parts: [[UInt8]])] = []
  /// The number of entries that are written, and that of the frames of the next one that are: itself and its parts.
  var (writtenEntries, writtenParts) = (0, 0)
  /// True if this end has asked to follow the other one.
  var hasFollowed = false
  /// The entry whose parts arrive.
  var incomplete: (entry: EncodedEntry, turn: LargeTurn, parts: [[UInt8]], byteCount: Int)?
  var quota: ByteQuota

  /// The other end of an open link.
  package struct Peer: Equatable, Sendable {
    package let node: NodeName
    package let process: UInt64
    /// The history of its journal when the link was opened.
    package let history: LogHistory?
    /// The version of the protocol of the link.
    package let version: UInt64
  }

  /// What has happened, in order.
  package enum Event: Sendable {
    /// Call `ClusterCore.linkOpened`.
    case opened(Peer)
    /// Call `ClusterCore.received`.
    case message(ClusterMessage)
    /// A snapshot that this node has asked for.
    case snapshot(SnapshotEvent)
    /// The other node does not perform the actions of a session of this node: its client gets the reason.
    case sessionRefused(ClusterSession, SessionRefusal)
    /// The client of a session of the other node is gone.
    case sessionEnded(ClusterSession)
    /// A client of the other node cancels the effects of one of its actions, for the leader of a term.
    case cancelled(term: UInt64, ClusterSession, action: UInt64)
    /// The wall clock of the other node differs from this machine's by so much, positive if it is ahead. The true
    /// difference may be half of `LinkOptions.clockRoundTrip` more or less.
    case clockRead(difference: Duration)
    /// Send the output, close the connection, and call `ClusterCore.linkClosed` if the link was open.
    case ended(LinkEnd)
  }

  /// What has happened to a snapshot that this node has asked for.
  package enum SnapshotEvent: Equatable, Sendable {
    /// The other node prepares it. Call `ClusterCore.snapshotPrepared`.
    case preparing
    /// It begins. Its pieces follow, all before `arrived`; without that, it is none. Call `ClusterCore.snapshotAdvanced`.
    case began(SnapshotHead)
    /// The next bytes. Call `ClusterCore.snapshotAdvanced`.
    case piece([UInt8])
    /// All of its bytes have come. Call `ClusterCore.snapshotArrived`.
    case arrived(JournalPlace)
    /// It will not come, or not to its end, or it is too large. Call `ClusterCore.snapshotFailed`.
    case failed(String)
  }

  /// Begins a link on a new connection.
  ///
  /// - Parameters:
  ///   - options: The settings.
  ///   - certificate: The names of nodes in the certificate of the other end.
  ///   - expected: The node that was called; nil if the other end has called this one.
  ///   - now: The time.
  package init(_ options: LinkOptions, certificate: [NodeName], expected: NodeName?, now: Duration) {
    (self.options, self.certificate, self.expected) = (options, certificate, expected)
    (self.now, startedAt, receivedAt, sentAt, pingedAt) = (now, now, now, now, now)
    decoder = FrameDecoder(payloadLimit: options.payloadLimit)
    quota = ByteQuota(perSecond: NodeCeiling.default.bytesPerSecond, now: now)
    write(
      .hello(
        LinkHello(
          node: options.node, process: options.process, history: options.history,
          payloadLimit: UInt64(options.payloadLimit), sharesUsers: options.sharesUsers,
          users: options.userRanges[options.node])))
  }

  /// The events since the last call.
  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  /// Ends the link for a reason of this node.
  package mutating func close(_ reason: LinkGoodbye.Reason) { finish(.here(reason)) }

  /// The connection has ended.
  package mutating func disconnected() { finish(.lost) }

  mutating func finish(_ reason: LinkEnd) {
    guard end == nil else { return }
    end = reason
    if let goodbye = reason.goodbye { write(.goodbye(goodbye)) }
    (outgoing, incoming, entries, writtenEntries, incomplete) = (nil, nil, [], 0, nil)
    events.append(.ended(reason))
  }

  // MARK: Time

  /// Tells the time, which never decreases.
  package mutating func advance(to time: Duration) {
    now = max(now, time)
    guard end == nil else { return }
    if let again = readsAgainAt, now >= again { (readsAgainAt, receivedAt) = (nil, now) }
    guard peer != nil else {
      if now - startedAt >= options.helloTime { finish(.noHello) }
      return
    }
    // Nothing arrives while this end does not read.
    if readsAgainAt == nil, now - receivedAt >= options.silenceLimit { return finish(.silent(now - receivedAt)) }
    // An end that sends other frames all the time asks for the clock all the same.
    guard now - sentAt >= options.pingInterval || now - pingedAt >= options.clockInterval else { return }
    pingCount += 1
    pingedAt = now
    if ping == nil { ping = (pingCount, now) }
    write(.ping(pingCount))
  }

  /// The time at which `advance` has something to do; nil if the link has ended.
  package var nextTime: Duration? {
    guard end == nil else { return nil }
    guard peer != nil else { return startedAt + options.helloTime }
    let silence = readsAgainAt ?? (receivedAt + options.silenceLimit)
    return min(silence, sentAt + options.pingInterval, pingedAt + options.clockInterval)
  }

  // MARK: Output

  /// The number of bytes that can be taken now, beside a snapshot.
  package var waitingCount: Int { writer.count + taking.count - takenCount }

  /// True if there is something to send.
  package var hasOutput: Bool { waitingCount > 0 || outgoing != nil || !entries.isEmpty }

  /// Takes bytes to send, about this many at most: messages first, then entries for a relay, and pieces of a snapshot when
  /// there are none, so that a snapshot delays a message by no more than one piece.
  package mutating func takeOutput(limit: Int) -> [UInt8] {
    while waitingCount < limit, waitingCount < options.chunkBytes, writeEntry() {}
    // Once for all of them, because the others are moved.
    entries.removeFirst(writtenEntries)
    writtenEntries = 0
    while waitingCount < limit, waitingCount < options.chunkBytes, outgoing != nil {
      guard let piece = outgoing?.nextPiece() else {
        outgoing = nil
        LinkFrame.snapshotNotice(.failed("the snapshot cannot be read")).append(to: &writer)
        break
      }
      if outgoing?.isComplete == true { outgoing = nil }
      LinkFrame.piece(piece).append(to: &writer)
    }
    if takenCount == taking.count {
      taking.removeAll()
      swap(&writer, &taking)
      takenCount = 0
    }
    let start = takenCount
    takenCount += min(limit, taking.count - start)
    return [UInt8](taking.span(start..<takenCount))
  }

  mutating func write(_ frame: LinkFrame) {
    frame.append(to: &writer)
    sentAt = now
    if end == nil, waitingCount > options.waitingBytes { finish(.slow(waiting: waitingCount)) }
  }
}
