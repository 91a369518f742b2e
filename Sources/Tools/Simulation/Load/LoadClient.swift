import HubCore
import Wire

/// A client of a hub under load, with its socket.
final class LoadClient {
  let user: UInt32
  /// True if it always has more to send than a turn has time for.
  let isHeavy: Bool
  /// True if it only says hello.
  let isSilent: Bool
  /// True if the hub has greeted it.
  private(set) var isWelcome = false
  /// Its connection; nil until the hub has opened it.
  private(set) var id: ConnectionID?
  var sender: TurnScheduler.Sender
  /// False while the hub does not read from it.
  var isRead = true
  /// The bytes that the hub has not read.
  private(set) var unread: [UInt8] = []
  /// The number of its actions that were sent, and that the hub has acknowledged.
  private(set) var (sent, applied): (UInt64, UInt64) = (0, 0)
  /// The time in nanoseconds since which it waits for an answer; nil if it has all, or is not connected.
  private(set) var waitsSince: UInt64?
  /// The number of actions in each of its frames.
  let frameSize: Int
  private var decoder = FrameDecoder(payloadLimit: 1 << 24)

  init(
    user: UInt32, frameSize: Int? = nil, attaches: Bool = false, isSilent: Bool = false, sender: TurnScheduler.Sender
  ) {
    (self.user, self.isSilent, self.sender) = (user, isSilent, sender)
    (isHeavy, self.frameSize) = (frameSize != nil, frameSize ?? 1)
    var writer = FrameWriter()
    writer.frame(Hello(name: isHeavy ? "heavy" : "light"))
    if attaches { writer.frame(Attach()) }
    unread = writer.bytes
  }

  /// The hub has opened its connection.
  func opened(as id: ConnectionID, at now: UInt64) {
    self.id = id
    if sent > 0 { waitsSince = now }
  }

  /// Sends frames of actions.
  func send(_ frameCount: Int, at now: UInt64) {
    var writer = FrameWriter()
    for _ in 0..<frameCount {
      writer.frame(FrameHeader(kind: .actions)) { encoder in
        encoder.unsigned(sent + 1)
        encoder.unsigned(applied)
        for _ in 0..<frameSize { LoadFeature.Action.count.encode(to: &encoder) }
      }
      sent += UInt64(frameSize)
    }
    unread += writer.bytes
    if id != nil, waitsSince == nil { waitsSince = now }
  }

  /// Takes bytes out of the socket, as the hub reads them.
  func read(atMost count: Int) -> [UInt8] {
    defer { unread.removeFirst(min(count, unread.count)) }
    return Array(unread.prefix(count))
  }

  /// Receives what the hub has written. An answer to any of its actions ends its waiting; if others have none yet, it
  /// begins to wait again.
  ///
  /// - Returns: The time in nanoseconds for which it has waited, if it was answered.
  func receive(_ bytes: [UInt8], at now: UInt64) throws -> UInt64? {
    let before = applied
    var last = before
    try decoder.feed(bytes.span.bytes) { header, payload throws(WireError) in
      switch FrameKind(rawValue: header.kind) {
      case .welcome: isWelcome = true
      case .applied: last = try UInt64(decoding: payload)
      default: break
      }
    }
    guard last > before, let start = waitsSince else { return nil }
    applied = last
    waitsSince = applied < sent ? now : nil
    return now - start
  }
}
