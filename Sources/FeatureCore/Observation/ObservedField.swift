internal import Observation

/// One field of one state, for its observers.
///
/// It exists only for fields that were read outside a reducer, so a change of any other field costs one look-up.
package final class ObservedField: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  /// Stands for the field's value, which is stored elsewhere.
  private var value: Void { () }

  package init() {}

  /// Makes the current tracking, if there is one, depend on the field.
  package func access() { registrar.access(self, keyPath: \.value) }

  /// Notifies the readers of the field.
  package func changed() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
