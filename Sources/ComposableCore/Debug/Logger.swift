internal import CustomDump
internal import Glibc
internal import Reducers
internal import Synchronization

/// A log of the lives of stores, to find those that are never let go or are made too often. Off unless asked for.
///
/// ```swift
/// @_spi(Logging) import ComposableArchitecture
///
/// Logger.shared.isEnabled = true
/// …
/// print(Logger.shared.logs)
/// // StoreOf<Parent>.init
/// // StoreOf<Parent>.scope
/// // StoreOf<Child>.init
/// // StoreOf<Parent>.receive Parent.Action.child(.tapped)
/// // StoreOf<Child>.deinit
/// ```
///
/// A process that is started with the environment variable `STOREHUB_STORE_LOG` writes the same lines to standard error.
/// While the log is off, making, scoping and ending a store costs a look at one flag, and an action nothing: `receive` is
/// logged of stores that are made while the log is on.
@_spi(Logging)
public final class Logger: Sendable {
  /// The log of this process.
  public static let shared = Logger(isEchoed: getenv("STOREHUB_STORE_LOG") != nil)

  private struct State {
    var isEnabled = false
    var logs: [String] = []
  }

  private let state = Mutex(State())
  private let isOn: Atomic<Bool>
  /// Whether lines go to standard error.
  private let isEchoed: Bool

  init(isEchoed: Bool) {
    self.isEchoed = isEchoed
    isOn = Atomic(isEchoed)
  }

  /// Whether what happens is kept in ``logs``.
  public var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set {
      state.withLock {
        $0.isEnabled = newValue
        isOn.store(newValue || isEchoed, ordering: .relaxed)
      }
    }
  }

  /// What happened while the log was enabled, the oldest first. Nothing but ``clear()`` removes lines.
  public var logs: [String] { state.withLock { $0.logs } }

  /// Forgets what happened.
  public func clear() {
    state.withLock { $0.logs = [] }
  }

  /// Notes something, which is put into words only if the log is on.
  func log(_ line: @autoclosure () -> String) {
    if isOn.load(ordering: .relaxed) { write(line()) }
  }

  @inline(never)
  private func write(_ line: String) {
    state.withLock { if $0.isEnabled { $0.logs.append(line) } }
    guard isEchoed else { return }
    _ = (line + "\n").utf8CString.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
  }

  /// A root store's reducer, which logs what it receives if the log is on; the reducer itself if not.
  func logging<State, Action>(_ reducer: CompiledReducer<State, Action>) -> CompiledReducer<State, Action> {
    guard isOn.load(ordering: .relaxed) else { return reducer }
    let name = Self.storeName(State.self, Action.self)
    return CompiledReducer { state, action in
      self.log("\(name).receive \(DebugLabels.of(action))")
      return reducer.reduce(&state, action)
    }
  }

  /// A store's type: `StoreOf<Counter>`, or `Store<Int, Void>` if it is not a reducer's.
  package static func storeName<State, Action>(_: State.Type, _: Action.Type) -> String {
    let (state, action) = (typeName(State.self, generics: true), typeName(Action.self, generics: true))
    guard state.hasSuffix(".State"), action.hasSuffix(".Action"), state.dropLast(6) == action.dropLast(7) else {
      return "Store<\(state), \(action)>"
    }
    return "StoreOf<\(state.dropLast(6))>"
  }
}
