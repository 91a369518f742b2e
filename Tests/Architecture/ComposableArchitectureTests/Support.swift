import ComposableArchitecture
import Synchronization
import Testing

/// A child feature whose actions contain the effect to return, and which can dismiss itself.
@Reducer struct Step {
  @ObservableState struct State: Equatable, Identifiable {
    var id = 0
    var log: [String] = []
  }

  enum Action: Sendable {
    case note(String)
    case run(Effect<Action>)
    case dismiss
    case notePresentation
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.isPresented) var isPresented

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .note(let text):
        state.log.append(text)
        return .none
      case .run(let effect):
        return effect
      case .dismiss:
        return .run { [dismiss] _ in await dismiss() }
      case .notePresentation:
        state.log.append("reducer \(isPresented)")
        return .run { [isPresented] send in
          @Dependency(\.isPresented) var inEffect
          await send(.note("captured \(isPresented), effect \(inEffect)"))
        }
      }
    }
  }
}

/// An event that happens once and for which one task waits.
final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func open() { continuation.finish() }

  /// Waits until the gate is open, or the waiting task is cancelled.
  func wait() async { for await _ in stream {} }
}

extension Effect {
  /// An effect that runs until it is cancelled, and then opens a gate.
  static func endless(_ cancelled: Gate) -> Effect {
    .run { _ in
      let never = Gate()
      await withTaskCancellationHandler {
        await never.wait()
      } onCancel: {
        cancelled.open()
      }
    }
  }

  /// An effect that sends an action when a gate opens, even if it was cancelled.
  static func after(_ gate: Gate, _ action: Action) -> Effect where Action: Sendable {
    .run { send in
      await gate.wait()
      await send(action)
    }
  }
}

/// Records issues.
final class Issues: IssueReporter {
  private let issues = Mutex<[(message: String, place: IssueLocation)]>([])

  var messages: [String] { issues.withLock { $0.map(\.message) } }
  var lines: [UInt] { issues.withLock { $0.map(\.place.line) } }
  var files: [String] { issues.withLock { $0.map { "\($0.place.fileID)" } } }

  func report(_ message: String, at location: IssueLocation) {
    issues.withLock { $0.append((message, location)) }
  }

  /// The issues that an operation reports.
  @MainActor
  static func of(_ operation: @MainActor () throws -> Void) rethrows -> Issues {
    let issues = Issues()
    try withIssueReporters([issues], operation: operation)
    return issues
  }

  /// The issues that an operation reports.
  @MainActor
  static func of(_ operation: @MainActor () async throws -> Void) async rethrows -> Issues {
    let issues = Issues()
    try await withIssueReporters([issues]) { try await operation() }
    return issues
  }
}

/// A value that effects and reducers may change on any thread.
final class Locked<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  init(_ value: Value) {
    storage = Mutex(value)
  }

  var value: Value { storage.withLock { $0 } }

  func change(_ body: @Sendable (inout Value) -> Void) { storage.withLock { body(&$0) } }
}
