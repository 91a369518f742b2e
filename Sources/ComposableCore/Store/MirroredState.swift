internal import Reducers

/// The observation of a state that is another's, and is changed here to be the same.
@MainActor
package final class MirroredState<State> {
  /// Who wants to be told that the state may have changed.
  package let observers = StoreObservers()
  private let identity: RootIdentity<State>

  package init(_ state: State) {
    identity = RootIdentity(state)
  }

  /// Notes that the state is being read.
  package func access() { identity.access() }

  /// Tells of a state that has changed.
  package func changed(_ state: State) {
    identity.update(state)
    observers.notify()
  }
}

/// Fields of observed states that were changed, whose observers are still to be told.
package struct MirroredChanges {
  private var fields: [ObservedField] = []

  package init() {}

  /// Changes states, which keep their identity. `tell` notifies the observers of the fields that change, when the states can be
  /// read again.
  package mutating func collect(_ change: () -> Void) {
    let turn = Reducing.begin()
    Reducing.keepingIdentity(change)
    fields += Reducing.end(turn)
  }

  /// Takes over what others have collected.
  package mutating func append(_ others: MirroredChanges) { fields += others.fields }

  /// Tells the observers of everything collected, and then runs what is to run once all are told.
  package mutating func tell(_ others: () -> Void) {
    let fields = fields
    self.fields = []
    Reducing.tell {
      others()
      for field in fields { field.changed() }
    }
  }
}
