/// Tells the observers of a root store when its state is replaced as a whole; and of any change, when the state does
/// not say which of its fields are observed.
@MainActor
final class RootIdentity<State> {
  private let field = ObservedField()
  private var isObserved = false
  private let isObservableState = State.self is any ObservableState.Type
  private var id: ObservableStateID?
  private var lastNumber: UInt64 = 0

  func access(_ state: State) {
    if !isObserved {
      isObserved = true
      (id, lastNumber) = ((state as? any ObservableState)?._$id, Extent.currentNumber)
    }
    field.access()
  }

  /// The field that is to be told of, if the state was replaced.
  func update(_ state: State) -> ObservedField? {
    guard isObserved else { return nil }
    guard isObservableState else { return field }
    let newID = (state as? any ObservableState)?._$id
    let isReplaced = newID?.asOf(lastNumber) != id
    (id, lastNumber) = (newID, Extent.currentNumber)
    return isReplaced ? field : nil
  }
}
