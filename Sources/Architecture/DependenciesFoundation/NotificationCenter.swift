internal import ConcurrencyExtras
public import Dependencies
public import Foundation

extension DependencyValues {
  /// The center for posting and observing notifications: the default center; in tests, a new one for each test.
  ///
  /// ```swift
  /// @Dependency(\.notificationCenter) var notificationCenter
  /// notificationCenter.post(name: .counted, object: nil)
  /// ```
  public var notificationCenter: NotificationCenter {
    get { self[NotificationCenterKey.self].value }
    set { self[NotificationCenterKey.self] = UncheckedSendable(newValue) }
  }
}

private enum NotificationCenterKey: DependencyKey {
  // Unchecked: a center is thread-safe; only its declaration on this platform does not say so.
  static let liveValue = UncheckedSendable(NotificationCenter.default)
  static var testValue: UncheckedSendable<NotificationCenter> { UncheckedSendable(NotificationCenter()) }
}
