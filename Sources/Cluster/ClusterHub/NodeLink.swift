import ClusterCore
import ClusterLink
import ClusterLog
import Glibc
import NetworkStream

/// A link to another node over a connection.
final class NodeLink {
  private let stream: NetworkStream
  private var link: ClusterLink?
  private let startedAt: Duration
  /// Handles what the other node sends.
  var onEvent: ((ClusterLink.Event) -> Void)?
  /// Called once, when the connection is gone.
  var onEnd: ((String) -> Void)?
  /// True if the other node has not let this one in.
  private(set) var isRefused = false
  /// Begins the protocol on a connection that is ready, with the names in the other node's certificate.
  private let begin: (_ certificate: String?) -> ClusterLink
  private let now: () -> Duration
  private var isPaused = false
  /// True while `pump` has been left to the next turn of the loop.
  private var isContinuing = false

  /// The time for a connection with TLS.
  private static let connectTime = Duration.seconds(3)
  /// The bytes that a socket is given at once, and those that may wait in it.
  private static let (pieceBytes, queuedBytes) = (64 << 10, 256 << 10)
  /// The bytes that are written in one turn of the loop.
  private static let turnBytes = 512 << 10

  /// Takes a connection that is being opened.
  init(_ stream: NetworkStream, now: @escaping () -> Duration, begin: @escaping (String?) -> ClusterLink) {
    (self.stream, self.now, self.begin, startedAt) = (stream, now, begin, now())
    stream.onReady = { [unowned self] in ready() }
    stream.onBytes = { [unowned self] bytes in
      let time = self.now()
      link?.clock = .reading(at: time)
      link?.received(bytes, now: time)
      handle()
    }
    stream.onDrained = { [unowned self] in pump() }
    stream.onEnd = { [unowned self] in end("\($0)") }
  }

  private func ready() {
    link = begin(stream.peerName)
    handle()
  }

  /// Sends a message.
  func send(_ message: ClusterMessage, group: UInt32, name: String) {
    link?.send(message, group: group, name: name)
    handle()
  }

  /// The name of the client of a session of the other node.
  func name(of session: ClusterSession) -> String? { link?.name(of: session) }

  /// True while a snapshot is being sent.
  var isSendingSnapshot: Bool { link?.isSendingSnapshot == true }

  /// Sends a snapshot as the connection takes it.
  func send(_ place: JournalPlace, from source: any SnapshotSource) {
    link?.send(place, from: source)
    handle()
  }

  /// Sends a notice of a snapshot.
  func send(_ notice: SnapshotNotice) {
    link?.send(notice)
    handle()
  }

  /// Asks the other node to cancel the effects of an action.
  func cancel(action: UInt64, of session: ClusterSession, term: UInt64) {
    link?.cancel(action: action, of: session, term: term)
    handle()
  }

  /// Tells the other node that a node further up does not perform the actions of its session.
  func refuse(_ session: ClusterSession, _ refusal: SessionRefusal) {
    link?.refuse(session, refusal)
    handle()
  }

  /// Tells the other node that a client is gone.
  func sessionEnded(_ session: ClusterSession) {
    link?.sessionEnded(session)
    handle()
  }

  /// Ends the link for a reason of this node.
  func close(_ reason: LinkGoodbye.Reason) {
    guard link != nil else { return end("\(reason)") }
    link?.close(reason)
    handle()
  }

  /// Ends a connection that is no link yet. The other end gets no reason: it has not said who it is.
  func drop(_ reason: String) { end(reason) }

  /// Does what is due.
  func advance(to time: Duration) {
    if link == nil, time - startedAt >= Self.connectTime { return end("no connection within \(Self.connectTime)") }
    link?.advance(to: time)
    handle()
  }

  /// The time at which `advance` has something to do.
  var nextTime: Duration? {
    guard link != nil else { return startedAt + Self.connectTime }
    return link?.nextTime
  }

  private func handle() {
    while let events = link?.takeEvents(), !events.isEmpty {
      for event in events {
        onEvent?(event)
        guard case .ended(let reason) = event else { continue }
        isRefused = reason.isRefusal
        pump(isLast: true)
        return end("\(reason)")
      }
    }
    pump()
    setReading(link?.readsAgainAt == nil)
  }

  private func setReading(_ reads: Bool) {
    guard reads == isPaused else { return }
    isPaused = !reads
    if reads { stream.resumeReading() } else { stream.pauseReading() }
  }

  /// Writes what the connection takes, but no more than the bytes of a turn: the other end may read a snapshot as fast as
  /// it is written.
  private func pump(isLast: Bool = false) {
    guard !isContinuing || isLast else { return }
    var count = 0
    while stream.isReady, stream.queuedByteCount < Self.queuedBytes, link?.hasOutput == true {
      guard count < Self.turnBytes || isLast else { return pumpLater() }
      guard let bytes = link?.takeOutput(limit: Self.pieceBytes), !bytes.isEmpty else { return }
      stream.write(bytes.span.bytes)
      count += bytes.count
    }
  }

  /// Goes on in another turn of the loop.
  private func pumpLater() {
    isContinuing = true
    Task { [weak self] in
      self?.isContinuing = false
      self?.pump()
    }
  }

  private func end(_ reason: String) {
    guard let onEnd = onEnd.take() else { return }
    onEvent = nil
    link = nil
    stream.close()
    onEnd(reason)
  }
}

extension LinkClock {
  /// The clock of this machine.
  fileprivate static func reading(at now: Duration) -> LinkClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return LinkClock(wallTime: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec)), at: now)
  }
}
