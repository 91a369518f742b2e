internal import CUV
internal import Glibc

/// One end of a connected stream socket: a Unix socket, or one of TCP (`tcp(on:)`).
///
/// Reading lends the loop's buffer to a callback. Writing first tries the socket and copies only the bytes that it does
/// not accept. Neither allocates while the peer keeps up.
public struct PipeStream: ~Copyable {
  @safe final class Box: HandleBox {
    // Safe: a request removes its memory from the queue before it frees it, and the owner of `activity` keeps its memory
    // until it takes it back (`marksActivity`).
    // The properties of the hot path omit the run-time exclusivity check: they are replaced, never changed in place.

    @exclusivity(unchecked) var onBytes: ((RawSpan) -> Void)?
    var onEnd: ((UVError?) -> Void)?
    var onDrained: (() -> Void)?
    var onConnected: ((UVError?) -> Void)?
    var onFinished: (() -> Void)?
    /// The queued writes, oldest first; the requests own their memory.
    var queue: [UnsafeRawBufferPointer] = unsafe []
    /// The byte of `PipeStream.marksActivity`.
    @exclusivity(unchecked) var activity: UnsafeMutablePointer<UInt8>?

    /// True if the owner has stopped reading. libuv only learns of it when more bytes arrive: if reading resumes before
    /// that, two epoll_ctl(2) are saved.
    @exclusivity(unchecked) var isPaused = false
    /// True if libuv polls the socket for reading.
    @exclusivity(unchecked) var isPolled = false

    /// The maximum size of one read while the loop limits reads.
    @exclusivity(unchecked) var readLimit = ReadBuffer.byteCount

    /// Sets the byte before a system call. The compiler does not move the store across the call.
    @inline(__always) func noteActivity() {
      if let activity = unsafe activity { unsafe cuv_store(activity, 1) }
    }

    /// True if the peer has closed its end.
    private var hasEnded = false

    /// Stops reading and calls `onEnd`. After the end of the peer's direction, a write can still fail.
    func end(_ error: UVError?) {
      stopPolling()
      if error == nil, hasEnded { return }
      hasEnded = true
      let onEnd = onEnd
      if error != nil { self.onEnd = nil }
      onEnd?(error)
    }

    func stopPolling() {
      unsafe isPolled = false
      unsafe uv_read_stop(pointer(uv_stream_t.self))
    }

    override func forgetCallbacks() {
      unsafe (onBytes, onEnd, onDrained, onConnected, onFinished) = (nil, nil, nil, nil, nil)
      unsafe activity = nil
    }
  }

  private let box: Box

  /// Creates an unconnected stream.
  public init(on loop: EventLoop) throws(UVError) {
    box = Box(loop: loop, type: UV_NAMED_PIPE)
    try unsafe box.open("create a socket") {
      unsafe uv_pipe_init(loop.pointer, $0.assumingMemoryBound(to: uv_pipe_t.self), 0)
    }
  }

  /// Creates an unconnected stream over TCP.
  init(tcpOn loop: EventLoop) throws(UVError) {
    box = Box(loop: loop, type: UV_TCP)
    try unsafe box.open("create a socket") {
      unsafe uv_tcp_init(loop.pointer, $0.assumingMemoryBound(to: uv_tcp_t.self))
    }
  }

  /// Takes over a connected socket; on failure, the caller still owns the descriptor.
  package static func adopting(_ descriptor: CInt, on loop: EventLoop) throws(UVError) -> PipeStream {
    let stream = try PipeStream(on: loop)
    try stream.open(descriptor)
    return stream
  }

  /// The socket, which the stream still owns; nil after it was closed.
  package var descriptor: CInt? {
    var descriptor: CInt = -1
    return unsafe uv_fileno(box.pointer(uv_handle_t.self), &descriptor) == 0 ? descriptor : nil
  }

  /// The queued bytes, which the next owner of the socket must write first.
  package var unsentBytes: [UInt8] {
    let count = queuedByteCount
    return unsafe Array(box.queue.joined().suffix(count))
  }

  /// Sets a byte to 1 before each read from the socket and each write to it, from now on; nil stops this.
  ///
  /// The byte may be in memory that survives the process. If another process finds another value there after a crash,
  /// at whatever moment, nothing was read or written since that value was stored.
  package func marksActivity(in byte: UnsafeMutablePointer<UInt8>?) { unsafe box.activity = unsafe byte }

