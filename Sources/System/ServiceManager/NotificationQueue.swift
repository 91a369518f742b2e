internal import CSystemd
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The messages of this process to its service manager, sent in order by a thread of their own.
///
/// sd_notify(3) blocks while the socket of the service manager is full, without a time limit. A service manager that is
/// slow or stopped would otherwise stop the hub's loop.
final class NotificationQueue: Sendable {
  static let shared = NotificationQueue()

  /// The maximum number of waiting messages.
  static let limit = 4096

  private let queue = DispatchQueue(label: "service-manager")
  private let count = Mutex(0)

  /// The number of messages that the service manager's socket has not taken.
  var waitingCount: Int { count.withLock { $0 } }

  /// Sends a message later.
  ///
  /// - Parameters:
  ///   - text: The message, as in sd_notify(3).
  ///   - descriptor: A descriptor to send with it, of which a copy is kept until then.
  /// - Returns: False if too many messages wait or the process has no more descriptors; the message is then lost.
  func send(_ text: String, with descriptor: CInt? = nil) -> Bool {
    let isAdmitted = count.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    guard isAdmitted else { return false }
    let copy = descriptor.map(Self.copy)
    guard copy ?? 0 >= 0 else {
      count.withLock { $0 -= 1 }
      return false
    }
    queue.async {
      Self.deliver(text, copy)
      self.count.withLock { $0 -= 1 }
    }
    return true
  }

  /// Sends messages with a descriptor each, after all earlier ones, and waits until the service manager has handled them.
  ///
  /// - Returns: False if one could not be sent, or if that takes longer than the timeout.
  func send(_ messages: [(text: String, descriptor: CInt)], within timeout: Duration) -> Bool {
    let copies = messages.map { (text: $0.text, descriptor: Self.copy($0.descriptor)) }
    let (isDone, isTaken) = (DispatchSemaphore(value: 0), Flag())
    queue.async {
      var areSent = true
      for copy in copies where copy.descriptor < 0 || !Self.deliver(copy.text, copy.descriptor) { areSent = false }
      isTaken.value.withLock { $0 = areSent && sd_notify_barrier(0, timeout.microseconds) > 0 }
      isDone.signal()
    }
    return isDone.wait(timeout: .now() + timeout.dispatched) == .success && isTaken.value.withLock { $0 }
  }

  /// Waits until all messages were sent. Returns false if that takes longer than the timeout.
  func flush(within timeout: Duration) -> Bool {
    let isSent = DispatchSemaphore(value: 0)
    queue.async { isSent.signal() }
    return isSent.wait(timeout: .now() + timeout.dispatched) == .success
  }

  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  private static func copy(_ descriptor: CInt) -> CInt { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

  /// Sends a message and closes the descriptor.
  @discardableResult
  private static func deliver(_ text: String, _ descriptor: CInt?) -> Bool {
    guard let descriptor else { return sd_notify(0, text) > 0 }
    defer { close(descriptor) }
    return sd_pid_notify_with_fds(0, 0, text, [descriptor], 1) > 0
  }
}

extension Duration {
  fileprivate var dispatched: DispatchTimeInterval { .microseconds(Int(clamping: microseconds)) }
}
