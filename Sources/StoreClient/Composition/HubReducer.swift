public import CasePaths
internal import Dependencies
public import FeatureCore
internal import IssueReporting
internal import ReplicaCore
public import Wire

nonisolated extension Reducer {
  /// Makes a hub's state a part of this feature's state, and the hub's actions a case of its actions.
  ///
  /// ```swift
  /// @Reducer struct Client {
  ///   @ObservableState struct State: Equatable {
  ///     var hub = Todos.State()
  ///     var cursor = 0
  ///   }
  ///   enum Action {
  ///     case cursorMoved(Int)
  ///     case hub(Todos.Action)
  ///     case hubEvent(MirrorEvent<Todos.Action>)
  ///   }
  ///   var body: some ReducerOf<Self> {
  ///     Reduce { state, action in … }
  ///       .hub(\.hub, action: \.hub, event: \.hubEvent) { Todos() }
  ///   }
  /// }
  ///
  /// let store = client.store(initialState: Client.State()) { Client() }
  /// ```
  ///
  /// In a store that a ``StoreClient`` has created, the hub's feature does not run here: each of its actions is sent to
  /// the hub once, after this reducer has seen it, and the part shows what the hub has, with the effects of pending
  /// actions if the client predicts. In any other store, such as a `TestStore`, the hub's feature runs in place, with its
  /// effects, so that tests make assertions on both halves.
  ///
  /// This reducer may read the part, and changes it by actions only. If it writes to it, that is an issue, and the part
  /// stays as it was. Apply the modifier last, to the root feature of the store, so that it sees all that the feature
  /// does; only `onChange` follows it, and runs when the hub has changed the value.
  ///
  /// - Parameters:
  ///   - toHubState: The part with the hub's state. Until the hub has sent it, and while it does not exist there, it keeps
  ///     its last value.
  ///   - toHubAction: The case of the hub's actions.
  ///   - toEvent: The case of events: changes, actions that failed, the connection. Without it the part is updated, but no
  ///     reducer runs.
  ///   - hub: The hub's feature.
  /// - Complexity: O(1) for each action, for parts that the action does not change.
  public func hub<HubState: Replicated, HubAction, Hub: Reducer<HubState, HubAction>>(
    _ toHubState: WritableKeyPath<State, HubState>, action toHubAction: CaseKeyPath<Action, HubAction>,
    event toEvent: CaseKeyPath<Action, MirrorEvent<HubAction>>? = nil,
    @ReducerBuilder<HubState, HubAction> _ hub: () -> Hub,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    let hub = hub()
    return HubReducer(
      base: self,
      part: HubPart(
        read: { $0[keyPath: toHubState] },
        write: { state, value in if let value { state[keyPath: toHubState] = value } },
        action: AnyCasePath(toHubAction), event: toEvent.map { AnyCasePath($0) }),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column),
      inPlace: { Scope(state: toHubState, action: toHubAction) { hub }._compile() })
  }

  /// Makes a part of a hub's state a part of this feature's state; nil until the hub has sent it, and while it does not
  /// exist there.
  ///
  /// - Parameters:
  ///   - toHubState: The part.
  ///   - toHubAction: The case of the part's actions.
  ///   - toEvent: The case of events: changes, actions that failed, the connection.
  ///   - hub: The part's feature in the hub.
  public func hub<HubState: Replicated, HubAction, Hub: Reducer<HubState, HubAction>>(
    _ toHubState: WritableKeyPath<State, HubState?>, action toHubAction: CaseKeyPath<Action, HubAction>,
    event toEvent: CaseKeyPath<Action, MirrorEvent<HubAction>>? = nil,
    @ReducerBuilder<HubState, HubAction> _ hub: () -> Hub,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    let hub = hub()
    return HubReducer(
      base: self,
      part: HubPart(
        read: { $0[keyPath: toHubState] }, write: { $0[keyPath: toHubState] = $1 },
        action: AnyCasePath(toHubAction), event: toEvent.map { AnyCasePath($0) }),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column),
      inPlace: { EmptyReducer().ifLet(toHubState, action: toHubAction) { hub }._compile() })
  }
}

