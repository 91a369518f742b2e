internal import Observation

/// The part of a shared reference that Observation tracks.
///
/// It is a small class without type parameters, so that its key paths are static: creating the key path of a generic
/// property at each read would cost more than the read.
final class ObservationPoint: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var value: Void { () }
  private var status: Void { () }

  func accessValue() { registrar.access(self, keyPath: \.value) }
  func accessStatus() { registrar.access(self, keyPath: \.status) }

  /// Notifies observers of a changed value.
  ///
  /// Called after the change, not around it. Otherwise an observer on another thread could read the old value again and
  /// then wait for a change that has already happened.
  func valueChanged() { registrar.withMutation(of: self, keyPath: \.value) {} }

  /// Notifies observers that loading began or ended, or that an error was set or cleared.
  func statusChanged() { registrar.withMutation(of: self, keyPath: \.status) {} }
}
