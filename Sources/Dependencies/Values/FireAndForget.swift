extension DependencyValues {
  /// Starts work that nobody waits for, such as telling a server of an event; tests wait for it.
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

/// Starts work that nobody waits for.
public struct FireAndForget: Sendable {
  private let operation: @Sendable (TaskPriority?, @escaping @Sendable () async throws -> Void) async -> Void

  /// Creates a way to start work.
  public init(
    _ operation: @escaping @Sendable (TaskPriority?, @escaping @Sendable () async throws -> Void) async -> Void
  ) {
    self.operation = operation
  }

  /// Starts work.
  ///
  /// Its errors are dropped, and cancelling the current task does not end it outside tests.
  public func callAsFunction(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Void
  ) async {
    await self.operation(priority, operation)
  }
}

private enum FireAndForgetKey: DependencyKey {
  static let liveValue = FireAndForget { priority, operation in
    Task(priority: priority) { try? await operation() }
  }
  static let testValue = FireAndForget { _, operation in try? await operation() }
}
