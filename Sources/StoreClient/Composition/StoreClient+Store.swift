public import ComposableCore
public import Dependencies
public import FeatureCore
internal import IssueReporting
internal import Wire

extension StoreClient {
  /// Creates a store of a feature that runs in this process and whose state contains the hub's.
  ///
  /// The feature says by `hub` which part of its state is the hub's. That part is updated whenever the client's store of
  /// it would be: observers of fields that have not changed are not notified, and rows keep their identities. The hub's
  /// actions go to the hub, all others to the feature:
  ///
  /// ```swift
  /// let store = client.store(initialState: Terminal.State()) { Terminal() }
  /// client.start()
  /// observe { print(store.hub.todos.count, store.cursor) }
  /// store.send(.cursorMoved(1))
  /// try await store.send(.hub(.addButtonTapped(text: "milk"))).taken()
  /// ```
  ///
  /// The feature's effects run in this process, those of the hub in the hub. `taken()` of an action throws the reason if
  /// the hub has rejected an action that it has sent. While the hub is unavailable, the part shows the last state, and
  /// actions wait. ``Attachment/show(in:)`` shows parts of the hub's state of a client that does not subscribe to the
  /// whole.
  ///
  /// - Parameters:
  ///   - initialState: The feature's state, with that of the hub that is shown until the hub has sent it.
  ///   - reducer: The feature.
  ///   - prepareDependencies: Overrides dependencies for the feature and its effects.
  public func store<R: Reducer>(
    initialState: @autoclosure () -> R.State, reducer: () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil
  ) -> Store<R.State, R.Action> {
    let hub = MirroredHub()
    let root = ComposableCore.withDependencies {
      $0.mirroredHub = hub
      prepareDependencies?(&$0)
    } operation: {
      RootCore(initialState: initialState(), reducer: CompiledReducer(inPlaceOfCreation: reducer()))
    }
    let core = ComposedCore(root, hub)
    let observer = ConnectionObserver { [weak self, weak core] in
      if let self { core?.connectionChanged(connection) }
    }
    core.connectionObserver = observer
    observeConnection(observer)
    core.connectionChanged(connection)
    if let whole, hub.part(of: whole) != nil { whole.show(in: core) }
    return Store(core: core)
  }
}

extension Attachment {
  /// Shows the part in a store that the client has created, whose feature says by `hub` where.
  ///
  /// It replaces an attachment of the same types that was shown there. An attachment is shown in one store.
  public func show<StoreState, StoreAction>(in store: Store<StoreState, StoreAction>) {
    guard let core = store.core as? ComposedCore<StoreState, StoreAction> else {
      return reportIssue(
        "Only a store that a 'StoreClient' has created shows a part of a hub, and not one of \(StoreState.self).")
    }
    show(in: core)
  }

  func show<StoreState, StoreAction>(in core: ComposedCore<StoreState, StoreAction>) {
    guard core.hub.part(of: self) is HubPart<StoreState, StoreAction, State, Action> else {
      return reportIssue(
        """
        A part of a hub cannot be shown in a store whose feature has no 'hub' for it. …

          Part:
            \(State.self)
          Feature's state:
            \(StoreState.self)

        'hub' is a modifier of the root feature of a store, and not of its children.
        """)
    }
    core.hub.add(self)
    composed = core
    if isKnown { core.update(self) }
  }
}
