internal import ConcurrencyExtras
public import Dependencies
public import Foundation

extension DependencyValues {
  /// Where features post and observe notifications: the default center, or in tests a new one for each test.
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
  // A center locks what it keeps; only its declaration on this platform does not say so.
  static let liveValue = UncheckedSendable(NotificationCenter.default)
  static var testValue: UncheckedSendable<NotificationCenter> { UncheckedSendable(NotificationCenter()) }
}
