internal import Wire

/// A non-blocking connection of a generator thread, which sends and receives frames.
///
/// As in the other classes of a generator thread, the exclusivity of its properties is not checked at run time, which
/// would take a quarter of the instructions of an action. One thread uses them, and no property while it is changed.
final class Channel {
  @exclusivity(unchecked) private var socket: Socket?
  @exclusivity(unchecked) private var decoder = FrameDecoder(payloadLimit: 1 << 26)
  /// The frames that `flush` sends.
  @exclusivity(unchecked) var output = FrameWriter()
  @exclusivity(unchecked) private var rest: [UInt8] = []
  @exclusivity(unchecked) private(set) var sentBytes = 0
  @exclusivity(unchecked) private(set) var receivedBytes = 0

  /// True if bytes wait for the socket.
  var isBlocked: Bool { !rest.isEmpty }
  var isOpen: Bool { socket != nil }
  var descriptor: CInt? { socket?.descriptor }

  /// Connects; returns false if the hub's queue is full, and the attempt must be repeated.
  func open(_ path: String) throws(LoadError) -> Bool {
    close()
    socket = try Socket.connected(to: path)
    return socket != nil
  }

  /// Closes the connection immediately.
  func close() {
    socket = nil
    decoder = FrameDecoder(payloadLimit: 1 << 26)
    output.removeAll()
    rest.removeAll()
  }

  /// Sends `output`, and keeps the bytes that the socket does not accept; returns false if the peer has closed.
  func flush() -> Bool {
    if !rest.isEmpty {
      guard let taken = rest.withUnsafeBytes({ socket?.send($0) ?? nil }) else { return false }
      sentBytes += taken
      rest.removeFirst(taken)
    }
    guard output.count > 0 else { return true }
    // Moved out of the property, so that the bytes can be borrowed during the call.
    var frames = output
    output = FrameWriter()
    var taken = 0
    if rest.isEmpty {
      guard let count = frames.span(0..<frames.count).withUnsafeBytes({ socket?.send($0) ?? nil }) else { return false }
      taken = count
      sentBytes += count
    }
    if taken < frames.count {
      frames.span(taken..<frames.count).withUnsafeBytes { rest.append(contentsOf: $0) }
    }
    frames.removeAll()
    output = frames
    return true
  }

  /// Reads available input, at most a few buffers, and calls a function with each frame.
  ///
  /// - Returns: False if the peer has closed.
  func receive(
    _ buffer: UnsafeMutableRawBufferPointer, rounds: Int = 4,
    _ body: (FrameHeader, RawSpan) throws(WireError) -> Void
  ) throws(WireError) -> Bool {
    for _ in 0..<rounds {
      guard let received = socket?.receive(into: buffer) else { return true }
      switch received {
      case .nothing: return true
      case .end: return false
      case .bytes(let count):
        receivedBytes += count
        try decoder.feed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]).bytes, body: body)
        if count < buffer.count { return true }
      }
    }
    return true
  }
}
