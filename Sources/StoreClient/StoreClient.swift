public import ComposableCore
public import EventLoop
internal import IssueReporting
internal import ReplicaConnection
public import ReplicaCore
public import Senders
public import Wire

/// Attaches to a hub and provides its state, or parts of it, as stores.
///
/// ```swift
/// let client = try StoreClient<AppFeature.State, AppFeature.Action>(loop: loop, path: "/run/user/1000/storehub/hub.sock")
/// client.onConnectionChange = { print(client.connection) }
/// client.onStore = { store in
///   store.send(.counter(.incrementButtonTapped))
/// }
/// client.start()
/// loop.run()
/// ```
///
/// The store stays the same for the lifetime of the client. While the hub is unavailable the store shows the last state
/// and keeps sent actions; when the client has reconnected, it catches up. All work is done on the loop's thread.
@MainActor public final class StoreClient<State: Replicated, Action: WireValue> {
  private let link: ReplicaConnection
  /// The whole state; nil if the client does not subscribe to it.
  private(set) var whole: Attachment<State, Action>?
  private var changes = MirroredChanges()
  /// The attachments whose stores show the effects of pending actions.
  private var predicting: [any AnyAttachment] = []
  /// True if one of these must apply its pending actions again.
  private var mustRebase = false
  private let surroundings = PredictedSurroundings()
  private var reportedByteCount = 0
  private let actionRisks = ReadingRisks(of: Action.self)
  private var connectionObservers: [WeakConnectionObserver] = []
  private var heldEffects = HeldEffects()
  private var outbox: OutboxFile?
  /// The last notice that was reported, until the connection is live.
  private var reportedNotice: String?

  /// The hub's whole state as a store; nil before the first snapshot, and if the client does not subscribe to it.
  public var store: Store<State, Action>? { whole?.store }
  /// This client as the hub's reducer sees it, for features that keep who has what; nil before the hub has opened a
  /// session, and for a hub of an earlier version.
  ///
  /// The connection changes when the client connects again; the session stays, unless the hub has lost it.
  public var identity: HubClient? { link.replica.client }
  /// Called once, with the store, after the first snapshot has arrived.
  public var onStore: ((Store<State, Action>) -> Void)?
  /// Called when `connection` has changed.
  public var onConnectionChange: (() -> Void)?
  /// Called with each new ``connectionNotice``, and when the connection is live after one.
  ///
  /// By default it writes them to standard error, so that a program without a hub does not wait in silence. A program
  /// with a screen of its own sets it to nil, or shows them there.
  public var onConnectionNotice: ((String) -> Void)? = writeToStandardError
  /// Called when `loadedByteCount` has changed.
  public var onProgress: (() -> Void)?
  /// Called when a part differs from the hub's value because of a defect of the hub or the client; the hub's value
  /// replaces it. Without a handler, an issue is reported.
  public var onDivergence: ((Divergence) -> Void)?

  /// Called with the outcome of each action that the outbox had from an earlier process.
  ///
  /// It may be called twice for an action, in two processes, if the first one ends meanwhile. By default failures are
  /// written to standard error.
  public var onRecoveredOutcome: ((RecoveredOutcome<Action>) -> Void)? = { outcome in
    guard case .failure(let error) = outcome.result else { return }
    writeToStandardError("an action of an earlier process of this client: \(error)")
  }

  /// Creates a client that is not started yet.
  ///
  /// - Parameters:
  ///   - loop: The loop of the client, which must outlive it.
  ///   - path: The path of the hub's socket.
  ///   - name: The client's name in the hub's log and among the attendees, in place of the options' name.
  ///   - options: The client's options.
  public init(
    loop: EventLoop, path: String, name: String? = nil, options: ReplicaOptions = ReplicaOptions()
  ) throws(UVError) {
    var options = options
    options.name = name ?? options.name
    link = try ReplicaConnection(
      on: loop, to: path, schema: Schema(state: State.self, action: Action.self), options: options)
    link.onTurn = { [weak self] in self?.endTurn() }
    link.onBytes = { [weak self] bytes in
      guard let self else { return }
      receive(bytes)
    }
    link.replica.onSettled = { [weak self] in self?.settled() }
    link.replica.onRelease = { [weak self] in self?.heldEffects.release(through: $0) }
    if options.subscribesToWholeState { whole = add([], of: .feature) { $0 } }
  }

