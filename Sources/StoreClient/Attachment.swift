public import ComposableArchitecture
internal import ReplicaCore
public import Wire

/// A part of a hub's state that a client follows, as a `Store`.
///
/// ```swift
/// let todo = client.attach(to: { $0.todos[id: 3] }, action: { .todos(.element(id: 3, action: $0)) })
/// todo.onChange = { print(todo.store?.title ?? "there is no such todo") }
/// ```
public final class Attachment<State: Replicated, Action> {
  /// The part as a store; nil before the hub has told what is there, and while nothing is.
  ///
  /// When the part goes away its store shows what it was last; when it comes again there is another store.
  public private(set) var store: Store<State, Action>?
  /// Called when `store` is another one, or none.
  public var onChange: (() -> Void)?

  let mirror: Mirror<State>
  private let send: (Action) -> StoreTask
  private var core: RemoteCore<State, Action>?

  init(mirror: Mirror<State>, send: @escaping (Action) -> StoreTask) {
    (self.mirror, self.send) = (mirror, send)
  }

  /// Whether the hub has told what is there.
  public var isKnown: Bool { mirror.isKnown }

  /// The revision at which the hub last told something of the part.
  public var revision: UInt64 { mirror.revision }
}

/// An attachment whatever its types are.
protocol AnyAttachment: AnyObject {
  var id: MirrorID { get }
  /// Gives out another store if there must be one, and says whether there is.
  func updateStore() -> Bool
  /// Tells who observes the store.
  func tell()
  /// Tells who follows the attachment that there is another store.
  func storeChanged()
}

extension Attachment: AnyAttachment {
  var id: MirrorID { mirror.id }

  func updateStore() -> Bool {
    if let state = mirror.part {
      guard core == nil else { return false }
      let core = RemoteCore(mirror: mirror, state: state, send: send)
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

/// The core of a store whose state is a hub's.
final class RemoteCore<State: Replicated, Action>: StoreCore {
  private let mirror: Mirror<State>
  private let toHub: (Action) -> StoreTask
  private let mirrored: MirroredState<State>
  /// What the part was when it went away.
  private var last: State?

  init(mirror: Mirror<State>, state: State, send: @escaping (Action) -> StoreTask) {
    self.mirror = mirror
    toHub = send
    mirrored = MirroredState(state)
  }

  var isAlive: Bool { last == nil }
  var observers: StoreObservers { mirrored.observers }

  func read<Result>(_ body: (State) -> Result) -> Result {
    mirrored.access()
    if let last { return body(last) }
    guard let part = mirror.part else { preconditionFailure("a store that has not ended has a state") }
    return body(part)
  }

  func send(_ action: Action) -> StoreTask { toHub(action) }

  func end(with state: State) { last = state }

  func tell() {
    guard let state = last ?? mirror.part else { return }
    mirrored.changed(state)
  }
}
