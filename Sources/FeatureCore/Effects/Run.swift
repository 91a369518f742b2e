internal import CustomDump
internal import Dependencies
internal import IssueReporting

extension Effect {
  /// Runs asynchronous work that sends any number of actions.
  ///
  /// ```swift
  /// return .run { [count = state.count] send in
  ///   await send(.numberFactResponse(Result { try await numberFact.fetch(count) }))
  /// }
  /// ```
  ///
  /// The work runs off the main actor and sees the dependencies of the reducer that returned it. A `CancellationError`
  /// ends it quietly; any other error that it throws goes to `handler`, or is reported on standard error with the place
  /// of the effect.
  ///
  /// - Parameters:
  ///   - name: The task's name in a debugger.
  ///   - operation: The work.
  ///   - handler: Handles an error that the work throws.
  @inline(never)
  public static func run(
    name: String? = nil,
    operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void,
    catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> Effect {
    run(
      rawPriority: nil, name: name, operation: operation, catch: handler, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  /// Runs asynchronous work with a priority.
  ///
  /// A separate function: with a `TaskPriority` on its stack, a reducer would look up that type for each action, even
  /// those without effects.
  ///
  /// - Parameters:
  ///   - priority: The task's priority; nil for the usual one.
  ///   - name: The task's name in a debugger.
  ///   - operation: The work.
  ///   - handler: Handles an error that the work throws.
  @inline(never)
  public static func run(
    priority: TaskPriority?,
    name: String? = nil,
    operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void,
    catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> Effect {
    run(
      rawPriority: priority?.rawValue, name: name, operation: operation, catch: handler, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  private static func run(
    rawPriority: UInt8?,
    name: String?,
    operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void,
    catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)?,
    fileID: StaticString,
    filePath: StaticString,
    line: UInt,
    column: UInt
  ) -> Effect {
    withEscapedDependencies { dependencies in
      Effect(
        tree: .run(
          EffectOperation(
            name: name, priority: rawPriority,
            site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column)
          ) { send in
            await dependencies.yield {
              do {
                try await operation(send)
              } catch is CancellationError {
                // Cancelled effects end silently.
              } catch {
                guard let handler else {
                  return reportIssue(
                    Self.unhandled(error, "\(fileID):\(line)"), fileID: fileID, filePath: filePath, line: line,
                    column: column)
                }
                await handler(error, send)
              }
            }
          }))
    }
  }

  private static func unhandled(_ error: any Error, _ place: String) -> String {
    var dump = ""
    customDump(error, to: &dump, indent: 4)
    return """
      An "Effect.run" returned from "\(place)" threw an unhandled error. …

      \(dump)

      All non-cancellation errors must be explicitly handled via the "catch" parameter on "Effect.run", or via a "do" \
      block.
      """
  }
}

/// Sends actions from an effect back to the store that runs it.
///
/// Actions that are sent after the effect, or the sending part of it, was cancelled are dropped.
@MainActor
public struct Send<Action>: Sendable {
  private let deliver: @MainActor @Sendable (Action) -> Void

  /// Creates a value that passes each action to `send`.
  public nonisolated init(send: @escaping @MainActor @Sendable (Action) -> Void) {
    deliver = send
  }

  /// Sends an action.
  public func callAsFunction(_ action: Action) {
    guard !Task.isCancelled else { return }
    deliver(action)
  }
}
