internal import CEpoll
internal import Glibc

/// The sockets of one thread and their readiness (epoll(7)).
struct Poller: ~Copyable {
  private let descriptor: CInt
  private let events: UnsafeMutableBufferPointer<epoll_event>

  /// A readable or writable socket.
  struct Event {
    var token: Int
    var isReadable: Bool
    var isWritable: Bool
  }

  init() throws(LoadError) {
    descriptor = cepoll_create()
    events = .allocate(capacity: 256)
    guard descriptor >= 0 else { throw .failed("cannot watch sockets: \(Socket.errorText)") }
  }

  deinit {
    events.deallocate()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Starts to watch a socket.
  func add(_ socket: CInt, token: Int, writes: Bool) { change(1, socket, true, writes, token) }

  /// Changes the events for which a socket is watched.
  func update(_ socket: CInt, token: Int, reads: Bool, writes: Bool) { change(3, socket, reads, writes, token) }

  private func change(_ operation: CInt, _ socket: CInt, _ reads: Bool, _ writes: Bool, _ token: Int) {
    _ = cepoll_change(descriptor, operation, socket, reads ? 1 : 0, writes ? 1 : 0, UInt64(token))
  }

  /// Waits for some nanoseconds at most, and calls a function with each socket that is ready.
  func wait(nanoseconds: UInt64, _ body: (Event) -> Void) {
    let count = cepoll_wait(descriptor, events.baseAddress, CInt(events.count), Int64(nanoseconds))
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      let event = events.baseAddress.map { $0 + index }
      body(
        Event(
          token: Int(cepoll_data(event)), isReadable: cepoll_is_readable(event) != 0,
          isWritable: cepoll_is_writable(event) != 0))
    }
  }
}
