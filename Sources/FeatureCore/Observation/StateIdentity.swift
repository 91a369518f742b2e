/// Reads the identities of a type that may have none, without asking the runtime for each value.
@usableFromInline
package enum StateIdentity<State> {
  /// Reads the identity of a value; nil if its type has none.
  @usableFromInline
  package static var reading: ((borrowing State) -> ObservableStateID)? { ComparedTypes.of(State.self).identify }

  /// Returns true if two states are of an equatable type and equal.
  package static func areEqual(_ lhs: State, _ rhs: State) -> Bool { Sameness.areEqual(lhs, rhs) }
}
