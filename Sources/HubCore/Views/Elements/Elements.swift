public import IdentifiedCollections
public import Wire

/// The elements of a collection of the state, or those that operators make of them, kept up to date by the changes.
///
/// A view of elements is not computed anew when its collection changes. Each operator finds what has changed between the
/// version that it has seen last and the current one, and changes its result accordingly: O(log n) look-ups for each
/// changed element, whatever the length of the collection.
///
/// ```swift
/// var views: StateViews<App.State> {
///   StateView("open", Elements(\.todos.todos).filter { !$0.isComplete })
///   StateView("newest", Elements(\.log).sorted(by: \.time, using: >))
///   StateView("mine", for: SystemUser.self) { user in Elements(\.tasks).filter { $0.owner == user.id } }
///   StateView("first", parameter: Int.self) { count in Elements(\.log).sorted(by: \.time).window(0, count) }
///   StateView("states", Elements(\.tasks).grouped(by: \.state))
///   StateView("rows", Elements(\.tasks).joined(with: Elements(\.people), on: \.owner) { Row($0, of: $1) })
/// }
/// ```
///
/// The functions that operators are given depend on nothing but their arguments. They are called again for an element
/// that has changed, and not for others.
///
/// An operator begins with its whole input: O(n), and O(n log n) for `sorted`. For the first client of a view this is done
/// in pieces, over many turns. It also begins again when more than a quarter of its input has changed at once, for example
/// because the state has got another collection. Each keeps its result: an order and an index of the elements, and a
/// reference or a copy of each.
public struct Elements<State, Element: Replicated & Identifiable> where Element.ID: WireValue {
  /// What they are read from.
  let inputs: ElementInputs<State>
  /// Begins to follow the elements of states.
  let follow: () -> Following

  /// Returns the elements of a state, or nil if the budget did not suffice: then it is to be called again, with this state
  /// or a later one.
  typealias Following = (_ state: State, _ budget: inout WorkBudget) -> IdentifiedArrayOf<Element>?

  /// The elements of a collection.
  ///
  /// - Parameter collection: The place of the collection in the state.
  public init(_ collection: KeyPath<State, IdentifiedArrayOf<Element>>) {
    inputs = ElementInputs(collection) { $0[keyPath: collection].isIdentical(to: $1[keyPath: collection]) }
    follow = { { state, _ in state[keyPath: collection] } }
  }

  init(_ inputs: ElementInputs<State>, follow: @escaping () -> Following) {
    (self.inputs, self.follow) = (inputs, follow)
  }

  /// Begins to follow the elements of states, each at once.
  func begin() -> (State) -> IdentifiedArrayOf<Element> {
    let next = follow()
    return { state in
      var budget = WorkBudget.unlimited
      guard let elements = next(state, &budget) else { preconditionFailure("without a limit, all work is done") }
      return elements
    }
  }

  /// The result of an operator that follows these elements.
  func followed<Operator: ElementOperator>(
    by newOperator: @escaping () -> Operator
  ) -> Elements<State, Operator.Result> where Operator.Element == Element {
    Elements<State, Operator.Result>(inputs) { [follow] in
      let (elements, follower) = (follow(), ElementFollower(newOperator()))
      return { state, budget in follower.result(&budget) { elements(state, &$0) } }
    }
  }
}
