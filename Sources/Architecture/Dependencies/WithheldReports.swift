internal import Synchronization

/// The reports of a value that is created where it may still be overridden. They are made when it is first used.
final class WithheldReports: Sendable {
  typealias Report = @Sendable () -> Void

  @TaskLocal private static var current: WithheldReports?

  private let reports = Mutex<[Report]>([])

  /// Creates a value; outside the use of dependencies, its reports are withheld.
  static func collect<Value>(_ create: () -> Value) -> (Value, [Report]) {
    if case .reading = DependencyValues.phase { return (create(), []) }
    let withheld = WithheldReports()
    let value = $current.withValue(withheld, operation: create)
    return (value, withheld.reports.withLock { $0 })
  }

  /// Makes a report now, or later if the value is only created now.
  static func make(_ report: @escaping Report) {
    if case .reading = DependencyValues.phase { return report() }
    current?.reports.withLock { $0.append(report) }
  }
}
