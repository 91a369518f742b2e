public import ComposableCore
internal import ReplicaCore
public import Wire

/// A part of a hub's state that a client subscribes to, as a `Store`.
///
/// ```swift
/// let todo = client.attach(to: { $0.todos[id: 3] }, action: { .todos(.element(id: 3, action: $0)) })
/// todo.onChange = { print(todo.store?.title ?? "there is no such todo") }
/// ```
public final class Attachment<State: Replicated, Action> {
  /// The part as a store; nil before the hub has sent it, and while the part does not exist.
  ///
  /// When the part disappears, its store keeps the last state; if the part exists again, it gets a new store.
  public private(set) var store: Store<State, Action>?
  /// Called when `store` is replaced or removed, and when it is first known that there is none: the hub has no such part,
  /// or does not serve it (`StoreClient.refusal(of:)`).
  public var onChange: (() -> Void)?
  /// Called when the store's state has changed, or the store.
  var onValue: (() -> Void)?

  let mirror = TypedMirror<State>()
  /// The state that is shown instead of the mirror's value while actions are pending.
  var prediction: Prediction<State, Action>?
  /// The changes that the pending actions have made in the shown state.
  private var predictedChanges = MirroredChanges()
  /// True if the pending actions must be applied again: one has ended, or the settled state is another one.
  private var mustRebase = false
  var isDetached = false
  /// Sends an action to the hub. Set before the first value arrives.
  var send: (Action) -> StoreTask = { _ in StoreTask() }
  private var core: RemoteCore<State, Action>?
  /// True if the owner has been told of the part or of its absence.
  private var isReported = false
  /// The store of another feature that has this part in its state.
  weak var composed: (any ComposedStore)?

  init() {}

  /// True once the hub has sent the part or its absence.
  public var isKnown: Bool { mirror.revision != nil }

  /// The part as its store shows it, also before the end of the turn in which the store is created.
  var value: State? { prediction?.state ?? mirror.part }

  /// True if `value` lacks the effects of pending actions: it is unknown how many of them the hub's first value contains.
  var lacksPendingActions: Bool { prediction.map { $0.pendingCount > 0 && $0.state == nil } ?? false }

  /// The revision of the part, or 0 before it is known.
  public var revision: UInt64 { mirror.revision ?? 0 }
}

/// An attachment of any types.
protocol AnyAttachment: AnyObject {
  /// True if its subscription has ended.
  var isDetached: Bool { get }
  /// Replaces the store if necessary. Returns true in this case, and when it is first known that there is none.
  func updateStore() -> Bool
  /// Updates the store of another feature that has this part in its state.
  func updateComposed()
  /// Notifies the store's observers.
  func notify()
  /// Notifies the owner of the attachment that the store was replaced.
  func storeChanged()
  /// Records that the hub's value has changed. Returns true if `rebase` is necessary.
  func hubChanged() -> Bool
  /// Records that the hub's value contains exactly the actions that have ended. Returns true if `rebase` is necessary.
  func settled() -> Bool
  /// Records that an action has ended. Returns true if `rebase` is necessary.
  func ended(_ ticket: ActionTicket) -> Bool
  /// Applies the actions that are still pending to the settled value, and adds the changes. Returns true if it was
  /// necessary.
  func rebase(_ changes: inout MirroredChanges) -> Bool
}

extension Attachment: AnyAttachment {
  func updateStore() -> Bool {
    let isFirst = isKnown && !isReported
    if isFirst { isReported = true }
    if let state = mirror.part {
      guard core == nil else { return false }
      let core = RemoteCore(mirror: mirror, prediction, state: state, send: send)
      self.core = core
      store = Store(core: core)
    } else {
      guard let core, let last = mirror.last else { return isFirst }
      core.end(with: last)
      core.notify()
      (self.core, store) = (nil, nil)
    }
    return true
  }

  func updateComposed() { composed?.update(self) }

  func notify() {
    core?.notify()
    onValue?()
  }

  func storeChanged() { onChange?() }

  func hubChanged() -> Bool {
    // A part that does not exist has no predicted state.
    mirror.part == nil ? settled() : mustRebase
  }

  func settled() -> Bool {
    if prediction?.settle(on: mirror.part) == true { mustRebase = true }
    return mustRebase
  }

  func ended(_ ticket: ActionTicket) -> Bool {
    if prediction?.ended(ticket) == true { mustRebase = true }
    return mustRebase
  }

  /// Shows the changes of an action immediately.
  func predict(_ action: Action, _ ticket: ActionTicket) {
    guard let prediction else { return }
    var changes = MirroredChanges()
    changes.collect { prediction.sent(action, as: ticket, on: mirror.part) }
    predictedChanges.append(changes)
    updateComposed()
    changes.notify { notify() }
  }

  /// Shows the hub's state from now on. The outcomes of the pending actions are not reported here any more.
  func endPrediction() {
    guard let ended = prediction else { return }
    prediction = nil
    guard ended.state != nil else { return }
    ended.removeAll()
    var changes = predictedChanges
    predictedChanges = MirroredChanges()
    updateComposed()
    changes.notify { notify() }
  }

  /// Earlier changes of the pending actions may be undone, so observers of these are notified too.
  func rebase(_ changes: inout MirroredChanges) -> Bool {
    guard mustRebase, let prediction else { return false }
    mustRebase = false
    changes.append(predictedChanges)
    predictedChanges = MirroredChanges()
    predictedChanges.collect { prediction.rebase() }
    changes.append(predictedChanges)
    return true
  }
}

/// The core of a store that mirrors a hub's state.
final class RemoteCore<State: Replicated, Action>: StoreCore {
  private let mirror: TypedMirror<State>
  private let prediction: Prediction<State, Action>?
  private let toHub: (Action) -> StoreTask
  private let mirrored: MirroredState<State>
  /// The last state of the part before it disappeared.
  private var last: State?

  init(
    mirror: TypedMirror<State>, _ prediction: Prediction<State, Action>?, state: State,
    send: @escaping (Action) -> StoreTask
  ) {
    (self.mirror, self.prediction) = (mirror, prediction)
    toHub = send
    mirrored = MirroredState(state)
  }

  var isAlive: Bool { last == nil }
  /// The hub does.
  var reducesHere: Bool { false }
  var observers: StoreObservers { mirrored.observers }

  /// The hub's state of the part; the last one if the part has disappeared, which is handled at the end of the turn.
  private var confirmed: State? { mirror.part ?? mirror.last }

  func read<Result>(_ body: (State) -> Result) -> Result {
    mirrored.access()
    if let last { return body(last) }
    if let predicted = prediction?.state { return body(predicted) }
    guard let state = confirmed else { preconditionFailure("the mirror of a store has had a state") }
    return body(state)
  }

  func send(_ action: Action) -> StoreTask { toHub(action) }

  func end(with state: State) { last = state }

  func notify() {
    guard let state = last ?? prediction?.state ?? confirmed else { return }
    mirrored.changed(state)
  }
}
