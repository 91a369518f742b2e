internal import Dispatch
internal import EventLoop
internal import Glibc
internal import Wire

/// A connection to a Unix socket whose events arrive on a queue, until it is released.
final class QueueSocket {
  /// The result of a read.
  enum Received {
    case bytes(Int), nothing, end(UVError?)
  }

  /// Closes the descriptor when both sources have let go of it, which they do after the events that are on their way.
  private final class Descriptor: Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }
  }

  private let descriptor: Descriptor
  private let queue: DispatchQueue
  private let reading: any DispatchSourceRead
  private var writing: (any DispatchSourceWrite)?
  private let onWritable: @Sendable () -> Void
  /// The output that the socket has not accepted.
  private var unwritten: [UInt8] = []

  /// Connects.
  ///
  /// - Parameters:
  ///   - path: The path of the socket.
  ///   - queue: The queue of the events.
  ///   - onReadable: Called when there are bytes to read, or the end; must read until there is nothing.
  ///   - onWritable: Called when output that had to wait can be sent; must call `flush`.
  init(
    to path: String, on queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void,
    onWritable: @escaping @Sendable () -> Void
  ) throws(UVError) {
    let descriptor = Descriptor(try connectedSocket(to: path))
    (self.descriptor, self.queue, self.onWritable) = (descriptor, queue, onWritable)
    reading = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
    reading.setEventHandler(handler: onReadable)
    reading.setCancelHandler { withExtendedLifetime(descriptor) {} }
    reading.activate()
  }

  deinit {
    reading.cancel()
    writing?.cancel()
  }

  /// Reads available bytes into a buffer.
  func read(into buffer: inout [UInt8]) -> Received {
    while true {
      let count = buffer.withUnsafeMutableBytes { recv(descriptor.number, $0.baseAddress, $0.count, 0) }
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end(nil) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .nothing
      default: return .end(UVError(operation: "read from a socket", code: -errno))
      }
    }
  }

  /// Writes a range of the output of a replica.
  /// - Returns: False if some of its bytes wait until the socket accepts them.
  func write(_ output: borrowing FrameWriter, _ range: Range<Int>) -> Bool {
    let bytes = output.span(range)
    guard unwritten.isEmpty else {
      bytes.withUnsafeBytes { unwritten.append(contentsOf: $0) }
      return false
    }
    let count = bytes.withUnsafeBytes { send($0) }
    guard count < bytes.byteCount else { return true }
    bytes.withUnsafeBytes { unwritten.append(contentsOf: $0[count...]) }
    waitUntilWritable()
    return false
  }

  /// Writes what waits.
  /// - Returns: True if nothing waits any more.
  func flush() -> Bool {
    let count = unwritten.withUnsafeBytes { send($0) }
    guard count == unwritten.count else {
      unwritten.removeFirst(count)
      return false
    }
    unwritten = []
    writing?.cancel()
    writing = nil
    return true
  }

  /// Returns how many bytes the socket has accepted. After an error it accepts all: the end of reading reports it.
  private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    var sent = 0
    while sent < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
      let count = Glibc.send(descriptor.number, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        return sent
      } else if errno != EINTR {
        return bytes.count
      }
    }
    return sent
  }

  private func waitUntilWritable() {
    let descriptor = descriptor
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
    source.setEventHandler(handler: onWritable)
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    source.activate()
    writing = source
  }
}
