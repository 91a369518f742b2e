internal import Wire

/// A connection of a generator thread: frames out, frames in, never blocking.
///
/// As in the other classes of a generator thread, the exclusivity of its properties is not checked at run time: that was a
/// quarter of the instructions of an action.
final class Channel {
  @exclusivity(unchecked) private var socket: Socket?
  @exclusivity(unchecked) private var decoder = FrameDecoder(payloadLimit: 1 << 26)
  /// The frames that `flush` sends.
  @exclusivity(unchecked) var output = FrameWriter()
  @exclusivity(unchecked) private var rest: [UInt8] = []
  @exclusivity(unchecked) private(set) var sentBytes = 0
  @exclusivity(unchecked) private(set) var receivedBytes = 0

  /// Whether bytes wait for the socket.
  var isBlocked: Bool { !rest.isEmpty }
  var isOpen: Bool { socket != nil }
  var descriptor: CInt? { socket?.descriptor }

  /// Connects; false if the hub's queue is full, and the attempt must be repeated.
  func open(_ path: String) throws(LoadError) -> Bool {
    close()
    socket = try Socket.connected(to: path, isBlocking: false)
    return socket != nil
  }

  /// Cuts the connection at once.
  func close() {
    socket = nil
    decoder = FrameDecoder(payloadLimit: 1 << 26)
    output.removeAll()
    rest.removeAll()
  }

  /// Sends what is in `output`, and keeps what the socket does not take; false if the peer has gone.
  func flush() -> Bool {
    if !rest.isEmpty {
      guard let taken = rest.withUnsafeBytes({ socket?.send($0) ?? nil }) else { return false }
      sentBytes += taken
      rest.removeFirst(taken)
    }
    guard output.count > 0 else { return true }
    // Taken out for the call, so that its bytes can be lent to the socket; the memory comes back.
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

  /// Reads what is there, at most some buffers full, and calls a function with each frame.
  ///
  /// - Returns: False if the peer has gone.
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
