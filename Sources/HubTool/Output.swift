internal import EventLoop
internal import Glibc

/// Standard output, which never keeps the loop: what a pipe or a terminal does not take is kept, and written when it does.
final class Output {
  /// Above this whoever makes output should wait.
  private static let limit = 64 * 1024

  private let loop: EventLoop
  private let descriptor = STDOUT_FILENO
  private var bytes: [UInt8] = []
  private var start = 0
  private var poll: Poll?
  private var isWaiting = false
  private var drained: CheckedContinuation<Void, Never>?
  /// Whether nobody reads the output any more, or it cannot be written: why.
  private(set) var end: End?
  /// Called once when nobody reads any more.
  var onEnd: (() -> Void)?
  /// Called with true when there is more than should be kept, and with false when it is out.
  var onFull: ((Bool) -> Void)?
  private var isFull = false

  enum End: Equatable {
    /// The reader has gone, which is its right.
    case closed
    /// Such as a full disk.
    case failed(String)
  }

  init(loop: EventLoop) {
    self.loop = loop
    // A file can be written at any time, and cannot be polled.
    poll = try? Poll(on: loop, descriptor: descriptor) { [weak self] in self?.polled($0) }
    poll?.keepsLoopAlive(false)
    watch()
  }

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Appends a line.
  func line(_ text: String) {
    guard end == nil else { return }
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\n"))
    flush()
  }

  /// Waits until everything is written, or cannot be.
  func finish() async {
    guard start < bytes.count, end == nil else { return }
    await withCheckedContinuation { drained = $0 }
  }

  /// Gives up what could not be written.
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
      // A pipe that is ready takes as many at once.
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

  /// Waits for room.
  private func wait() {
    guard !isWaiting else { return }
    isWaiting = true
    poll?.keepsLoopAlive(true)
    try? poll?.start(.writable)
  }

  /// Watches for the end of the reader alone, which comes as an error.
  private func watch() {
    isWaiting = false
    poll?.keepsLoopAlive(false)
    try? poll?.start(.disconnected)
  }

  private func polled(_ events: Result<Poll.Events, UVError>) {
    guard case .success(let events) = events, !events.contains(.disconnected) else {
      // A terminal that hangs up sends a signal.
      if !isTerminal { ended(.closed) }
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
