internal import CustomDump
public import FeatureCore
internal import Glibc
internal import Sharing

extension Reducer {
  /// Prints each action and its changes of the state, including shared values, in debug builds.
  ///
  /// ```swift
  /// Counter()._printChanges()               // received action, and a diff of the state
  /// Counter()._printChanges(.actionLabels)  // received action: Counter.Action.incrementButtonTapped
  /// ```
  public func _printChanges(
    _ printer: _ReducerPrinter<State, Action>? = .customDump
  ) -> _PrintChangesReducer<Self> {
    _PrintChangesReducer(base: self, printer: printer)
  }
}

/// A printer of actions and the changes of a state.
public struct _ReducerPrinter<State, Action> {
  private let print: (_ receivedAction: Action, _ oldState: State, _ newState: State) -> Void

  /// Creates a custom printer. It is called on the store's thread, after the reducer has run.
  ///
  /// While it runs, `@Shared` values that the reducer has changed read as before the change. `oldState` and `newState`
  /// are equal only if no shared value has changed either; `diff` shows both values.
  public init(printChange: @escaping (_ receivedAction: Action, _ oldState: State, _ newState: State) -> Void) {
    print = printChange
  }

  /// Calls the printer.
  public func printChange(receivedAction: Action, oldState: State, newState: State) {
    print(receivedAction, oldState, newState)
  }

  /// Prints the action as a dump and the change as a diff.
  public static var customDump: Self {
    Self { action, old, new in
      var text = "received action:\n"
      CustomDump.customDump(action, to: &text, indent: 2)
      text += "\n"
      text += diff(old, new).map { "\($0)\n" } ?? "  (No state changes)\n"
      emit(text)
    }
  }

  /// Prints the names of the action's cases.
  public static var actionLabels: Self {
    Self { action, _, _ in emit("received action: \(DebugLabels.of(action))") }
  }

  /// One write for each change, so that those of several processes are not interleaved.
  private static func emit(_ text: String) {
    let line = text + "\n"
    _ = line.utf8CString.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count - 1) }
  }
}

/// A reducer whose changes are printed.
public struct _PrintChangesReducer<Base: Reducer>: Reducer {
  let base: Base
  let printer: _ReducerPrinter<Base.State, Base.Action>?

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  public func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let base = base._compile()
    #if DEBUG
      guard let printer else { return base }
      return CompiledReducer { state, action in
        let tracker = SharedChangeTracker(reportUnassertedChanges: false)
        let old = state
        let effects = tracker.trackHere { base(&state, action) }
        tracker.assert { printer.printChange(receivedAction: action, oldState: old, newState: state) }
        return effects
      }
    #else
      return base
    #endif
  }
}
