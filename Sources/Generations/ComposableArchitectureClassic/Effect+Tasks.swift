internal import ConcurrencyExtras
internal import EffectStreams
public import FeatureCore

/// Runs work that can be cancelled by an id, like the function of 1.x.
public nonisolated(nonsending) func withTaskCancellation<T: Sendable>(
  id: AnyHashable, cancelInFlight: Bool = false, operation: @escaping @Sendable () async throws -> T
) async rethrows -> T {
  try await withTaskCancellation(cancelID: cancelID(id), cancelInFlight: cancelInFlight, operation: operation)
}

extension Effect where Failure == Never {
  /// Creates an effect from an asynchronous operation that returns one value.
  public static func task(
    priority: TaskPriority? = nil, operation: @escaping @Sendable () async -> Output
  ) -> Effect {
    Effect(
      FeatureCore.Effect<Output>.run(priority: priority) { send in await send(UncheckedSendable(await operation())) })
  }

  /// Creates an effect from an asynchronous operation that returns one value.
  ///
  /// - Parameter handler: Converts an error to a value. Without it, an error is reported as an issue.
  public static func task(
    priority: TaskPriority? = nil, operation: @escaping @Sendable () async throws -> Output,
    catch handler: (@Sendable (any Error) async -> Output)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Effect {
    var catching: (@Sendable (any Error, Send<Output>) async -> Void)?
    if let handler { catching = { error, send in await send(UncheckedSendable(await handler(error))) } }
    return Effect(
      FeatureCore.Effect<Output>.run(
        priority: priority, operation: { send in await send(UncheckedSendable(try await operation())) },
        catch: catching, fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates an effect from an asynchronous operation that sends any number of values.
  public static func run(
    priority: TaskPriority? = nil, operation: @escaping @Sendable (Send<Output>) async throws -> Void,
    catch handler: (@Sendable (any Error, Send<Output>) async -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Effect {
    Effect(
      FeatureCore.Effect.run(
        priority: priority, operation: operation, catch: handler, fileID: fileID, filePath: filePath, line: line,
        column: column))
  }

  /// Runs an asynchronous operation that sends nothing.
  public static func fireAndForget(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws -> Void
  ) -> Effect {
    Effect(FeatureCore.Effect<Output>.run(priority: priority) { _ in try? await work() })
  }
}

extension Effect where Failure == any Error {
  /// Creates an effect from an asynchronous operation that may fail.
  public static func task(
    priority: TaskPriority? = nil, operation: @escaping @Sendable () async throws -> Output
  ) -> Effect {
    Effect<Result<Output, any Error>, Never>(
      FeatureCore.Effect.run(priority: priority) { send in
        do { await send(UncheckedSendable(.success(try await operation()))) } catch {
          await send(UncheckedSendable(.failure(error)))
        }
      }
    )
    .setFailureType(to: (any Error).self).flatMap { $0.publisher }.eraseToEffect()
  }
}

extension Send {
  /// Sends an action that no other task can access.
  fileprivate func callAsFunction(_ action: UncheckedSendable<Action>) { self(action.value) }
}
