/// Reads the identities of a type that may have none, without asking the runtime for each value.
@usableFromInline
package enum StateIdentity<State> {
  /// Reads the identity of a value; nil if its type has none.
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
      // Both are the same type, which the compiler cannot know.
      withUnsafePointer(to: state) {
        UnsafeRawPointer($0).assumingMemoryBound(to: Observable.self).pointee._$id
      }
    }
  }
}
