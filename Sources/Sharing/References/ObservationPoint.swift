internal import Observation

/// What Observation tracks of a shared reference.
///
/// It is one small class without type parameters, so that its key paths are static: making the key path of a generic
/// property at every read would cost more than the read.
final class ObservationPoint: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var value: Void { () }
  private var status: Void { () }

  func accessValue() { registrar.access(self, keyPath: \.value) }
  func accessStatus() { registrar.access(self, keyPath: \.status) }

  /// Tells observers that the value has changed.
  ///
  /// Called after the change, not around it: an observer on another thread that is woken now and reads again cannot
  /// see the old value and then wait for a change that has already been.
  func valueChanged() { registrar.withMutation(of: self, keyPath: \.value) {} }

  /// Tells observers that loading began or ended, or that an error came or went.
  func statusChanged() { registrar.withMutation(of: self, keyPath: \.status) {} }
}