  /// Takes over a connected socket; on failure, the caller still owns the descriptor.
  func open(_ descriptor: CInt) throws(UVError) {
    try unsafe check(uv_pipe_open(box.pointer(uv_pipe_t.self), descriptor), "open a socket")
  }

  var streamPointer: UnsafeMutablePointer<uv_stream_t> { unsafe box.pointer(uv_stream_t.self) }

  func streamPointer<Handle>(as type: Handle.Type) -> UnsafeMutablePointer<Handle> { unsafe box.pointer(type) }

  /// Connects to the socket at a path.
  ///
  /// - Parameters:
  ///   - path: The socket.
  ///   - onConnected: Called once: with nil when connected, else with `noSuchFile`, `connectionRefused` (a socket
  ///     without a listener), `permissionDenied`, `notASocket`, or another error.
  /// - Throws: `invalid` for an empty path or one with a zero byte, or `nameTooLong`, without connecting.
  public func connect(to path: String, onConnected: @escaping (UVError?) -> Void) throws(UVError) {
    try checkSocketPath(path)
    let request = unsafe prepareConnecting(to: path, onConnected)
    unsafe uv_pipe_connect(request, box.pointer(uv_pipe_t.self), path, onStreamConnected)
  }

  /// Makes a request for `onStreamConnected`, which frees it.
  func prepareConnecting(
    to subject: String, _ onConnected: @escaping (UVError?) -> Void
  ) -> UnsafeMutablePointer<uv_connect_t> {
    box.onConnected = { error in
      onConnected(error.map { UVError(operation: "connect to", subject: subject, code: $0.code) })
    }
    return UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
  }

  /// Starts reading.
  ///
  /// - Parameters:
  ///   - onBytes: Called with bytes that are valid during the call.
  ///   - onEnd: Called with nil when the peer has closed its end; nothing more is read. Called with the error of reading
  ///     or of a queued write, also after that; no calls follow.
  public func startReading(
    onBytes: @escaping (RawSpan) -> Void, onEnd: @escaping (UVError?) -> Void
  ) throws(UVError) {
    unsafe box.onBytes = onBytes
    box.onEnd = onEnd
    try resumeReading()
  }

  /// Stops reading until `resumeReading` is called. Until something arrives, the stream still keeps the loop alive.
  public func stopReading() {
    unsafe box.isPaused = true
  }

  /// Resumes reading, with the callbacks of `startReading`.
  public func resumeReading() throws(UVError) {
    unsafe box.isPaused = false
    guard unsafe !box.isPolled else { return }
    try unsafe check(uv_read_start(streamPointer, lendBuffer, onRead), "read from a socket")
    unsafe box.isPolled = true
  }

  /// The maximum size of one read while `EventLoop.limitsReads` is true. The default is the size of the loop's buffer.
  package var readLimit: Int {
    get { unsafe box.readLimit }
    nonmutating set { unsafe box.readLimit = min(max(newValue, 1), ReadBuffer.byteCount) }
  }

  /// Calls `onDrained` whenever all queued bytes have been sent.
  public func onDrained(_ onDrained: @escaping () -> Void) {
    box.onDrained = onDrained
  }

  /// Writes consecutive ranges of a buffer, with one system call if the socket accepts them.
  ///
  /// The remaining bytes are copied and queued; `onDrained` reports when they have been sent. A disconnected peer is
  /// also reported by `onEnd` of `startReading`, so a caller that reads may ignore errors here.
  /// - Returns: True if all bytes have been sent.
  public func write(_ bytes: RawSpan, ranges: Span<Range<Int>>) throws(UVError) -> Bool {
    box.noteActivity()
    unsafe box.loop.activity.pointee = true
    // While earlier bytes are queued, libuv writes nothing and reports `wouldBlock`.
    let written = unsafe Int(tryWrite(streamPointer, bytes, ranges))
    if ranges.count == 1, written == ranges[0].count { return true }
    return try finish(bytes, ranges, written: written)
  }

  /// Queues the bytes that the socket did not accept. Returns true if there are none.
  private func finish(_ bytes: RawSpan, _ ranges: Span<Range<Int>>, written: Int) throws(UVError) -> Bool {
    if written < 0, written != Int(UVError.Code.wouldBlock) {
      throw UVError(operation: "write to a socket", code: CInt(written))
    }
    var taken = max(written, 0)
    for index in ranges.indices {
      let count = ranges[index].count
      guard taken >= count else {
        try queue(bytes, ranges.extracting(index...), skipping: taken)
        return false
      }
      taken -= count
    }
    return true
  }

