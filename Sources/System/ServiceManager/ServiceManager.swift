internal import CSystemd
internal import Glibc

/// The service manager that started this process, such as systemd. It receives notifications about the process, and
/// keeps descriptors open for the next process.
///
/// Each call sends one message to the socket in `NOTIFY_SOCKET` (sd_notify(3)), on a thread of its own and in order, so
/// that no call but those with a time limit waits for the service manager. Without a service manager calls have no
/// effect.
package struct ServiceManager: Sendable {
  /// A notification for the service manager.
  package enum Notification: Equatable, Sendable {
    /// The service is ready, for the first time or again after `reloading`.
    case ready
    /// The service is reloading its configuration.
    case reloading
    /// The service is stopping.
    case stopping
    /// A line for `systemctl status`.
    case status(String)
    /// The error that makes the service fail.
    case error(CInt)
    /// The service is alive.
    case watchdog
    /// The current phase, start or stop, needs this much longer from now on.
    case extendTimeout(Duration)
  }

  /// Creates the connection to the service manager, of which a process has only one.
  package init() {}

  /// True if there is a service manager that accepts notifications.
  package var isPresent: Bool { getenv("NOTIFY_SOCKET").map { $0.pointee != 0 } ?? false }

  /// Sends a notification in one message. Call `flush` before the process ends.
  /// - Returns: True if there is a service manager and the message was sent or waits.
  @discardableResult
  package func notify(_ notifications: Notification...) -> Bool {
    send(notifications.map(\.text).joined(separator: "\n"))
  }

  /// The time after which the service manager ends a process that does not send `watchdog`; nil if there is no
  /// watchdog.
  package var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  // MARK: Descriptors

  /// The maximum number of descriptors that the service manager stores (`FileDescriptorStoreMax=`); nil if it does not
  /// report it, as systemd before version 254.
  package var storeLimit: Int? { getenv("FDSTORE").flatMap { Int(String(cString: $0)) } }

  /// Gives the service manager a copy of a descriptor, for the process that it starts next.
  ///
  /// It accepts up to `FileDescriptorStoreMax=` descriptors, and does not report those that it rejects. It compares
  /// each with all stored ones, so use a `DescriptorBox` for many descriptors.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor to keep open, even if it is a socket whose other end is closed.
  ///   - name: The name by which the next process finds it.
  /// - Returns: True if there is a service manager and the message was sent or waits.
  package func store(_ descriptor: CInt, as name: String) -> Bool {
    send(Self.storing(name), with: descriptor)
  }

  /// Gives the service manager copies of descriptors, and waits until it has handled them and all earlier messages.
  ///
  /// - Returns: False if it has not taken them within the timeout.
  package func store(_ descriptors: [(name: String, descriptor: CInt)], within timeout: Duration) -> Bool {
    guard isPresent else { return false }
    return NotificationQueue.shared.send(
      descriptors.map { (Self.storing($0.name), $0.descriptor) }, within: timeout)
  }

  /// Tells the service manager to close its copies of the descriptors with a name.
  package func removeDescriptors(named name: String) {
    _ = send("FDSTOREREMOVE=1\nFDNAME=\(name)")
  }

  private static func storing(_ name: String) -> String { "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0" }

  // MARK: Messages

  /// The number of messages that wait because the service manager does not read.
  package var waitingCount: Int { NotificationQueue.shared.waitingCount }

  /// Waits until all messages were sent. Returns false if that takes longer than the timeout.
  @discardableResult
  package func flush(within timeout: Duration) -> Bool { NotificationQueue.shared.flush(within: timeout) }

  private func send(_ text: String, with descriptor: CInt? = nil) -> Bool {
    isPresent && NotificationQueue.shared.send(text, with: descriptor)
  }
}

extension ServiceManager.Notification {
  /// The text of the message, as in sd_notify(3).
  var text: String {
    switch self {
    case .ready: "READY=1"
    case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds())"
    case .stopping: "STOPPING=1"
    case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
    case .error(let code): "ERRNO=\(code)"
    case .watchdog: "WATCHDOG=1"
    case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(duration.microseconds)"
    }
  }

  private static func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
  }
}

extension Duration {
  /// The duration in whole microseconds; 0 if it is negative.
  var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}
