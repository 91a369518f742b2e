internal import IssueReporting

extension DependencyValues {
  /// Starts work without waiting for its end, such as sending analytics; in tests, the call waits for it.
  ///
  /// ```swift
  /// @Dependency(\.fireAndForget) var fireAndForget
  /// await fireAndForget { try await analytics.track("counted") }
  /// ```
  public var fireAndForget: FireAndForget {
    get { self[FireAndForgetKey.self] }
    set { self[FireAndForgetKey.self] = newValue }
  }
}

/// Starts work without waiting for its end.
public struct FireAndForget: Sendable {
  private let operation: @Sendable (TaskPriority?, @escaping @Sendable () async throws -> Void) async -> Void

  /// Creates a value that starts work with a function.
  public init(
    _ operation: @escaping @Sendable (TaskPriority?, @escaping @Sendable () async throws -> Void) async -> Void
  ) {
    self.operation = operation
  }

  /// Starts work.
  ///
  /// An error that it throws is reported at the line of the call, except for a `CancellationError`. Cancelling the
  /// current task does not cancel the work.
  public func callAsFunction(
    priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ operation: @escaping @Sendable () async throws -> Void
  ) async {
    await self.operation(priority) {
      do {
        try await operation()
      } catch {
        if !(error is CancellationError) {
          reportIssue(
            error, "Work of “fireAndForget” failed", fileID: fileID, filePath: filePath, line: line, column: column)
        }
        throw error
      }
    }
  }
}

private enum FireAndForgetKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = FireAndForget { priority, operation in
    Task(priority: priority) { try? await operation() }
  }
  static let testValue = FireAndForget { priority, operation in
    await Task(priority: priority) { try? await operation() }.value
  }
}
