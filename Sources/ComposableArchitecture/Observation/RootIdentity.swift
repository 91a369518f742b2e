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

  /// The field that is to be told of, if the state was replaced.
  func update(_ state: State) -> ObservedField? {
    guard isObserved else { return nil }
    guard isObservableState else { return field }
    let newID = (state as? any ObservableState)?._$id
    guard newID != id else { return nil }
    id = newID
    return field
  }
}