  /// Writes one range; see `write(_:ranges:)`.
  public func write(_ bytes: RawSpan) throws(UVError) -> Bool {
    let ranges: InlineArray<1, Range<Int>> = [0..<bytes.byteCount]
    return try write(bytes, ranges: ranges.span)
  }

  /// The number of bytes that are queued because the socket did not accept them.
  public var queuedByteCount: Int { unsafe uv_stream_get_write_queue_size(streamPointer) }

  /// Sends the queued bytes, then shuts down writing, then calls `onFinished`.
  public func finishWriting(_ onFinished: @escaping () -> Void) {
    box.noteActivity()
    box.onFinished = onFinished
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let code = unsafe uv_shutdown(request, streamPointer) { request, _ in
      guard let request = unsafe request else { return }
      unsafe onLoop(request) { request in
        let box = unsafe Box.of(UnsafeMutableRawPointer(request.pointee.handle))
        unsafe request.deallocate()
        let onFinished = box.onFinished
        box.onFinished = nil
        onFinished?()
      }
    }
    if code < 0 {
      // The peer has already disconnected, so there is nothing to finish.
      unsafe request.deallocate()
      box.onFinished = nil
      onFinished()
    }
  }

  /// The credentials of the peer according to the kernel: `SO_PEERCRED` and `SO_PEERGROUPS`, unix(7).
  public func peerCredentials() throws(UVError) -> PeerCredentials {
    var descriptor: CInt = -1
    try unsafe check(uv_fileno(box.pointer(uv_handle_t.self), &descriptor), "look at a socket")
    var credentials = cuv_credentials()
    try unsafe check(cuv_peer_credentials(descriptor, &credentials), "get the user of the peer")
    return PeerCredentials(
      process: credentials.process, user: credentials.user, group: credentials.group,
      groups: try Self.peerGroups(of: descriptor))
  }

  private static func peerGroups(of descriptor: CInt) throws(UVError) -> [UInt32] {
    // Linux allows 65,536 groups; most processes have a few.
    for capacity in [32, 65_536] {
      var count: CInt = 0
      let groups = unsafe [UInt32](unsafeUninitializedCapacity: capacity) { buffer, initialized in
        guard let base = buffer.baseAddress else { return }
        count = unsafe cuv_peer_groups(descriptor, base, CInt(capacity))
        initialized = Int(max(count, 0))
      }
      switch count {
      case -ERANGE: continue
      // Kernels before 4.13 do not state them; the peer then has only its own group.
      case -ENOPROTOOPT: return []
      default:
        try check(min(count, 0), "get the groups of the peer")
        return groups
      }
    }
    throw UVError(operation: "get the groups of the peer", code: -ERANGE)
  }

  /// Closes the stream immediately. Queued bytes are lost, and no callbacks follow.
  public consuming func close() {}

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }

  /// Copies the ranges, except the first `taken` bytes, behind a write request, in one allocation that is freed when
  /// they have been sent.
  private func queue(_ bytes: RawSpan, _ ranges: Span<Range<Int>>, skipping taken: Int) throws(UVError) {
    let header = unsafe MemoryLayout<uv_write_t>.stride
    var count = -taken
    for index in ranges.indices { count += ranges[index].count }
    let memory = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: header + count, alignment: MemoryLayout<uv_write_t>.alignment)
    unsafe bytes.withUnsafeBytes { bytes in
      var end = unsafe memory.advanced(by: header)
      for index in ranges.indices {
        guard let base = bytes.baseAddress else { break }
        let range = ranges[index].dropFirst(index == 0 ? taken : 0)
        unsafe end.copyMemory(from: base.advanced(by: range.startIndex), byteCount: range.count)
        unsafe end += range.count
      }
    }
    let request = unsafe memory.bindMemory(to: uv_write_t.self, capacity: 1)
    var buffer = unsafe uv_buf_t(base: memory.advanced(by: header).assumingMemoryBound(to: CChar.self), len: count)
    unsafe box.queue.append(UnsafeRawBufferPointer(start: memory.advanced(by: header), count: count))
    let code = unsafe uv_write(request, streamPointer, &buffer, 1) { request, status in
      guard let request = unsafe request else { return }
      unsafe onLoop((request, status)) { request, status in
        let box = unsafe Box.of(UnsafeMutableRawPointer(request.pointee.handle))
        // libuv completes the writes of a stream in order.
        if unsafe !box.queue.isEmpty { unsafe box.queue.removeFirst() }
        unsafe UnsafeMutableRawPointer(request).deallocate()
        guard box.isOpen else { return }
        guard status == 0 else { return box.end(UVError(operation: "write to a socket", code: status)) }
        if unsafe uv_stream_get_write_queue_size(box.pointer(uv_stream_t.self)) == 0 { box.onDrained?() }
      }
    }
    if code < 0 {
      unsafe box.queue.removeLast()
      unsafe memory.deallocate()
      throw UVError(operation: "write to a socket", code: code)
    }
  }
}

