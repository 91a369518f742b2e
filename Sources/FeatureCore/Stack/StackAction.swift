public import CasePaths

/// An action of one element of a stack, or one that changes the stack.
public enum StackAction<State, Action>: CasePathable {
  /// An action of the element with an id.
  indirect case element(id: StackElementID, action: Action)
  /// Pops the element with an id and the elements above it.
  case popFrom(id: StackElementID)
  /// Pushes a state with an id.
  case push(id: StackElementID, state: State)

  /// The case paths. `[id:]` is that of one element.
  public struct AllCasePaths: Sendable {
    /// The actions of all elements, with their ids.
    public var element: AnyCasePath<StackAction, (id: StackElementID, action: Action)> {
      AnyCasePath(
        embed: { .element(id: $0.id, action: $0.action) },
        extract: { if case .element(let id, let action) = $0 { (id, action) } else { nil } })
    }

    /// A pop.
    public var popFrom: AnyCasePath<StackAction, StackElementID> {
      AnyCasePath(embed: { .popFrom(id: $0) }, extract: { if case .popFrom(let id) = $0 { id } else { nil } })
    }

    /// A push.
    public var push: AnyCasePath<StackAction, (id: StackElementID, state: State)> {
      AnyCasePath(
        embed: { .push(id: $0.id, state: $0.state) },
        extract: { if case .push(let id, let state) = $0 { (id, state) } else { nil } })
    }

    /// The actions of one element.
    public subscript(id id: StackElementID) -> AnyCasePath<StackAction, Action> {
      AnyCasePath(
        embed: { .element(id: id, action: $0) },
        extract: {
          guard case .element(id, let action) = $0 else { return nil }
          return action
        })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension StackAction: Equatable where State: Equatable, Action: Equatable {}
extension StackAction: Hashable where State: Hashable, Action: Hashable {}
extension StackAction: Sendable where State: Sendable, Action: Sendable {}

/// The actions of a stack of a reducer's states.
public typealias StackActionOf<R: Reducer> = StackAction<R.State, R.Action>

extension Case {
  /// The actions of one element of a stack: `\.path[id: 0].detail`.
  public subscript<State, ElementAction>(id id: StackElementID) -> Case<ElementAction>
  where Value == StackAction<State, ElementAction> {
    appending(Value.allCasePaths[id: id])
  }
}