  /// Creates a client whose actions take effect in `store` immediately, before the hub has answered.
  ///
  /// The reducer changes the state in advance; the effects that it returns are not run here. The hub's answer corrects
  /// the prediction where it differs: because other clients acted first, the hub rejected an action, or its turn has
  /// another time. Ids and random numbers are those that the hub will draw, from the first welcome on.
  /// ``ComposableCore/StoreTask/taken()`` still waits for the hub. Stores of parts show the hub's state, unless they are
  /// attached with a reducer of their own.
  ///
  /// Each change by the hub costs the reducer's work for all pending actions; while there are any, changing a plain
  /// array also copies it. Issues that the reducer reports are ignored here, since an action may meet a state that its
  /// sender did not see.
  ///
  /// - Parameters:
  ///   - loop: The loop of the client, which must outlive it.
  ///   - path: The path of the hub's socket.
  ///   - name: The client's name in the hub's log and among the attendees, in place of the options' name.
  ///   - options: The client's options, which must subscribe to the whole state.
  ///   - reducer: The reducer of the hub's feature.
  ///   - prepareDependencies: Overrides dependencies for the reducer.
  public convenience init<R: Reducer<State, Action>>(
    loop: EventLoop, path: String, name: String? = nil, options: ReplicaOptions = ReplicaOptions(),
    predictingWith reducer: R, withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in }
  ) throws(UVError) {
    precondition(options.subscribesToWholeState, "only the whole state can be predicted")
    try self.init(loop: loop, path: path, name: name, options: options)
    if let whole { predict(whole, with: reducer, prepareDependencies) }
  }

  /// Ends the session, as ``close()`` does. No callback is called.
  isolated deinit {
    link.release {
      if case .store = $0 { storeOutbox() }
      if case .failed(_, let context, let error) = $0 { (context as? StoreTask.Completion)?.complete(.failure(error)) }
    }
  }

  /// The state of the connection to the hub.
  public var connection: ConnectionState { link.replica.connection }

  /// The revision of the state that the store shows.
  public var revision: UInt64 { whole?.revision ?? 0 }

  /// The hub's name; empty before the first welcome.
  public var hubName: String { link.replica.hubName }

  /// The hub's state directory, with its journal; nil if it has none, or this user may not read it.
  package var hubStateDirectory: String? { link.replica.hubStateDirectory }

  /// True if the last attempt to connect has failed because no hub listens on the socket.
  package var isHubMissing: Bool { link.isHubMissing }

  /// True if the hub was refused because it runs another feature, or another version of it that does not fit.
  package var isHubOfOtherFeature: Bool { link.replica.isHubOfOtherFeature }

  /// The path of the hub's socket.
  var path: String { link.path }

  /// The reason with which the hub has ended the last connection, such as a stop by its service manager; nil if the
  /// connection was lost without one, because the hub has crashed or does not answer, and while a session is open.
  public var goodbye: String? { link.replica.goodbye }

  /// While connected to a hub of a cluster that cannot reach the cluster's log: the time on the loop's clock since which
  /// its state may be stale, and actions wait. Otherwise nil.
  public var hubStaleSince: Duration? { link.replica.hubStaleSince }

  /// The number of times that a restarted hub had lost state which this client had seen. The client recovers by itself,
  /// but its user may want to know.
  public var lossCount: Int { link.replica.lossCount }

  /// The number of bytes received of states that are not complete yet.
  public var loadedByteCount: Int { link.replica.loadedByteCount }

  /// The number of actions that the hub has not acknowledged.
  public var pendingActionCount: Int { link.replica.pendingActionCount }

  /// Connects, and retries after each failure until `close`.
  public func start() {
    link.replica.start()
    endTurn()
  }

  /// Asks an idle hub now and then whether it still answers (`ReplicaOptions.probeInterval`), or not any more.
  package func watch(_ isWatched: Bool) {
    link.setProbing(isWatched)
    endTurn()
  }

  /// Ends the session permanently; pending actions fail. The store keeps the last state as long as it is referenced.
  ///
  /// With an outbox, pending actions fail with `ActionError.keptInOutbox`: the next client with this outbox sends them.
  public func close() {
    link.replica.close()
    endTurn()
    whole = nil
    link.end()
  }

  // MARK: Parts

  /// Subscribes to a part of the hub's state. Only changes of that part are sent over the socket.
  ///
  /// - Parameters:
  ///   - path: The path to the part, which need not exist: `{ $0.todos[id: 3] }`.
  ///   - action: Converts an action of the part to an action of the hub's feature.
  /// - Returns: The attachment, which stays subscribed until it is passed to `detach`.
  public func attach<Part, PartAction>(
    to path: (StatePath<State, State>) -> StatePath<State, Part>, action: @escaping (PartAction) -> Action
  ) -> Attachment<Part, PartAction> {
    add(path(StatePath()).steps, of: .feature, action)
  }

  /// Subscribes to a part of the hub's state whose store shows the effects of its actions before the hub has answered.
  ///
  /// - Parameters:
  ///   - path: The path to the part, which need not exist.
  ///   - action: Converts an action of the part to an action of the hub's feature.
  ///   - reducer: The reducer of the part, which changes it as the hub's feature does.
  ///   - prepareDependencies: Overrides dependencies for the reducer.
  /// - Returns: The attachment, which stays subscribed until it is passed to `detach`.
  public func attach<R: Reducer>(
    to path: (StatePath<State, State>) -> StatePath<State, R.State>, action: @escaping (R.Action) -> Action,
    predictingWith reducer: R, withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in }
  ) -> Attachment<R.State, R.Action> where R.State: Replicated {
    let attachment = attach(to: path, action: action)
    predict(attachment, with: reducer, prepareDependencies)
    return attachment
  }

  /// Subscribes to a part of the hub's own state, such as the list of attached clients.
  public func attachToHub<Part>(
    _ path: (StatePath<HubState, HubState>) -> StatePath<HubState, Part>
  ) -> Attachment<Part, Never> {
    add(path(StatePath()).steps, of: .hub) { (never: Never) -> Action in }
  }

  /// Subscribes to a view that the hub's feature declares. Only its changes are sent over the socket.
  ///
  /// ```swift
  /// let counts = client.attach(toView: ViewName<Counts>("counts"), action: { (action: App.Action) in action })
  /// counts.onChange = { print(counts.store?.open ?? 0, client.refusal(of: counts) ?? "") }
  /// ```
  ///
  /// - Parameters:
  ///   - view: The name of the view, with its parameter, and the type of its values.
  ///   - action: Converts an action of the attachment's store to an action of the hub's feature.
  /// - Returns: The attachment, which stays subscribed until it is passed to `detach`.
  public func attach<Value, PartAction>(
    toView view: ViewName<Value>, action: @escaping (PartAction) -> Action
  ) -> Attachment<Value, PartAction> {
    attach(toView: view, at: { $0 }, action: action)
  }

  /// Subscribes to a part of a view, such as a window of its elements.
  ///
  /// ```swift
  /// let page = client.attach(
  ///   toView: ViewName<IdentifiedArrayOf<Todo>>("open"), at: { $0[window: 0..<50] }, action: App.Action.todos)
  /// ```
  ///
  /// - Parameters:
  ///   - view: The name of the view, with its parameter, and the type of its values.
  ///   - path: The path from the view's value to the part.
  ///   - action: Converts an action of the attachment's store to an action of the hub's feature.
  /// - Returns: The attachment, which stays subscribed until it is passed to `detach`.
  public func attach<Value, Part, PartAction>(
    toView view: ViewName<Value>, at path: (StatePath<Value, Value>) -> StatePath<Value, Part>,
    action: @escaping (PartAction) -> Action
  ) -> Attachment<Part, PartAction> {
    let attachment: Attachment<Part, PartAction> = newAttachment(action)
    link.replica.subscribe(
      attachment.mirror, to: view.reference, at: path(StatePath()).steps,
      schema: Schema(state: Value.self, action: Never.self), context: attachment)
    return attachment
  }

  /// Shows another part of the attachment's view, or its value for another parameter.
  ///
  /// The store shows the old value until the hub has sent the new one, in one answer.
  public func move<Value, Part, PartAction>(
    _ attachment: Attachment<Part, PartAction>, toView view: ViewName<Value>,
    at path: (StatePath<Value, Value>) -> StatePath<Value, Part>
  ) {
    link.replica.move(attachment.mirror, to: view.reference, at: path(StatePath()).steps)
    endTurn()
  }

  /// Ends the subscription to a part. Its store keeps the hub's last state, and predicts no actions any more.
  public func detach<Part, PartAction>(_ attachment: Attachment<Part, PartAction>) {
    attachment.isDetached = true
    predicting.removeAll { $0 === attachment }
    attachment.endPrediction()
    link.replica.unsubscribe(attachment.mirror)
  }

  /// Moves the window of an attachment over its collection, as a user scrolls.
  ///
  /// ```swift
  /// let page = client.attach(to: { $0.todos.todos[window: 0..<50] }, action: AppFeature.Action.todos)
  /// client.move(page, to: { $0.todos.todos[window: 50..<100] })
  /// ```
  ///
  /// The store shows the old window until the hub has sent the new one, in one answer; `Window.start` tells which it is.
  public func move<Elements, PartAction>(
    _ attachment: Attachment<Window<Elements>, PartAction>,
    to path: (StatePath<State, State>) -> StatePath<State, Window<Elements>>
  ) {
    link.replica.move(attachment.mirror, to: path(StatePath()).steps)
    endTurn()
  }

  /// The reason why the hub cannot serve a window or a view, whose attachment then has no store: it is of a release without
  /// them, or the window is too large for it; its feature does not declare the view, or with another type, or refuses its
  /// parameter, or this user may not read it; or the part, of any kind, would exceed a limit of the hub. Nil if it can.
  ///
  /// A part that has no place beside the others is requested again when one of these is detached, and after a
  /// reconnection.
  public func refusal<Part, PartAction>(of attachment: Attachment<Part, PartAction>) -> String? {
    link.replica.refusal(of: attachment.mirror)
  }

  /// The kind of the reason that `refusal(of:)` has as a text: `tooManyScopes` for a limit, `notPermitted` or
  /// `unknownScope`. Nil if the hub serves the part, and for a view that it does not compute any more.
  public func refusalCode<Part, PartAction>(of attachment: Attachment<Part, PartAction>) -> PeerErrorCode? {
    link.replica.refusalCode(of: attachment.mirror)
  }

  /// Compares the value of a part with the hub's; `onDivergence` is called if they differ.
  public func verify<Part, PartAction>(_ attachment: Attachment<Part, PartAction>) {
    link.replica.verify(attachment.mirror)
    endTurn()
  }

  /// Subscribes to a part whose store shows the effects of its actions before the hub has answered.
  func attach<Part, PartAction>(
    to path: [PathStep], action: @escaping (PartAction) -> Action,
    predictingBy prediction: Prediction<Part, PartAction>
  ) -> Attachment<Part, PartAction> {
    let attachment: Attachment<Part, PartAction> = add(path, of: .feature, action)
    predict(attachment, by: prediction)
    return attachment
  }

  private func add<Part, PartAction>(
    _ path: [PathStep], of root: StateRoot, _ toAction: @escaping (PartAction) -> Action
  ) -> Attachment<Part, PartAction> {
    let attachment: Attachment<Part, PartAction> = newAttachment(toAction)
    link.replica.subscribe(attachment.mirror, to: path, of: root, context: attachment)
    return attachment
  }

  private func newAttachment<Part, PartAction>(
    _ toAction: @escaping (PartAction) -> Action
  ) -> Attachment<Part, PartAction> {
    let attachment = Attachment<Part, PartAction>()
    attachment.send = { [weak self, weak attachment] action in
      guard let self else { return Self.failedTask(.notConnected(reason: "the client was released")) }
      return send(action, as: toAction, of: attachment)
    }
    return attachment
  }

  private static func failedTask(_ error: ActionError) -> StoreTask {
    let completion = StoreTask.Completion()
    completion.complete(.failure(error))
    return StoreTask(completion: completion, onCancel: nil)
  }

  /// Sends an action with one allocation, for the completion, whatever the size of the action, plus those of a
  /// prediction.
  private func send<Part, PartAction>(
    _ action: PartAction, as toAction: (PartAction) -> Action, of attachment: Attachment<Part, PartAction>?
  ) -> StoreTask {
    let completion = StoreTask.Completion()
    do throws(ActionError) {
      let sent = toAction(action)
      if !actionRisks.isEmpty { try readBack(sent) }
      let ticket = try link.send(context: completion) { sent.encode(to: &$0) }
      completion.setRemote(self, number: ticket.number)
      attachment?.predict(action, ticket)
    } catch {
      completion.complete(.failure(error))
    }
    return StoreTask(completion: completion, onCancel: nil)
  }

  /// Refuses an action that the hub could not read.
  private func readBack(_ action: Action) throws(ActionError) {
    let bytes = action.encoded()
    do throws(WireError) { _ = try Action(decoding: bytes.span.bytes) } catch {
      throw .unreadable(reason: error.problem.description)
    }
  }

  // MARK: Prediction

  private func predict<R: Reducer>(
    _ attachment: Attachment<R.State, R.Action>, with reducer: R,
    _ prepareDependencies: (inout DependencyValues) -> Void
  ) where R.State: Replicated {
    let reducer = ComposableCore.withDependencies(prepareDependencies) { CompiledReducer(reducer) }
    predict(
      attachment,
      by: Prediction(mayRefuse: reducer.mayRefuse) { [surroundings, weak link] state, action, ticket in
        surroundings.surround(
          as: link?.replica.client, link?.replica.randomness(of: ticket), link?.replica.region ?? .standard
        ) {
          withIssueReporters([]) { reducer(&state, action).refusal == nil }
        }
      })
  }

  private func predict<Part, PartAction>(
    _ attachment: Attachment<Part, PartAction>, by prediction: Prediction<Part, PartAction>
  ) {
    attachment.prediction = prediction
    predicting.append(attachment)
  }

  /// Applies the actions that are still pending to the hub's state, and adds the attachments that show them.
  private func rebase(_ changed: inout [any AnyAttachment]) {
    mustRebase = false
    // A local copy, because an attachment's reducer runs meanwhile.
    var changes = self.changes
    for attachment in predicting where attachment.rebase(&changes) {
      if !changed.contains(where: { $0 === attachment }) { changed.append(attachment) }
    }
    self.changes = changes
  }

  /// Records that an action has ended.
  private func ended(_ ticket: ActionTicket) {
    for attachment in predicting where attachment.ended(ticket) { mustRebase = true }
  }

  /// Records that the hub's parts contain exactly the actions that have ended.
  private func settled() {
    for attachment in predicting where attachment.settled() { mustRebase = true }
  }

  // MARK: Events

  /// Calls the observer whenever the connection has changed, until it is released.
  func observeConnection(_ observer: ConnectionObserver) {
    connectionObservers.removeAll { $0.object == nil }
    connectionObservers.append(WeakConnectionObserver(object: observer))
  }

  private func receive(_ bytes: RawSpan) {
    // A local copy, because the replica's callbacks may access `changes` meanwhile.
    var changes = self.changes
    changes.collect { link.received(bytes) }
    self.changes = changes
  }

  // MARK: Commands

  private func endTurn() {
    let hadStore = store != nil
    var changed: [any AnyAttachment] = []
    // A callback may close the client or subscribe; the outer call executes those commands.
    guard link.endTurn({ perform($0, &changed) }) else { return }
    if let onProgress, reportedByteCount != link.replica.loadedByteCount {
      reportedByteCount = link.replica.loadedByteCount
      onProgress()
    }
    if mustRebase { rebase(&changed) }
    // Only now, because all actions have failed in this turn, even if a callback of it has closed the client.
    if link.replica.connection == .closed { (predicting, outbox) = ([], nil) }
    guard !changed.isEmpty else { return }
    let others = changed.filter { $0.updateStore() }
    for attachment in changed { attachment.updateComposed() }
    if !hadStore, let store { onStore?(store) }
    for attachment in others { attachment.storeChanged() }
    var changes = self.changes
    self.changes = MirroredChanges()
    changes.notify { for attachment in changed { attachment.notify() } }
  }

  private func perform(_ command: ReplicaCommand, _ changed: inout [any AnyAttachment]) {
    switch command {
    case .connect, .disconnect, .write: break  // The connection's.
    case .store: storeOutbox()
    case .changed(_, let context):
      guard let attachment = context as? any AnyAttachment, !attachment.isDetached else { return }
      changed.append(attachment)
      if attachment.hubChanged() { mustRebase = true }
    case .diverged(_, let divergence):
      guard let onDivergence else { return reportIssue("\(divergence)") }
      onDivergence(divergence)
    case .connectionChanged:
      reportNotice()
      for observer in connectionObservers { observer.object?.onChange() }
      onConnectionChange?()
    case .applied(let ticket, let context):
      ended(ticket)
      complete(context, .success(()))
    case .failed(let ticket, let context, let error):
      ended(ticket)
      complete(context, .failure(error))
    }
  }

  private func complete(_ context: AnyObject?, _ result: Result<Void, ActionError>) {
    if let completion = context as? StoreTask.Completion {
      completion.complete(result.mapError { $0 })
    } else if let recovered = context as? RecoveredAction<Action> {
      onRecoveredOutcome?(RecoveredOutcome(action: recovered.action, result: result))
    }
  }

  // MARK: The outbox

  /// Opens an outbox, and takes over its session and its actions.
  func open(_ path: String) throws(OutboxError) {
    let outbox = try OutboxFile(path, schema: Schema(state: State.self, action: Action.self))
    var recovered: [(ActionTicket, Action)] = []
    link.replica.restore(try outbox.contents()) { ticket, bytes in
      let action = RecoveredAction<Action>(bytes)
      if let action = action.action { recovered.append((ticket, action)) }
      return action
    }
    for (ticket, action) in recovered { whole?.predict(action, ticket) }
    self.outbox = outbox
  }

  private func storeOutbox() {
    guard let outbox, let changes = link.replica.takeOutboxChanges() else { return }
    do throws(OutboxError) {
      try outbox.store(changes, of: link.replica)
      link.outboxStored()
    } catch {
      link.outboxFailed(reason: error.description)
    }
  }

  /// Reports the connection's notice if it is new, and that the connection is live if there was a notice.
  private func reportNotice() {
    let notice = connectionNotice
    if let notice, notice != reportedNotice {
      reportedNotice = notice
      onConnectionNotice?(notice)
    } else if connection == .live, reportedNotice != nil {
      reportedNotice = nil
      onConnectionNotice?("connected to the hub at \(path)")
    }
  }
}

extension ActionError: RemoteOutcomeError {
  package var isUnknown: Bool { self == .outcomeUnknown }
}

extension StoreClient: RemoteEffects {
  package func cancelEffects(ofAction number: UInt64) {
    let ticket = ActionTicket(number: number)
    heldEffects.remove(ticket)
    link.cancelEffects(of: ticket)
    endTurn()
  }

  package func whenReleased(_ number: UInt64, _ body: @escaping @MainActor () -> Void) {
    heldEffects.add(ActionTicket(number: number), body)
  }
}
