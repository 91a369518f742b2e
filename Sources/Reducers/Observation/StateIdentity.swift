/// Reads identities of a type that may or may not have them, without asking the runtime for each value.
@usableFromInline
package enum StateIdentity<State> {
  /// Reads the identity of a value; nil when its type has none.
  @usableFromInline
  package static var reading: ((borrowing State) -> ObservableStateID)? {
    (State.self as? any ObservableState.Type).map { reading($0) }
  }

  /// Returns true if two states are of an equatable type and equal.
  package static func areEqual(_ lhs: State, _ rhs: State) -> Bool { Sameness.areEqual(lhs, rhs) }

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
