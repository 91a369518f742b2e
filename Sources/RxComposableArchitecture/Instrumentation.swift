internal import ConcurrencyExtras
internal import Reducers
internal import Synchronization

/// Calls a function before and after what stores and view stores do, to measure it.
///
/// ```swift
/// Instrumentation.shared = Instrumentation(callback: { info, timing, kind in
///   print(timing, kind, info.action ?? "")
/// })
/// ```
///
/// Stores call it on the main thread. A function that sends actions is called for these too.
public final class Instrumentation: Sendable {
  /// The work that is measured.
  public enum CallbackKind: CaseIterable, Hashable, Sendable {
    /// An action is sent to a store.
    case storeSend
    /// A scope computes its state.
    case storeToLocal
    /// States are compared. Stores here leave this to ``viewStoreDeduplicate``.
    case storeDeduplicate
    /// The reducer changes the state.
    case storeChangeState
    /// An action is processed, also one that an effect has sent.
    case storeProcessEvent
    /// An action is sent to a view store.
    case viewStoreSend
    /// A view store, or a subscription, computes what it shows.
    case viewStoreChangeState
    /// What a view store, or a subscription, shows is compared.
    case viewStoreDeduplicate
  }

  /// Whether the work begins or has ended.
  public enum CallbackTiming: Sendable {
    /// The work begins.
    case pre
    /// The work has ended.
    case post
  }

  /// The store and the action of the work.
  public struct CallbackInfo<StoreKind, Action> {
    /// The type of the store.
    public let storeKind: StoreKind
    /// The action, if the work is for one.
    public let action: Action?
    /// The action whose effect has sent the action, if the sender named it.
    public let originatingAction: Action?
  }

  /// A function that is called before and after work.
  public typealias Callback = (
    _ info: CallbackInfo<Any, Any>, _ timing: CallbackTiming, _ kind: CallbackKind
  ) -> Void
  /// A function that is called with each new view store and the place of its creation.
  public typealias ViewStoreCreatedCallback = (_ instance: AnyObject, _ file: StaticString, _ line: UInt) -> Void

  /// The instrumentation that does nothing.
  public static let noop = Instrumentation()

  private static let current = Mutex(noop)

  /// The instrumentation of stores that are given no other.
  public static var shared: Instrumentation {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  private let callbacks: UncheckedSendable<(callback: Callback?, viewStoreCreated: ViewStoreCreatedCallback?)>

  /// Creates an instrumentation.
  public init(callback: Callback? = nil, viewStoreCreated: ViewStoreCreatedCallback? = nil) {
    callbacks = UncheckedSendable((callback, viewStoreCreated))
  }

  var viewStoreCreated: ViewStoreCreatedCallback? { callbacks.value.viewStoreCreated }

  /// Does work with the callbacks around it.
  func around<Result>(
    _ kind: CallbackKind, _ store: Any.Type, action: @autoclosure () -> Any? = nil, originating: Any? = nil,
    _ work: () -> Result
  ) -> Result {
    guard let callback = callbacks.value.callback else { return work() }
    let info = CallbackInfo<Any, Any>(storeKind: store, action: action(), originatingAction: originating)
    callback(info, .pre, kind)
    defer { callback(info, .post, kind) }
    return work()
  }

  /// The instrumentation of the `send` that is under way, for the reducers that it calls. Used on the main thread.
  @TaskLocal static var sending: Instrumentation?
}

/// A reducer whose calls are measured.
struct Instrumented<Base: Reducers.Reducer>: Reducers.Reducer {
  let base: Base

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile()(&state, action)
  }

  func _compile() -> (inout Base.State, Base.Action) -> Effect<Base.Action> {
    let compiled = base._compile()
    return { state, action in
      let instrumentation = Instrumentation.sending ?? .shared
      let store = Store<Base.State, Base.Action>.self
      return instrumentation.around(.storeProcessEvent, store, action: action) {
        instrumentation.around(.storeChangeState, store, action: action) { compiled(&state, action) }
      }
    }
  }
}
