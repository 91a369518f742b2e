internal import FeatureCore

/// Notifies the observers of a root store when its whole state is replaced, and of any change if the state does not
/// observe its own fields.
@MainActor
final class RootIdentity<State> {
  private let field = ObservedField()
  /// True if the state was ever read outside a reducer; otherwise there is nothing to update.
  private(set) var isObserved = false
  /// Nil if the state is not an `ObservableState`.
  private let identify = StateIdentity<State>.reading
  private var id: ObservableStateID?
  /// The moment when `id` was read.
  private var moment = Extent.nextNumber()
  /// A copy of the state, if it is an enum whose payload is not observable.
  private var last: State?

  init(_ state: State) {
    remember(state)
  }

  /// Begins the observation of a state that may have changed since the last `update`.
  func begin(with state: State) {
    isObserved = true
    remember(state)
  }

  /// Records a read.
  func access() {
    isObserved = true
    field.access()
  }

  private func remember(_ state: State) {
    (id, moment) = (identify?(state), Extent.nextNumber())
    last = id?.isUnobservable == true ? state : nil
  }

  func update(_ state: State) {
    guard let identify else { return field.changed() }
    let newID = identify(state)
    var isSame = id.map { newID.continues($0, since: moment) } ?? false
    if newID.isUnobservable, let last { isSame = StateIdentity.areEqual(last, state) }
    (id, moment, last) = (newID, Extent.nextNumber(), newID.isUnobservable ? state : nil)
    if !isSame { field.changed() }
  }
}