/// The peer of a socket.
public nonisolated struct PeerCredentials: Equatable, Sendable {
  /// The process that connected.
  public let process: Int32
  /// Its effective user when it connected.
  public let user: UInt32
  /// Its effective group when it connected.
  public let group: UInt32
  /// Its supplementary groups then.
  public let groups: [UInt32]
}

/// Passes ranges of a buffer to the socket; returns libuv's result.
///
/// Not isolated, so that each write does not check that its closures run on the main actor. Inlined, because after a
/// system call the processor mispredicts the return from each function around it.
@inline(__always)
private nonisolated func tryWrite(
  _ stream: UnsafeMutablePointer<uv_stream_t>, _ bytes: RawSpan, _ ranges: Span<Range<Int>>
) -> CInt {
  guard ranges.count == 1 else { return unsafe tryWriteAll(stream, bytes, ranges) }
  return unsafe bytes.withUnsafeBytes { bytes in
    var single = unsafe buffer(ranges[0], of: bytes)
    return unsafe uv_try_write(stream, &single, 1)
  }
}

@inline(never)
private nonisolated func tryWriteAll(
  _ stream: UnsafeMutablePointer<uv_stream_t>, _ bytes: RawSpan, _ ranges: Span<Range<Int>>
) -> CInt {
  guard !ranges.isEmpty else { return 0 }
  return unsafe bytes.withUnsafeBytes { bytes in
    unsafe withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: ranges.count) { buffers in
      for index in ranges.indices { unsafe buffers[index] = unsafe buffer(ranges[index], of: bytes) }
      return unsafe uv_try_write(stream, buffers.baseAddress, CUnsignedInt(ranges.count))
    }
  }
}

private nonisolated func buffer(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> uv_buf_t {
  let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.advanced(by: range.lowerBound)
  return unsafe uv_buf_t(base: start?.assumingMemoryBound(to: CChar.self), len: range.count)
}

nonisolated let onStreamConnected: uv_connect_cb = { request, status in
  guard let request = unsafe request else { return }
  unsafe onLoop((request, status)) { request, status in
    let box = unsafe PipeStream.Box.of(UnsafeMutableRawPointer(request.pointee.handle))
    unsafe request.deallocate()
    unsafe box.loop.activity.pointee = true
    let onConnected = box.onConnected
    box.onConnected = nil
    onConnected?(status < 0 ? UVError(operation: "connect", code: status) : nil)
  }
}

private nonisolated let lendBuffer: uv_alloc_cb = { handle, _, buffer in
  guard let handle = unsafe handle, let buffer = unsafe buffer else { return }
  unsafe onLoop(boxOf: UnsafeMutableRawPointer(handle), PipeStream.Box.self, buffer) { box, buffer in
    // Without a buffer, libuv reads nothing and calls `onRead` with an error.
    guard unsafe !box.isPaused else { return }
    // libuv reads immediately after this callback.
    box.noteActivity()
    let (loop, bytes) = unsafe (box.loop, box.loop.readBytes)
    let count = unsafe loop.limitsReads ? box.readLimit : bytes.count
    unsafe buffer.pointee = unsafe uv_buf_t(base: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), len: count)
  }
}

private nonisolated let onRead: uv_read_cb = { stream, count, buffer in
  guard let stream = unsafe stream else { return }
  unsafe onLoop(boxOf: UnsafeMutableRawPointer(stream), PipeStream.Box.self, count) { box, count in
    if unsafe box.isPaused {
      box.stopPolling()
    } else if count > 0 {
      unsafe box.loop.lastReadCount.pointee = count
      unsafe box.loop.activity.pointee = true
      unsafe box.onBytes?(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(box.loop.readBytes)[..<count]).bytes)
    } else if count < 0 {
      let isEnd = count == Int(UVError.Code.endOfFile)
      box.end(isEnd ? nil : UVError(operation: "read from a socket", code: CInt(count)))
    }
  }
}
