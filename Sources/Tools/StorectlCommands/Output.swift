internal import EventLoop
internal import Glibc

/// Standard output that never blocks the loop: lines are kept until the pipe or terminal accepts them.
final class Output {
  /// The number of kept bytes above which producers should wait.
  private static let limit = 64 * 1024

  private let loop: EventLoop
  /// True if standard output is a terminal.
  let isTerminal = isatty(STDOUT_FILENO) == 1
  private var descriptor: CInt
  private var bytes: [UInt8] = []
  private var start = 0
  private var poll: Poll?
  private var isWaiting = false
  private var drained: CheckedContinuation<Void, Never>?
  /// The reason why no more output can be written, if any.
  private(set) var end: End?
  /// Called once when the output has ended.
  var onEnd: (() -> Void)?
  /// Called with true when too much is kept, and with false when it is written.
  var onFull: ((Bool) -> Void)?
  private var isFull = false

  enum End: Equatable {
    /// The reader has closed the pipe, which is not an error.
    case closed
    /// Writing has failed, for example because the disk is full.
    case failed(String)
  }

  init(loop: EventLoop) {
    self.loop = loop
    descriptor = Self.ownDescriptor
    open()
  }

  /// Writes to another descriptor from now on.
  ///
  /// - Precondition: Nothing is kept for the first one.
  func redirect(to descriptor: CInt) {
    precondition(start == bytes.count)
    poll?.stop()
    self.descriptor = descriptor
    open()
  }

  /// Forgets the descriptor of the last `redirect`, which its owner then closes. Later output is discarded.
  func leave() {
    poll?.stop()
    poll = nil
    if end == nil { end = .closed }
  }

  private func open() {
    // A file is always writable, and cannot be polled.
    poll = try? Poll(on: loop, descriptor: descriptor) { [weak self] in self?.polled($0) }
    poll?.keepsLoopAlive(false)
    watch()
  }

  /// The descriptor for writing. A terminal may accept less than one write, so it is opened a second time, because the
  /// shell shares standard output and expects it to block.
  private static var ownDescriptor: CInt {
    guard isatty(STDOUT_FILENO) == 1 else { return STDOUT_FILENO }
    let own = Glibc.open("/proc/self/fd/\(STDOUT_FILENO)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // A terminal of another user, as after su(1), can only be written through the shared descriptor.
    return own < 0 ? STDOUT_FILENO : own
  }

  /// Appends a line.
  func line(_ text: String) {
    guard end == nil else { return }
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\n"))
    flush()
  }

  /// Waits until everything is written or the output has ended.
  func finish() async {
    guard start < bytes.count, end == nil else { return }
    await withCheckedContinuation { drained = $0 }
  }

  /// Ends a call of `finish` that waits for a reader.
  func endWait() { drained.take()?.resume() }

  /// Discards unwritten output.
  func abandon() {
    if end == nil { end = .closed }
    drained.take()?.resume()
  }

  private func flush() {
    while start < bytes.count, end == nil {
      guard isReady else {
        wait()
        break
      }
      // A pipe that is ready accepts this many bytes at once.
      let count = bytes[start...].prefix(Int(PIPE_BUF)).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        start += count
      } else if errno == EPIPE {
        ended(.closed)
      } else if errno != EINTR, errno != EAGAIN {
        ended(.failed(String(cString: strerror(errno))))
      }
    }
    if start == bytes.count {
      (bytes, start) = ([], 0)
      drained.take()?.resume()
    }
    let isFull = bytes.count - start > Self.limit
    guard isFull != self.isFull, isFull || bytes.isEmpty else { return }
    self.isFull = isFull
    onFull?(isFull)
  }

  private var isReady: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return Glibc.poll(&request, 1, 0) != 0
  }

  /// Waits until the descriptor is writable.
  private func wait() {
    guard !isWaiting else { return }
    isWaiting = true
    poll?.keepsLoopAlive(true)
    try? poll?.start(.writable)
  }

  /// Watches only for the end of the reader, which is reported as an error.
  ///
  /// Only the reader of a pipe has one before something is written. A socket also reports that nothing can be read from
  /// it: systemd closes that direction of the output of services.
  private func watch() {
    isWaiting = false
    poll?.keepsLoopAlive(false)
    if isPipe { try? poll?.start(.disconnected) } else { poll?.stop() }
  }

  private var isPipe: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  private func polled(_ events: Result<Poll.Events, UVError>) {
    guard case .success(let events) = events, !events.contains(.disconnected) || !isPipe else {
      // The end of a terminal is reported by a signal.
      if isatty(descriptor) == 0 { ended(.closed) }
      return
    }
    guard isWaiting else { return }
    watch()
    flush()
  }

  private func ended(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    poll?.stop()
    (bytes, start) = ([], 0)
    drained.take()?.resume()
    onEnd?()
  }
}
