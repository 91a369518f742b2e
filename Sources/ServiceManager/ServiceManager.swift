internal import CSystemd
internal import Glibc

/// The service manager that started this process, such as systemd: it is told how the process is, and it keeps open
/// descriptors for the process that comes after.
///
/// Every call is one message on the socket that `NOTIFY_SOCKET` names (sd_notify(3)). Without a service manager it does
/// nothing.
public struct ServiceManager: Sendable {
  /// What a service manager is told.
  public enum Notification: Equatable, Sendable {
    /// The service serves, for the first time or again after `reloading`.
    case ready
    /// The service reads its configuration again.
    case reloading
    /// The service is about to end.
    case stopping
    /// A line for `systemctl status`.
    case status(String)
    /// The error by which the service fails.
    case error(CInt)
    /// The service is alive.
    case watchdog
    /// The current phase of the service's life, its start or its end, needs this much longer from now on.
    case extendTimeout(Duration)
  }

  /// Creates the connection to the service manager, which is the same for the whole process.
  public init() {}

  /// Whether there is a service manager that takes notifications.
  public var isPresent: Bool { getenv("NOTIFY_SOCKET").map { $0.pointee != 0 } ?? false }

  /// Tells the service manager something, in one message.
  /// - Returns: Whether there is one, and it got the message.
  @discardableResult
  public func notify(_ notifications: Notification...) -> Bool {
    sd_notify(0, notifications.map(\.text).joined(separator: "\n")) > 0
  }

  /// The time after which the service manager ends a process that does not say `watchdog`; nil if it does not wait for
  /// it.
  public var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  // MARK: Descriptors

  /// Gives the service manager a copy of a descriptor, for the process that it starts next.
  ///
  /// It takes no more than `FileDescriptorStoreMax=` and says nothing of one that it did not take. It compares each with
  /// all that it has, so many descriptors go in a `DescriptorBox`.
  ///
  /// - Parameters:
  ///   - descriptor: What to keep open, even if it is a socket whose other end goes.
  ///   - name: The name under which the next process finds it.
  /// - Returns: Whether there is a service manager, and it got the message.
  public func store(_ descriptor: CInt, as name: String) -> Bool {
    sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0", [descriptor], 1) > 0
  }

  /// Has the service manager close its copies of the descriptors with a name.
  public func removeDescriptors(named name: String) {
    sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)")
  }

  /// Waits until the service manager has handled all messages before; false when it did not within the time.
  public func synchronize(within timeout: Duration) -> Bool {
    sd_notify_barrier(0, timeout.microseconds) > 0
  }
}

extension ServiceManager.Notification {
  /// The lines of sd_notify(3).
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
  /// Whole microseconds; 0 for a negative duration.
  var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}
