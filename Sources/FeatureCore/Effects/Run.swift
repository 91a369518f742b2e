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
  /// The work runs off the main actor and sees the dependencies of the reducer that returned it. In a hub it runs on the
  /// thread of the loop, like the reducers; work that computes for long or blocks belongs on the pool: see
  /// ``run(on:priority:name:operation:catch:fileID:filePath:line:column:)``. A `CancellationError`
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

  /// Runs work that computes for long or blocks its thread, where it delays nothing else.
  ///
  /// ```swift
  /// return .run(on: .pool) { send in await send(.imported(parse(file))) }
  /// ```
  ///
  /// - Parameters:
  ///   - place: Where the work runs, also after each suspension.
  ///   - priority: The task's priority; nil for the usual one.
  ///   - name: The task's name in a debugger and in the log.
  ///   - operation: The work.
  ///   - handler: Handles an error that the work throws.
  @inline(never)
  public static func run(
    on place: EffectPlace,
    priority: TaskPriority? = nil,
    name: String? = nil,
    operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void,
    catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> Effect {
    run(
      rawPriority: priority?.rawValue, place: place, name: name, operation: operation, catch: handler, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  private static func run(
    rawPriority: UInt8?,
    place: EffectPlace = .store,
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
            name: name, priority: rawPriority, place: place,
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

/// Where the work of an effect runs.
public enum EffectPlace: Sendable {
  /// Where its store runs effects: in a hub on the thread of its loop, otherwise on the global pool.
  ///
  /// Starting, sleeping and cancelling cost least there. The work must not compute for long or block its thread.
  case store
  /// On the global pool, whose threads run only tasks.
  case pool
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
