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
  /// Called when `store` is replaced or removed.
  public var onChange: (() -> Void)?

  let mirror = TypedMirror<State>()
  /// The state that is shown instead of the mirror's value while actions are pending.
  var prediction: Prediction<State, Action>?
  var isDetached = false
  private let send: (Action) -> StoreTask
  private var core: RemoteCore<State, Action>?

  init(send: @escaping (Action) -> StoreTask) {
    self.send = send
  }

  /// True once the hub has sent the part or its absence.
  public var isKnown: Bool { mirror.revision != nil }

  /// The revision of the part, or 0 before it is known.
  public var revision: UInt64 { mirror.revision ?? 0 }
}

/// An attachment of any types.
protocol AnyAttachment: AnyObject {
  /// True if its subscription has ended.
  var isDetached: Bool { get }
  /// Replaces the store if necessary, and returns true in this case.
  func updateStore() -> Bool
  /// Notifies the store's observers.
  func tell()
  /// Notifies the owner of the attachment that the store was replaced.
  func storeChanged()
}

extension Attachment: AnyAttachment {
  func updateStore() -> Bool {
    if let state = mirror.part {
      guard core == nil else { return false }
      let core = RemoteCore(mirror: mirror, prediction, state: state, send: send)
      self.core = core
      store = Store(core: core)
    } else {
      guard let core, let last = mirror.last else { return false }
      core.end(with: last)
      core.tell()
      (self.core, store) = (nil, nil)
    }
    return true
  }

  func tell() { core?.tell() }
  func storeChanged() { onChange?() }
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

  func read<Result>(_ body: (State) -> Result) -> Result {
    mirrored.access()
    if let last { return body(last) }
    if let predicted = prediction?.state { return body(predicted) }
    guard let part = mirror.part else { preconditionFailure("a store that has not ended has a state") }
    return body(part)
  }

  func send(_ action: Action) -> StoreTask { toHub(action) }

  func end(with state: State) { last = state }

  func tell() {
    guard let state = last ?? prediction?.state ?? mirror.part else { return }
    mirrored.changed(state)
  }
}
