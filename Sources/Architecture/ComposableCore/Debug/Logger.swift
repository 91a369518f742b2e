internal import CustomDump
internal import FeatureCore
internal import Glibc
internal import Synchronization

/// A log of the lifetimes of stores, to find those that are never released or created too often. Off by default.
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
/// With the environment variable `STOREHUB_STORE_LOG`, a process also writes the lines to standard error. While the log
/// is off, creating, scoping and ending a store costs the check of a flag, and an action costs nothing: `receive` is
/// logged only by stores that were created while the log was on.
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
  /// True if lines are also written to standard error.
  private let isEchoed: Bool

  init(isEchoed: Bool) {
    self.isEchoed = isEchoed
    isOn = Atomic(isEchoed)
  }

  /// True while events are kept in ``logs``.
  public var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set {
      state.withLock {
        $0.isEnabled = newValue
        isOn.store(newValue || isEchoed, ordering: .relaxed)
      }
    }
  }

  /// The events while the log was enabled, oldest first. Only ``clear()`` removes lines.
  public var logs: [String] { state.withLock { $0.logs } }

  /// Removes all lines.
  public func clear() {
    state.withLock { $0.logs = [] }
  }

  /// Records a line, which is formatted only if the log is on.
  func log(_ line: @autoclosure () -> String) {
    if isOn.load(ordering: .relaxed) { write(line()) }
  }

  @inline(never)
  private func write(_ line: String) {
    state.withLock { if $0.isEnabled { $0.logs.append(line) } }
    guard isEchoed else { return }
    _ = (line + "\n").utf8CString.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
  }

  /// A reducer that logs the actions it receives if the log is on; otherwise the reducer itself.
  func logging<State, Action>(_ reducer: CompiledReducer<State, Action>) -> CompiledReducer<State, Action> {
    guard isOn.load(ordering: .relaxed) else { return reducer }
    let name = Self.storeName(State.self, Action.self)
    return reducer.wrapped { state, action in
      self.log("\(name).receive \(DebugLabels.of(action))")
      return reducer(&state, action)
    }
  }

  /// A store's type: `StoreOf<Counter>`, or `Store<Int, Void>` if the types are not a reducer's.
  package static func storeName<State, Action>(_: State.Type, _: Action.Type) -> String {
    let (state, action) = (typeName(State.self, generics: true), typeName(Action.self, generics: true))
    guard state.hasSuffix(".State"), action.hasSuffix(".Action"), state.dropLast(6) == action.dropLast(7) else {
      return "Store<\(state), \(action)>"
    }
    return "StoreOf<\(state.dropLast(6))>"
  }
}
