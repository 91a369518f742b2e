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

/// Reads identities of a type that may or may not have them, without asking the runtime for each value.
enum StateIdentity<State> {
  /// What reads the identity of a value; nil when its type has none.
  static var reading: ((borrowing State) -> ObservableStateID)? {
    (State.self as? any ObservableState.Type).map { reading($0) }
  }

  private static func reading<Observable: ObservableState>(
    _: Observable.Type
  ) -> (borrowing State) -> ObservableStateID {
    { state in
      // The two are one type, of which the compiler knows different things.
      withUnsafePointer(to: state) {
        UnsafeRawPointer($0).assumingMemoryBound(to: Observable.self).pointee._$id
      }
    }
  }
}
