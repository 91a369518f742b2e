internal import ConcurrencyExtras

extension Effect {
  /// Sends each element of a sequence as an action, as `.publisher` does with Combine.
  ///
  /// ```swift
  /// return .sequence { clock.timer(interval: .seconds(1)).map { _ in .timerTicked } }
  ///   .cancellable(id: CancelID.timer)
  /// ```
  ///
  /// The sequence is created when the effect begins and sees the dependencies of the reducer that returned the effect.
  /// Cancelling the effect ends the iteration. An error that it throws goes to `handler`, or is reported with the place
  /// of the effect.
  ///
  /// - Parameters:
  ///   - name: The task's name in a debugger.
  ///   - makeSequence: Creates the sequence.
  ///   - handler: Handles an error that the sequence throws.
  public static func sequence<S: AsyncSequence & SendableMetatype>(
    name: String? = nil,
    _ makeSequence: @escaping @Sendable () async throws -> S,
    catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> Effect where S.Element == Action, S.AsyncIterator: SendableMetatype {
    .run(
      name: name, operation: { try await sendAll(of: makeSequence, $0) }, catch: handler, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  /// Sends each element of a sequence as an action, from a task with a priority.
  ///
  /// - Parameters:
  ///   - priority: The task's priority; nil for the usual one.
  ///   - name: The task's name in a debugger.
  ///   - makeSequence: Creates the sequence.
  ///   - handler: Handles an error that the sequence throws.
  public static func sequence<S: AsyncSequence & SendableMetatype>(
    priority: TaskPriority?,
    name: String? = nil,
    _ makeSequence: @escaping @Sendable () async throws -> S,
    catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> Effect where S.Element == Action, S.AsyncIterator: SendableMetatype {
    .run(
      priority: priority, name: name, operation: { try await sendAll(of: makeSequence, $0) }, catch: handler,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Sends each element of a sequence as an action, by the name that effects of Combine publishers have.
  ///
  /// ```swift
  /// return .publisher { state.$count.publisher.map(Action.countChanged) }
  /// ```
  ///
  /// As in the original, the closure is called at once, so it may use the reducer's `state`. Use ``sequence`` to create
  /// the sequence when the effect begins, and for one that can throw.
  ///
  /// - Parameter makeSequence: Creates the sequence.
  public static func publisher<S: AsyncSequence & SendableMetatype>(
    _ makeSequence: () -> sending S,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> Effect where S.Element == Action, S.AsyncIterator: SendableMetatype {
    // The reducer keeps no reference to it.
    let sequence = UncheckedSendable(makeSequence())
    return .run(
      operation: { try await sendAll(of: { sequence.value }, $0) }, fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  private static func sendAll<S: AsyncSequence & SendableMetatype>(
    of makeSequence: () async throws -> S, _ send: Send<Action>
  ) async throws where S.Element == Action, S.AsyncIterator: SendableMetatype {
    for try await action in try await makeSequence() {
      await send(HandedOver(action))
    }
  }
}