/// A part of a feature's state that is a hub's, whatever the hub's types.
nonisolated protocol ConnectedPart<Action> {
  associatedtype Action
  /// The event of a connection; nil if the feature takes no events.
  func action(for connection: ConnectionState) -> Action?
}

/// The part of a feature's state that is a hub's, and the cases of the feature's actions that concern it.
nonisolated struct HubPart<State, Action, HubState: Replicated, HubAction>: ConnectedPart {
  let read: (State) -> HubState?
  let write: (inout State, HubState?) -> Void
  let action: AnyCasePath<Action, HubAction>
  let event: AnyCasePath<Action, MirrorEvent<HubAction>>?

  func isChange(_ action: Action) -> Bool {
    if case .changed? = event?.extract(from: action) { true } else { false }
  }

  func action(for connection: ConnectionState) -> Action? { event?.embed(.connection(connection)) }

  static func differs(_ value: HubState?, from base: HubState?) -> Bool {
    switch (value, base) {
    case (let value?, let base?): value.differs(from: base)
    case (nil, nil): false
    default: true
    }
  }
}

/// A feature, and the feature of the hub whose state is a part of its own.
private nonisolated struct HubReducer<Base: Reducer, HubState: Replicated, HubAction>: Reducer {
  typealias Part = HubPart<Base.State, Base.Action, HubState, HubAction>

  let base: Base
  let part: Part
  let site: CompositionSite
  /// Compiles the hub's feature for a store without a hub.
  let inPlace: () -> CompiledReducer<Base.State, Base.Action>
  /// The hub of the store for which the reducer is compiled.
  @Dependency(\.mirroredHub) private var hub

  init(
    base: Base, part: Part, site: CompositionSite,
    inPlace: @escaping () -> CompiledReducer<Base.State, Base.Action>
  ) {
    (self.base, self.part, self.site, self.inPlace) = (base, part, site, inPlace)
  }

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let base = base._compile()
    guard let hub else { return compiledInPlace(base) }
    let part = part
    hub.declare(part)
    return CompiledReducer { state, action in
      if part.isChange(action) { part.write(&state, hub.shown(HubState.self, HubAction.self)) }
      let effects = reduce(&state, action, base)
      guard let hubAction = part.action.extract(from: action) else { return effects }
      return effects.merge(with: hub.forward(hubAction, part, site))
    }
  }

  private func compiledInPlace(
    _ base: CompiledReducer<Base.State, Base.Action>
  ) -> CompiledReducer<Base.State, Base.Action> {
    let (inPlace, part) = (inPlace(), part)
    return CompiledReducer { state, action in
      let effects = reduce(&state, action, base)
      guard part.action.extract(from: action) != nil else { return effects }
      let before = part.event == nil ? nil : part.read(state)
      let all = effects.merge(with: inPlace(&state, action))
      guard let event = part.event, Part.differs(part.read(state), from: before) else { return all }
      return all.merge(with: .send(event.embed(.changed)))
    }
  }

  /// Runs the feature, which must not write to the hub's part.
  private func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ base: CompiledReducer<Base.State, Base.Action>
  ) -> Effect<Base.Action> {
    let before = part.read(state)
    let effects = base(&state, action)
    if Part.differs(part.read(state), from: before) {
      part.write(&state, before)
      reportIssue(
        """
        A reducer changed the state of a hub in this process. …

          Action:
            \(DebugLabels.of(action))
          State:
            \(HubState.self)

        The hub has the only reducer of this state, so the change was taken back. Send an action of the hub instead.
        """, fileID: site.location.fileID, filePath: site.location.filePath, line: site.location.line,
        column: site.location.column)
    }
    return effects
  }
}
