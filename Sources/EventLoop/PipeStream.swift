internal import CUV

/// One end of a connected Unix stream socket.
///
/// Reading lends the loop's buffer to a callback; writing tries the socket first and copies only what it does not
/// take. Neither allocates while the peer keeps up.
public struct PipeStream: ~Copyable {
  final class Box: HandleBox {
    @exclusivity(unchecked) var onBytes: ((RawSpan) -> Void)?
    var onEnd: ((UVError?) -> Void)?
    var onDrained: (() -> Void)?
    var onConnected: ((UVError?) -> Void)?
    var onFinished: (() -> Void)?
    /// The queued writes, oldest first; their memory is that of their requests.
    var queue: [UnsafeRawBufferPointer] = []

    override func forgetCallbacks() {
      (onBytes, onEnd, onDrained, onConnected, onFinished) = (nil, nil, nil, nil, nil)
    }
  }

  private let box: Box

  /// Creates an unconnected stream.
  public init(on loop: EventLoop) throws(UVError) {
    box = Box(loop: loop, type: UV_NAMED_PIPE)
    try box.open("create a socket") { uv_pipe_init(loop.pointer, $0.assumingMemoryBound(to: uv_pipe_t.self), 0) }
  }

  /// Takes over a connected socket; when that fails, the descriptor stays the caller's.
  package static func adopting(_ descriptor: CInt, on loop: EventLoop) throws(UVError) -> PipeStream {
    let stream = try PipeStream(on: loop)
    try stream.open(descriptor)
    return stream
  }

  /// The socket, which stays the stream's; nil once it has gone.
  package var descriptor: CInt? {
    var descriptor: CInt = -1
    return uv_fileno(box.pointer(uv_handle_t.self), &descriptor) == 0 ? descriptor : nil
  }

  /// The bytes that are queued, which whoever takes over the socket must write first.
  package var unsentBytes: [UInt8] {
    let count = queuedByteCount
    return Array(box.queue.joined().suffix(count))
  }

  /// Takes over a connected socket; when that fails, the descriptor stays the caller's.
  func open(_ descriptor: CInt) throws(UVError) {
    try check(uv_pipe_open(box.pointer(uv_pipe_t.self), descriptor), "open a socket")
  }

  var streamPointer: UnsafeMutablePointer<uv_stream_t> { box.pointer(uv_stream_t.self) }

  /// Connects to the socket at a path.
  ///
  /// - Parameters:
  ///   - path: The socket.
  ///   - onConnected: Called once: with nil when connected, else with `noSuchFile`, `connectionRefused` (a socket
  ///     without a listener), `permissionDenied`, `notASocket`, or another error.
  /// - Throws: `invalid` for an empty path or one with a zero byte, `nameTooLong`; at once.
  public func connect(to path: String, onConnected: @escaping (UVError?) -> Void) throws(UVError) {
    try checkSocketPath(path)
    box.onConnected = { error in
      onConnected(error.map { UVError(operation: "connect to", subject: path, code: $0.code) })
    }
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    uv_pipe_connect(request, box.pointer(uv_pipe_t.self), path) { request, status in
      guard let request else { return }
      onLoop((request, status)) { request, status in
        let box = Box.of(UnsafeMutableRawPointer(request.pointee.handle))
        request.deallocate()
        let onConnected = box.onConnected
        box.onConnected = nil
        onConnected?(status < 0 ? UVError(operation: "connect", code: status) : nil)
      }
    }
  }

  /// Starts to hand over what comes in.
  ///
  /// - Parameters:
  ///   - onBytes: Called with bytes that are lent for the length of the call.
  ///   - onEnd: Called once: with nil when the peer has closed its end, else with an error. Nothing comes after it.
  public func startReading(
    onBytes: @escaping (RawSpan) -> Void, onEnd: @escaping (UVError?) -> Void
  ) throws(UVError) {
    box.onBytes = onBytes
    box.onEnd = onEnd
    try resumeReading()
  }

  /// Stops handing over, until `resumeReading` is called.
  public func stopReading() {
    uv_read_stop(streamPointer)
  }

  /// Hands over what comes in again, to the callbacks of `startReading`.
  public func resumeReading() throws(UVError) {
    try check(uv_read_start(streamPointer, lendBuffer, onRead), "read from a socket")
  }

  /// Calls `onDrained` whenever queued bytes have all gone out.
  public func onDrained(_ onDrained: @escaping () -> Void) {
    box.onDrained = onDrained
  }

  /// Writes pieces of a buffer, one behind the other, with one system call if the socket takes them.
  ///
  /// What the socket does not take is copied and queued; `onDrained` tells when it is out. A peer that has gone is
  /// told by `startReading`'s `onEnd`, so an error here may be ignored by who reads too.
  /// - Returns: Whether everything is out.
  public func write(_ bytes: RawSpan, pieces: Span<Range<Int>>) throws(UVError) -> Bool {
    let stream = streamPointer
    let written = uv_stream_get_write_queue_size(stream) == 0 ? Int(tryWrite(stream, bytes, pieces)) : 0
    if written < 0, written != Int(UVError.Code.wouldBlock) {
      throw UVError(operation: "write to a socket", code: CInt(written))
    }
    var taken = max(written, 0)
    for index in pieces.indices {
      let count = pieces[index].count
      guard taken >= count else {
        try queue(bytes, pieces.extracting(index...), skipping: taken)
        return false
      }
      taken -= count
    }
    return true
  }

  /// Writes one piece; see `write(_:pieces:)`.
  public func write(_ bytes: RawSpan) throws(UVError) -> Bool {
    let pieces: InlineArray<1, Range<Int>> = [0..<bytes.byteCount]
    return try write(bytes, pieces: pieces.span)
  }

