internal import FeatureCore
internal import IdentifiedCollections

/// The stores of a collection's elements, in its order.
///
/// It shows the collection at the time of its creation. A store whose element was removed since shows the element's
/// last state.
@MainActor
public struct StoreCollection<ID: Hashable & Sendable, State, Action>: @MainActor RandomAccessCollection {
  private let store: Store<IdentifiedArray<ID, State>, IdentifiedAction<ID, Action>>
  private let elements: IdentifiedArray<ID, State>

  init(_ store: Store<IdentifiedArray<ID, State>, IdentifiedAction<ID, Action>>) {
    self.store = store
    elements = store.state
  }

  public var startIndex: Int { elements.startIndex }
  public var endIndex: Int { elements.endIndex }

  /// The ids of the elements, in order.
  public var ids: [ID] { Array(elements.ids) }

  /// The store of the element at a position.
  public subscript(position: Int) -> Store<State, Action> {
    let element = elements[position]
    return self.store.element(element[keyPath: elements.id], initial: element)
  }

  /// Returns the id of the element at a position.
  package func id(atPosition position: Int) -> ID { elements[position][keyPath: elements.id] }

  /// Returns the position of an element; nil if there is none with that id.
  package func position(of id: ID) -> Int? { elements.index(id: id) }

  /// The store of an element; nil if there is none with that id.
  public subscript(id id: ID) -> Store<State, Action>? {
    elements[id: id].map { store.element(id, initial: $0) }
  }
}

extension Store {
  fileprivate func element<ID, ElementState, ElementAction>(
    _ id: ID, initial: ElementState
  ) -> Store<ElementState, ElementAction>
  where State == IdentifiedArray<ID, ElementState>, Action == IdentifiedAction<ID, ElementAction> {
    child(id) {
      core.optional(state: { $0[id: id] }, initial: initial, action: { .element(id: id, action: $0) })
    }
  }
}

/// The stores of a stack's elements, from the bottom to the top.
@MainActor
public struct StoreStack<State, Action>: @MainActor RandomAccessCollection {
  private let store: Store<StackState<State>, StackAction<State, Action>>
  private let stack: StackState<State>

  init(_ store: Store<StackState<State>, StackAction<State, Action>>) {
    self.store = store
    stack = store.state
  }

  public var startIndex: Int { stack.startIndex }
  public var endIndex: Int { stack.endIndex }

  /// The ids of the elements, from the bottom.
  public var ids: [StackElementID] { Array(stack.ids) }

  /// The store of the element at a position.
  public subscript(position: Int) -> Store<State, Action> {
    store.element(stack.entries[position].id, initial: stack[position])
  }

  /// The store of an element; nil if it is not on the stack.
  public subscript(id id: StackElementID) -> Store<State, Action>? {
    stack[id: id].map { store.element(id, initial: $0) }
  }
}

extension Store {
  fileprivate func element<ElementState, ElementAction>(
    _ id: StackElementID, initial: ElementState
  ) -> Store<ElementState, ElementAction>
  where State == StackState<ElementState>, Action == StackAction<ElementState, ElementAction> {
    child(id) {
      core.optional(
        state: { $0.entries[id: id]?.element }, initial: initial, action: { .element(id: id, action: $0) })
    }
  }
}
