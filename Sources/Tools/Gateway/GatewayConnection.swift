internal import EventLoop
internal import GatewayTokens
internal import WebSocketServer
internal import Wire

/// One remote client: its WebSocket, and the connection to the hub that the gateway makes for it.
///
/// Bytes are passed in both directions and not looked at. Each side is read only while the other one accepts bytes, so
/// that at most 128 KiB wait here in each direction: the hub coalesces what a slow client does not read.
final class GatewayConnection {
  /// The numbers of bytes that have passed.
  struct Traffic {
    var fromClients: UInt64 = 0
    var toClients: UInt64 = 0
  }

  /// The token, as it was when the WebSocket was opened.
  let token: GatewayToken
  let socket: WebSocket
  /// Called once when the connection has ended, and the hub has what the client sent, or has ended it, too.
  var onEnd: ((GatewayConnection) -> Void)?
  /// True once the gateway has ended the connection to the hub; the WebSocket may still be closing.
  private(set) var hasLeft = false
  /// Called once if the hub cannot be reached.
  var onUnreachable: ((UVError) -> Void)?
  private let loop: EventLoop
  private var stream: PipeStream?
  private var hasSocketEnded = false
  private let count: (WritableKeyPath<Traffic, UInt64>, Int) -> Void

  init(
    _ socket: WebSocket, _ token: GatewayToken, on loop: EventLoop,
    count: @escaping (WritableKeyPath<Traffic, UInt64>, Int) -> Void
  ) {
    (self.socket, self.token, self.loop, self.count) = (socket, token, loop, count)
    socket.onClose = { [weak self] in self?.end() }
  }

  /// Connects to the hub. The client waits meanwhile.
  func connect(to path: String) {
    socket.pauseReading()
    do throws(UVError) {
      let stream = try PipeStream(on: loop)
      try stream.connect(to: path) { [weak self] error in
        guard let self, !hasSocketEnded else { return }
        if let error { fail(error) } else { start() }
      }
      self.stream = consume stream
    } catch {
      fail(error)
    }
  }

  private func start() {
    do throws(UVError) {
      // Before the client's first byte, and known to the hub by the kernel's word for this process (PROTOCOL.md, 6.14).
      var writer = FrameWriter()
      let frame = writer.frame(Represent(user: token.user))
      _ = try stream?.write(writer.span(frame))
      stream?.onDrained { [weak self] in self?.socket.resumeReading() }
      try stream?.startReading(
        onBytes: { [weak self] in self?.pass($0) },
        onEnd: { [weak self] _ in
          self?.socket.close(.serviceRestart, "the hub has closed the connection")
        })
    } catch {
      return fail(error)
    }
    socket.onBytes = { [weak self] in self?.receive($0) }
    socket.onWritable = { [weak self] in self?.resume() }
    socket.resumeReading()
  }

  private func pass(_ bytes: RawSpan) {
    count(\.toClients, bytes.byteCount)
    if !socket.send(bytes) { stream?.stopReading() }
  }

  private func resume() {
    do throws(UVError) { try stream?.resumeReading() } catch { fail(error) }
  }

  private func receive(_ bytes: RawSpan) {
    count(\.fromClients, bytes.byteCount)
    // `onEnd` reports the error of a write, too.
    if (try? stream?.write(bytes)) != true { socket.pauseReading() }
  }

  private func fail(_ error: UVError) {
    onUnreachable.take()?(error)
    socket.close(.tryAgainLater, "the hub cannot be reached")
  }

  /// Ends the connection to the hub at once; the WebSocket is being closed, or has ended.
  func leave() {
    hasLeft = true
    socket.onBytes = nil
    stream = nil
    if hasSocketEnded { finish() }
  }

  private func end() {
    onUnreachable = nil
    hasSocketEnded = true
    guard stream != nil else { return finish() }
    // What the client has sent before it left reaches the hub. Until then it counts, or the descriptors of clients that
    // leave a hub that hangs would have no limit. An unconnected stream cannot be read, and has nothing to send.
    stream?.onDrained {}
    try? stream?.startReading(onBytes: { _ in }, onEnd: { [weak self] _ in self?.finish() })
    stream?.finishWriting { [weak self] in self?.finish() }
  }

  /// The stream closes with this object, which its owner lets go of.
  private func finish() { onEnd.take()?(self) }
}