  /// How many bytes are queued because the socket did not take them.
  public var queuedByteCount: Int { uv_stream_get_write_queue_size(streamPointer) }

  /// Lets queued bytes go out, then tells the peer that no more will come, then calls `onFinished`.
  public func finishWriting(_ onFinished: @escaping () -> Void) {
    box.onFinished = onFinished
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let code = uv_shutdown(request, streamPointer) { request, _ in
      guard let request else { return }
      onLoop(request) { request in
        let box = Box.of(UnsafeMutableRawPointer(request.pointee.handle))
        request.deallocate()
        let onFinished = box.onFinished
        box.onFinished = nil
        onFinished?()
      }
    }
    if code < 0 {
      // The peer is gone already: there is nobody to finish for.
      request.deallocate()
      box.onFinished = nil
      onFinished()
    }
  }

  /// Who the kernel says connected: `SO_PEERCRED`, unix(7).
  public func peerCredentials() throws(UVError) -> PeerCredentials {
    var descriptor: CInt = -1
    try check(uv_fileno(box.pointer(uv_handle_t.self), &descriptor), "look at a socket")
    var credentials = cuv_credentials()
    try check(cuv_peer_credentials(descriptor, &credentials), "ask who connected")
    return PeerCredentials(process: credentials.process, user: credentials.user, group: credentials.group)
  }

  /// Closes the stream at once: what is queued is lost, and no callback comes any more.
  public consuming func close() {}

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }

  /// Copies the pieces, without the first bytes, behind a write request, in one allocation that lives until they are out.
  private func queue(_ bytes: RawSpan, _ pieces: Span<Range<Int>>, skipping taken: Int) throws(UVError) {
    let header = MemoryLayout<uv_write_t>.stride
    var count = -taken
    for index in pieces.indices { count += pieces[index].count }
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: header + count, alignment: MemoryLayout<uv_write_t>.alignment)
    bytes.withUnsafeBytes { bytes in
      var end = memory.advanced(by: header)
      for index in pieces.indices {
        guard let base = bytes.baseAddress else { break }
        let piece = pieces[index].dropFirst(index == 0 ? taken : 0)
        end.copyMemory(from: base.advanced(by: piece.startIndex), byteCount: piece.count)
        end += piece.count
      }
    }
    let request = memory.bindMemory(to: uv_write_t.self, capacity: 1)
    var buffer = uv_buf_init(
      memory.advanced(by: header).assumingMemoryBound(to: CChar.self), CUnsignedInt(count))
    box.queue.append(UnsafeRawBufferPointer(start: memory.advanced(by: header), count: count))
    let code = uv_write(request, streamPointer, &buffer, 1) { request, status in
      guard let request else { return }
      onLoop((request, status)) { request, status in
        let box = Box.of(UnsafeMutableRawPointer(request.pointee.handle))
        // libuv ends the writes of a stream in their order.
        if !box.queue.isEmpty { box.queue.removeFirst() }
        UnsafeMutableRawPointer(request).deallocate()
        guard status == 0, box.isOpen, uv_stream_get_write_queue_size(box.pointer(uv_stream_t.self)) == 0 else {
          return
        }
        box.onDrained?()
      }
    }
    if code < 0 {
      box.queue.removeLast()
      memory.deallocate()
      throw UVError(operation: "write to a socket", code: code)
    }
  }
}

/// Who is at the other end of a socket.
public nonisolated struct PeerCredentials: Equatable, Sendable {
  /// The process that connected.
  public let process: Int32
  /// Its effective user then.
  public let user: UInt32
  /// Its effective group then.
  public let group: UInt32
}

/// Hands pieces of a buffer to the socket; the result is libuv's.
///
/// Not isolated, so that the closures in it are not checked to run on the main actor, once for each write.
private nonisolated func tryWrite(
  _ stream: UnsafeMutablePointer<uv_stream_t>, _ bytes: RawSpan, _ pieces: Span<Range<Int>>
) -> CInt {
  guard !pieces.isEmpty else { return 0 }
  return bytes.withUnsafeBytes { bytes in
    func buffer(_ piece: Range<Int>) -> uv_buf_t {
      let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.advanced(by: piece.lowerBound)
      return uv_buf_init(start?.assumingMemoryBound(to: CChar.self), CUnsignedInt(piece.count))
    }
    guard pieces.count > 1 else {
      var single = buffer(pieces[0])
      return uv_try_write(stream, &single, 1)
    }
    return withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: pieces.count) { buffers in
      for index in pieces.indices { buffers[index] = buffer(pieces[index]) }
      return uv_try_write(stream, buffers.baseAddress, CUnsignedInt(pieces.count))
    }
  }
}

private nonisolated let lendBuffer: uv_alloc_cb = { handle, _, buffer in
  guard let handle, let buffer else { return }
  onLoop(boxOf: UnsafeMutableRawPointer(handle), HandleBox.self, buffer) { box, buffer in
    let bytes = box.loop.readBuffer
    buffer.pointee = uv_buf_init(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CUnsignedInt(bytes.count))
  }
}

private nonisolated let onRead: uv_read_cb = { stream, count, buffer in
  guard let stream else { return }
  onLoop(boxOf: UnsafeMutableRawPointer(stream), PipeStream.Box.self, count) { box, count in
    if count > 0 {
      box.onBytes?(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(box.loop.readBuffer)[..<count]).bytes)
    } else if count < 0 {
      uv_read_stop(box.pointer(uv_stream_t.self))
      let isEnd = count == Int(UVError.Code.endOfFile)
      let onEnd = box.onEnd
      box.onEnd = nil
      onEnd?(isEnd ? nil : UVError(operation: "read from a socket", code: CInt(count)))
    }
  }
}
