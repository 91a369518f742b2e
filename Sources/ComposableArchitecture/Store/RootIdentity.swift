internal import Reducers

/// Tells the observers of a root store when its state is replaced as a whole; and of any change, when the state does
/// not say which of its fields are observed.
@MainActor
final class RootIdentity<State> {
  private let field = ObservedField()
  /// Whether anybody has ever read the state outside a reducer; without, there is nothing to update.
  private(set) var isObserved = false
  /// Nil when the state is no `ObservableState`.
  private let identify = StateIdentity<State>.reading
  private var id: ObservableStateID?
  /// When `id` was read.
  private var moment = Extent.nextNumber()

  init(_ state: State) {
    id = identify?(state)
  }

  func access() {
    isObserved = true
    field.access()
  }

  func update(_ state: State) {
    guard let identify else { return field.changed() }
    let newID = identify(state)
    let isSame = id.map { newID.continues($0, since: moment) } ?? false
    (id, moment) = (newID, Extent.nextNumber())
    if !isSame { field.changed() }
  }
}
