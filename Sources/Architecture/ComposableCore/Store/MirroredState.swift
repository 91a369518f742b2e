internal import FeatureCore

/// Observation of a local copy of a state that another owner changes.
@MainActor
package final class MirroredState<State> {
  /// The observers of the state.
  package let observers = StoreObservers()
  private let identity: RootIdentity<State>

  package init(_ state: State) {
    identity = RootIdentity(state)
  }

  /// Records a read of the state.
  package func access() { identity.access() }

  /// Notifies the observers of a changed state.
  package func changed(_ state: State) {
    identity.update(state)
    observers.notify()
  }
}

/// Changed fields of observed states whose observers are not notified yet.
@MainActor
package struct MirroredChanges {
  private var fields: [ObservedField] = []

  package nonisolated init() {}

  /// Changes states, which keep their identity. `tell` notifies the observers of the changed fields, once the states
  /// can be read again.
  package mutating func collect(_ change: () -> Void) {
    let turn = Reducing.begin()
    Reducing.keepingIdentity(change)
    fields += Reducing.end(turn)
  }

  /// Adds changes that were collected elsewhere.
  package mutating func append(_ others: MirroredChanges) { fields += others.fields }

  /// Notifies the observers of everything collected, then runs the operations that wait for the notifications.
  package mutating func notify(_ others: () -> Void) {
    let fields = fields
    self.fields = []
    Reducing.notify {
      others()
      for field in fields { field.changed() }
    }
  }
}
