internal import Observation

/// One field of one state, for those who observe it.
///
/// It exists only for fields that somebody has read outside a reducer, so a change of any other field costs a look-up.
final class ObservedField: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  /// Stands for the field's value, which is elsewhere.
  private var value: Void { () }

  /// Notes that the current tracking, if there is one, depends on the field.
  func access() { registrar.access(self, keyPath: \.value) }

  /// Tells those who read the field.
  func changed() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
