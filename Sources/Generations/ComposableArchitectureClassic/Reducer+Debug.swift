public import CasePaths
public import ComposableCore
internal import ConcurrencyExtras
internal import CustomDump
public import Dispatch
internal import FeatureCore

/// The format in which `debug()` prints actions.
public enum ActionFormat: Sendable {
  /// The cases of an action, without their values.
  case labelsOnly
  /// The whole action.
  case prettyPrint
}

/// The output and the queue of `debug()`.
public struct DebugEnvironment: Sendable {
  /// Prints a text.
  public var printer: @Sendable (String) -> Void
  /// The queue on which the text is formatted and printed.
  public var queue: DispatchQueue

  /// Creates an environment.
  @preconcurrency
  public init(
    printer: @escaping @Sendable (String) -> Void = { print($0) },
    queue: DispatchQueue = DispatchQueue(label: "ComposableArchitectureClassic.DebugEnvironment")
  ) {
    (self.printer, self.queue) = (printer, queue)
  }
}

extension Reducer {
  /// Prints each action and its changes of the state, in debug builds only.
  @preconcurrency
  public func debug(
    _ prefix: String = "", actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @Sendable (Environment) -> DebugEnvironment = { _ in .shared }
  ) -> Reducer {
    debug(prefix, state: { $0 }, action: CasePath(), actionFormat: actionFormat, environment: toDebugEnvironment)
  }

  /// Prints each action, in debug builds only.
  @preconcurrency
  public func debugActions(
    _ prefix: String = "", actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @Sendable (Environment) -> DebugEnvironment = { _ in .shared }
  ) -> Reducer {
    debug(prefix, state: { _ in () }, action: CasePath(), actionFormat: actionFormat, environment: toDebugEnvironment)
  }

  /// Prints the actions of a case and their changes of a part of the state, in debug builds only.
  @preconcurrency
  public func debug<LocalState, LocalAction>(
    _ prefix: String = "", state toLocalState: @escaping @Sendable (State) -> LocalState,
    action toLocalAction: CasePath<Action, LocalAction>, actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @Sendable (Environment) -> DebugEnvironment = { _ in .shared }
  ) -> Reducer {
    debug(
      prefix, state: toLocalState, action: toLocalAction, actionFormat: actionFormat, dumpFormat: .debugOutput,
      environment: toDebugEnvironment)
  }

  /// Prints in the format of a generation.
  package func debug<LocalState, LocalAction>(
    _ prefix: String, state toLocalState: @escaping @Sendable (State) -> LocalState,
    action toLocalAction: CasePath<Action, LocalAction>, actionFormat: ActionFormat, dumpFormat: DumpFormat,
    environment toDebugEnvironment: @escaping @Sendable (Environment) -> DebugEnvironment
  ) -> Reducer {
    #if DEBUG
      return Reducer { state, action, environment in
        let previous = toLocalState(state)
        let effect = run(&state, action, environment)
        guard let localAction = toLocalAction.extract(from: action) else { return effect }
        let turn = UncheckedSendable((previous, toLocalState(state), localAction))
        let debug = toDebugEnvironment(environment)
        let printing = Effect<Action, Never>.fireAndForget {
          debug.queue.async {
            debug.printer(DebugText.of(turn.value, prefix: prefix, format: actionFormat, dumpFormat))
          }
        }
        return .merge(printing, effect)
      }
    #else
      return self
    #endif
  }

  /// Marks actions and effects in the trace of a run; see `signpost` of 1.x.
  ///
  /// - Parameters:
  ///   - prefix: A prefix of the names, to distinguish features.
  ///   - log: The trace; by default the file in `STOREHUB_TRACE`.
  public func signpost(_ prefix: String = "", log: TraceLog? = .environment) -> Reducer {
    Reducer(feature: { environment in Reduce(self, environment: environment).signpost(prefix, log: log) })
  }
}

/// A trace of actions and effects.
public typealias TraceLog = ComposableCore.TraceLog

extension DebugEnvironment {
  /// Prints to the standard output, on one queue for all reducers.
  public static let shared = DebugEnvironment()
}

/// The format of the values that `debug()` prints.
package enum DumpFormat: Sendable {
  /// That of the versions before CustomDump.
  case debugOutput
  case customDump

  fileprivate func dump(_ value: Any) -> String {
    switch self {
    case .debugOutput: return ComposableArchitectureClassic.debugOutput(value)
    case .customDump:
      var text = ""
      CustomDump.customDump(value, to: &text)
      return text
    }
  }

  fileprivate func difference<Value>(_ old: Value, _ new: Value) -> String? {
    switch self {
    case .debugOutput: debugDiff(old, new)
    case .customDump: CustomDump.diff(old, new)
    }
  }
}

private enum DebugText {
  static func of<State, Action>(
    _ turn: (previous: State, next: State, action: Action), prefix: String, format: ActionFormat,
    _ dumpFormat: DumpFormat
  ) -> String {
    let title = "\(prefix.isEmpty ? "" : "\(prefix): ")received action:"
    let action =
      switch format {
      case .prettyPrint: dumpFormat.dump(turn.action)
      case .labelsOnly: labels(turn.action)
      }
    return "\(title)\n\(action.indented(by: 2))\n\(changes(turn.previous, turn.next, dumpFormat))"
  }

  private static func changes<State>(_ previous: State, _ next: State, _ format: DumpFormat) -> String {
    if State.self == Void.self { return "" }
    return format.difference(previous, next).map { "\($0)\n" } ?? "  (No state changes)\n"
  }

  private static func labels(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return "\(mirror.subjectType)" }
    return "\(mirror.subjectType).\(labelPath(value, mirror))"
  }

  private static func labelPath(_ value: Any, _ mirror: Mirror) -> String {
    guard let child = mirror.children.first else { return "\(value)" }
    let (label, payload) = (child.label ?? "", Mirror(reflecting: child.value))
    switch payload.displayStyle {
    case .enum: return "\(label)(.\(labelPath(child.value, payload)))"
    case .tuple:
      let parts = payload.children.map { part in
        let name = part.label.flatMap { $0.hasPrefix(".") ? nil : "\($0):" } ?? ""
        let inner = Mirror(reflecting: part.value)
        return inner.displayStyle == .enum ? "\(name).\(labelPath(part.value, inner))" : name.isEmpty ? "_" : name
      }
      return "\(label)(\(parts.joined(separator: ", ")))"
    default: return label
    }
  }
}
