/// Tells the observers of a root store when its state is replaced as a whole; and of any change, when the state does
/// not say which of its fields are observed.
@MainActor
final class RootIdentity<State> {
  private let field = ObservedField()
  private var isObserved = false
  private let isObservableState = State.self is any ObservableState.Type
  private var id: ObservableStateID?

  init(_ state: State) {
    id = (state as? any ObservableState)?._$id
  }

  func access() {
    isObserved = true
    field.access()
  }

  func update(_ state: State) {
    guard isObserved else { return }
    guard isObservableState else { return field.changed() }
    let newID = (state as? any ObservableState)?._$id
    guard newID != id else { return }
    id = newID
    field.changed()
  }
}
