/// The collections of a state that elements are read from.
struct ElementInputs<State> {
  typealias AreSame = (_ old: State, _ new: State) -> Bool

  private var collections: [PartialKeyPath<State>: AreSame]

  /// No collection.
  init() { collections = [:] }

  /// A collection, with a function that returns true for two versions of it that are one.
  init(_ collection: PartialKeyPath<State>, areSame: @escaping AreSame) { collections = [collection: areSame] }

  /// The number of collections.
  var count: Int { collections.count }

  mutating func add(_ other: ElementInputs) { collections.merge(other.collections) { known, _ in known } }

  /// Returns true if one of the collections has changed between two states, or may have.
  /// - Complexity: O(1) for each collection.
  func differ(from old: State, in new: State) -> Bool { collections.values.contains { !$0(old, new) } }
}

/// The collections that the values of one view are read from, as far as they are known: a parameter may choose others.
final class ElementReads<State> {
  private var inputs = ElementInputs<State>()

  /// The number of collections from which they are no longer collected. Each value then looks at its own.
  private static var limit: Int { 16 }

  private var isComplete: Bool { inputs.count < Self.limit }

  /// Adds those of a new value.
  func add(_ other: ElementInputs<State>) {
    if isComplete { inputs.add(other) }
  }

  /// Returns true if one of the collections has changed between two states, or may have.
  /// - Complexity: O(1).
  func differ(from old: State, in new: State) -> Bool { !isComplete || inputs.differ(from: old, in: new) }
}
