internal import ConcurrencyExtras
internal import FeatureCore
internal import Synchronization

/// Measures stores and view stores by calling a function before and after their work.
///
/// ```swift
/// Instrumentation.shared = Instrumentation(callback: { info, timing, kind in
///   print(timing, kind, info.action ?? "")
/// })
/// ```
///
/// Stores call the function on the main thread, also for the actions that the function itself sends.
public final class Instrumentation: Sendable {
  /// The work that is measured.
  public enum CallbackKind: CaseIterable, Hashable, Sendable {
    /// An action is sent to a store.
    case storeSend
    /// A scope computes its state.
    case storeToLocal
    /// States are compared. Stores do not compare here; see ``viewStoreDeduplicate``.
    case storeDeduplicate
    /// The reducer changes the state.
    case storeChangeState
    /// An action is processed, including actions from effects.
    case storeProcessEvent
    /// An action is sent to a view store.
    case viewStoreSend
    /// A view store or a subscription computes its state.
    case viewStoreChangeState
    /// A view store or a subscription compares its states.
    case viewStoreDeduplicate
  }

  /// The begin or the end of the work.
  public enum CallbackTiming: Sendable {
    /// The work begins.
    case pre
    /// The work has ended.
    case post
  }

  /// The store and the action that the work belongs to.
  public struct CallbackInfo<StoreKind, Action> {
    /// The type of the store.
    public let storeKind: StoreKind
    /// The action; nil if the work has none.
    public let action: Action?
    /// The action whose effect sent this action, if the sender provided it.
    public let originatingAction: Action?
  }

  /// A function called before and after the work.
  public typealias Callback = (
    _ info: CallbackInfo<Any, Any>, _ timing: CallbackTiming, _ kind: CallbackKind
  ) -> Void
  /// A function called with each new view store and the location of its creation.
  public typealias ViewStoreCreatedCallback = (_ instance: AnyObject, _ file: StaticString, _ line: UInt) -> Void

  /// The instrumentation that does nothing.
  public static let noop = Instrumentation()

  private static let current = Mutex(noop)

  /// The default instrumentation of stores.
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

  /// Runs work between the two callbacks.
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

  /// The instrumentation of the current `send`, for the reducers that it calls. Used on the main thread.
  @TaskLocal static var sending: Instrumentation?
}

/// A reducer with measured calls.
struct Instrumented<Base: FeatureCore.Reducer>: FeatureCore.Reducer {
  let base: Base

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let compiled = base._compile()
    return CompiledReducer { state, action in
      let instrumentation = Instrumentation.sending ?? .shared
      let store = Store<Base.State, Base.Action>.self
      return instrumentation.around(.storeProcessEvent, store, action: action) {
        instrumentation.around(.storeChangeState, store, action: action) { compiled(&state, action) }
      }
    }
  }
}
