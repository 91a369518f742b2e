internal import EventLoop
internal import Wire

/// One connection of the load test, as bare as the protocol allows: no replica, no store.
final class HubConversation {
  private let stream: PipeStream
  private var decoder = FrameDecoder(payloadLimit: 1 << 24)
  private var output = FrameWriter()
  private var onFrame: ((FrameHeader, RawSpan) throws(WireError) -> Void)?
  private var onOpen: (() -> Void)?
  private var onEnd: ((LoadError) -> Void)?

  init(
    on loop: EventLoop, path: String, onOpen: @escaping () -> Void,
    onFrame: @escaping (FrameHeader, RawSpan) throws(WireError) -> Void, onEnd: @escaping (LoadError) -> Void
  ) throws(UVError) {
    stream = try PipeStream(on: loop)
    (self.onOpen, self.onFrame, self.onEnd) = (onOpen, onFrame, onEnd)
    try stream.connect(to: path) { [weak self] in self?.connected($0) }
  }

  /// Builds frames with `build` and writes them at once.
  func write(_ build: (inout FrameWriter) -> Void) {
    // Taken out for the call, so that its bytes can be lent to the stream.
    var frames = output
    output = FrameWriter()
    frames.removeAll()
    build(&frames)
    do throws(UVError) {
      _ = try stream.write(frames.span(0..<frames.count))
    } catch {
      end(.disconnected(reason: "\(error)"))
    }
    output = frames
  }

  /// Ends the session; nothing more is told.
  func leave() {
    (onFrame, onOpen, onEnd) = (nil, nil, nil)
    write { $0.frame(FrameHeader(kind: .leave)) { _ in } }
  }

  private func connected(_ error: UVError?) {
    do throws(UVError) {
      if let error { throw error }
      try stream.startReading(
        onBytes: { [weak self] in self?.received($0) },
        onEnd: { [weak self] in self?.end(.disconnected(reason: $0.map { "\($0)" } ?? "without a word")) })
      write { $0.frame(Hello(name: "storeload")) }
    } catch {
      end(.cannotConnect(error))
    }
  }

  private func received(_ bytes: RawSpan) {
    do throws(WireError) {
      try decoder.feed(bytes) { header, payload throws(WireError) in try handle(header, payload) }
    } catch {
      end(.malformed("\(error)"))
    }
  }

  private func handle(_ header: FrameHeader, _ payload: RawSpan) throws(WireError) {
    switch FrameKind(rawValue: header.kind) {
    case .welcome: onOpen?()
    case .error: end(.disconnected(reason: try PeerError(decoding: payload).reason))
    case .goodbye: end(.disconnected(reason: try Goodbye(decoding: payload).reason))
    case .rejected: end(.rejected(reason: try Rejected(decoding: payload).reason))
    default: try onFrame?(header, payload)
    }
  }

  private func end(_ error: LoadError) {
    let onEnd = onEnd
    (onFrame, onOpen, self.onEnd) = (nil, nil, nil)
    onEnd?(error)
  }
}
