public import CasePaths
public import FeatureCore
public import IdentifiedCollections

extension Store {
  /// The store of a child feature, whose state is a part of this one's and whose actions are a case of this one's.
  ///
  /// The same key paths return the same child store. No state is copied.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState>, action toChildAction: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    plainChild(toChildState, toChildAction)
  }

  /// The store of a child feature whose state may be absent; nil while it is absent.
  ///
  /// ```swift
  /// if let store = store.scope(state: \.destination?.edit, action: \.destination.edit) { … }
  /// ```
  ///
  /// A store that outlives its child shows the child's last state.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState?>, action toChildAction: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    optionalChild(toChildState, toChildAction) {
      AnyCasePath(toChildAction).embedding
    }
  }

  /// The store of a presented child feature; nil while it is not presented.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState?>,
    action toChildAction: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    optionalChild(toChildState, toChildAction) {
      let embed = AnyCasePath(toChildAction).embedding
      return { embed(.presented($0)) }
    }
  }

  /// The stores of a collection's elements, created as they are accessed.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    state toElements: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>
  ) -> StoreCollection<ID, ElementState, ElementAction> {
    StoreCollection(plainChild(toElements, toElementAction))
  }

  /// The stores of a stack's elements, created as they are accessed.
  public func scope<ElementState, ElementAction>(
    state toStack: KeyPath<State, StackState<ElementState>>,
    action toStackAction: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>
  ) -> StoreStack<ElementState, ElementAction> {
    StoreStack(plainChild(toStack, toStackAction))
  }

  /// A store of state and actions that closures transform. Each call returns a new store.
  public func scope<ChildState, ChildAction>(
    state toChildState: @escaping (State) -> ChildState, action fromChildAction: @escaping (ChildAction) -> Action
  ) -> Store<ChildState, ChildAction> {
    log("scope")
    func make(_ core: some StoreCore<State, Action>) -> any StoreCore<ChildState, ChildAction> {
      ClosureCore(base: core, state: toChildState, action: fromChildAction)
    }
    return Store<ChildState, ChildAction>(core: make(core), site: site)
  }

  private func plainChild<ChildState, ChildAction>(
    _ toChildState: KeyPath<State, ChildState>, _ toChildAction: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    log("scope")
    return child(state: toChildState, action: toChildAction) {
      core.scoped(state: toChildState, action: AnyCasePath(toChildAction))
    }
  }

  private func optionalChild<ChildState, ChildAction>(
    _ toChildState: KeyPath<State, ChildState?>, _ toChildAction: AnyKeyPath,
    embed: () -> (ChildAction) -> Action
  ) -> Store<ChildState, ChildAction>? {
    log("scope")
    guard let initial = core.read({ $0[keyPath: toChildState] }) else {
      forgetChild(state: toChildState, action: toChildAction)
      return nil
    }
    return child(state: toChildState, action: toChildAction) {
      core.optional(state: { $0[keyPath: toChildState] }, initial: initial, action: embed())
    }
  }
}

extension StoreCore {
  /// The core of a child that may be removed.
  func optional<ChildState, ChildAction>(
    state: @escaping (State) -> ChildState?, initial: ChildState, action: @escaping (ChildAction) -> Action
  ) -> any StoreCore<ChildState, ChildAction> {
    OptionalCore(base: self, state: state, initial: initial, action: action)
  }
}
