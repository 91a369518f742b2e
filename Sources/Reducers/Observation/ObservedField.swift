internal import Observation

/// One field of one state, for those who observe it.
///
/// It exists only for fields that somebody has read outside a reducer, so a change of any other field costs a look-up.
package final class ObservedField: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  /// Stands for the field's value, which is elsewhere.
  private var value: Void { () }

  package init() {}

  /// Notes that the current tracking, if there is one, depends on the field.
  package func access() { registrar.access(self, keyPath: \.value) }

  /// Tells those who read the field.
  package func changed() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
