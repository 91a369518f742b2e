package import EventLoop

/// A failed connection.
package nonisolated enum NetworkError: Error, Hashable, Sendable {
  /// A failure of the socket, or of the look-up of a name.
  case socket(UVError)
  case tls(TLSError)
  /// The peer has closed the connection.
  case closed

  package static func == (a: NetworkError, b: NetworkError) -> Bool { "\(a)" == "\(b)" }
  package func hash(into hasher: inout Hasher) { hasher.combine("\(self)") }
}

nonisolated extension NetworkError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .socket(let error): "\(error)"
    case .tls(let error): "\(error)"
    case .closed: "the peer has closed the connection"
    }
  }
}

/// A connection over the network, with TLS or without, for both sides.
///
/// It calls back on the loop, and never again after `close`. An owner bounds what it queues by `queuedByteCount` and
/// `onDrained`.
package final class NetworkStream {
  private let loop: EventLoop
  private var stream: PipeStream?
  private let session: TLSSession?
  /// Called once, when the peer has been accepted and bytes can be sent.
  package var onReady: (() -> Void)?
  /// Called with bytes that are valid during the call.
  package var onBytes: ((RawSpan) -> Void)?
  /// Called once, when the connection has failed or ended; no calls follow.
  package var onEnd: ((NetworkError) -> Void)?
  /// Called when all queued bytes have been sent.
  package var onDrained: (() -> Void)?
  /// The address of the host that has opened an accepted connection; nil for one that this process opens, and if the peer
  /// was gone before it was accepted.
  package let peerAddress: String?
  /// True from `onReady` on.
  package private(set) var isReady = false
  /// True after `close` or `onEnd`.
  private var isOver = false

  /// Creates an unconnected stream.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - session: The TLS of the connection; nil for a plain one.
  ///   - peerAddress: The address of the host that has opened it.
  package init(on loop: EventLoop, session: TLSSession?, peerAddress: String? = nil) {
    (self.loop, self.session, self.peerAddress) = (loop, session, peerAddress)
  }

  /// Connects to a host. The first address that accepts is taken; the owner sets a time limit.
  package func connect(to host: String, port: UInt16) {
    SocketAddress.find(host, port: port, on: loop) { [weak self] result in
      switch result {
      case .success(let addresses): self?.connect(to: addresses[...])
      case .failure(let error): self?.end(.socket(error))
      }
    }
  }

  private func connect(to addresses: ArraySlice<SocketAddress>) {
    guard let address = addresses.first, !isOver else { return }
    do throws(UVError) {
      let stream = try PipeStream.tcp(on: loop)
      try stream.connect(to: address) { [weak self] error in
        guard let error else { self?.start(); return }
        guard addresses.count > 1 else { self?.end(.socket(error)); return }
        self?.connect(to: addresses.dropFirst())
      }
      self.stream = consume stream
    } catch {
      end(.socket(error))
    }
  }

  /// Takes over a connected socket, unless the stream was closed before.
  package func adopt(_ stream: consuming PipeStream) {
    guard !isOver else { return }
    self.stream = consume stream
    start()
  }

  private func start() {
    do throws(UVError) {
      stream?.onDrained { [weak self] in self?.onDrained?() }
      try stream?.startReading(
        onBytes: { [weak self] in self?.receive($0) },
        onEnd: { [weak self] in self?.end($0.map { .socket($0) } ?? .closed) })
    } catch {
      return end(.socket(error))
    }
    guard let session else { return becomeReady() }
    attempt { () throws(TLSError) in try session.shakeHands() }
  }

  private func becomeReady() {
    isReady = true
    onReady.take()?()
  }

  private func receive(_ bytes: RawSpan) {
    guard let session else {
      onBytes?(bytes)
      return
    }
    attempt { () throws(TLSError) in
      // What follows the handshake at once is handled after `onReady`.
      try session.receive(bytes) { plain in
        if !isReady { becomeReady() }
        onBytes?(plain)
      }
    }
    if session.hasEnded { end(.closed) }
  }

  /// Lets the session work, then sends what it has to say, also about a failure.
  private func attempt(_ body: () throws(TLSError) -> Void) {
    guard let session else { return }
    var failure: TLSError?
    do throws(TLSError) { try body() } catch { failure = error }
    session.takeOutput { writeToSocket($0) }
    if let failure { return end(.tls(failure)) }
    if session.isReady, !isReady { becomeReady() }
  }

  /// Sends bytes, or queues them.
  /// - Precondition: `onReady` was called.
  package func write(_ bytes: RawSpan) {
    precondition(isReady, "a connection that is not ready")
    guard let session else { return writeToSocket(bytes) }
    attempt { () throws(TLSError) in try session.send(bytes) }
  }

  private func writeToSocket(_ bytes: RawSpan) {
    // `onEnd` reports the error of a write, too.
    _ = try? stream?.write(bytes)
  }

  /// Stops reading until `resumeReading`; the peer waits when the kernel's buffers are full.
  package func pauseReading() { stream?.stopReading() }

  /// Reads again.
  package func resumeReading() {
    do throws(UVError) { try stream?.resumeReading() } catch { end(.socket(error)) }
  }

  /// The number of bytes that the socket has not accepted yet.
  package var queuedByteCount: Int { stream?.queuedByteCount ?? 0 }

  /// The common name in the peer's certificate, which is empty if it has none; nil without TLS. So a peer whose
  /// certificate names nobody never passes for one that needs none.
  package var peerName: String? { session.map { $0.peerName ?? "" } }

  /// Closes the connection; queued bytes are sent if the peer takes them.
  package func close() {
    forgetCallbacks()
    session?.end()
    session?.takeOutput { writeToSocket($0) }
    if let stream = stream.take() { ClosingStream(stream).finish() }
  }

  private func end(_ error: NetworkError) {
    guard !isOver else { return }
    let onEnd = onEnd
    forgetCallbacks()
    if let stream = stream.take() { ClosingStream(stream).finish() }
    onEnd?(error)
  }

  private func forgetCallbacks() {
    isOver = true
    (onReady, onBytes, onEnd, onDrained) = (nil, nil, nil, nil)
  }
}
