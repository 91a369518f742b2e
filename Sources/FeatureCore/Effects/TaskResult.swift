public import CasePaths
internal import IssueReporting

/// A value or an error, for use in actions. It is equatable if the value is.
///
/// ```swift
/// case factResponse(TaskResult<String>)
///
/// return .run { send in
///   await send(.factResponse(TaskResult { try await numberFact.fetch(count) }))
/// }
/// ```
///
/// Errors are compared if they are `Equatable`. Comparing two errors of the same type that is not `Equatable` is
/// reported as an issue, because such a test cannot pass. Prefer `Result` where actions need not be equatable.
public enum TaskResult<Success: Sendable>: Sendable {
  /// A value.
  case success(Success)
  /// An error.
  case failure(any Error)

  /// The outcome of an operation.
  public nonisolated(nonsending) init(
    catching body: nonisolated(nonsending) () async throws -> Success
  ) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }

  /// A result whose error type is erased.
  public init<Failure: Error>(_ result: Result<Success, Failure>) {
    switch result {
    case .success(let value): self = .success(value)
    case .failure(let error): self = .failure(error)
    }
  }

  /// The value.
  ///
  /// - Throws: The error.
  public var value: Success {
    get throws {
      switch self {
      case .success(let value): return value
      case .failure(let error): throw error
      }
    }
  }

  /// Changes the value.
  public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> TaskResult<NewSuccess> {
    flatMap { .success(transform($0)) }
  }

  /// Maps the value to another result.
  public func flatMap<NewSuccess>(_ transform: (Success) -> TaskResult<NewSuccess>) -> TaskResult<NewSuccess> {
    switch self {
    case .success(let value): transform(value)
    case .failure(let error): .failure(error)
    }
  }
}

extension Result where Failure == any Error {
  /// The same as a `Result`.
  public init(_ result: TaskResult<Success>) where Success: Sendable {
    switch result {
    case .success(let value): self = .success(value)
    case .failure(let error): self = .failure(error)
    }
  }
}

extension TaskResult: CasePathable {
  /// The case paths.
  public struct AllCasePaths: Sendable {
    /// A value.
    public var success: AnyCasePath<TaskResult, Success> {
      AnyCasePath(embed: { .success($0) }, extract: { if case .success(let value) = $0 { value } else { nil } })
    }

    /// An error.
    public var failure: AnyCasePath<TaskResult, any Error> {
      AnyCasePath(embed: { .failure($0) }, extract: { if case .failure(let error) = $0 { error } else { nil } })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension TaskResult: Equatable where Success: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.success(let lhs), .success(let rhs)): lhs == rhs
    case (.failure(let lhs), .failure(let rhs)): areEqual(lhs, rhs)
    default: false
    }
  }

  private static func areEqual(_ lhs: any Error, _ rhs: any Error) -> Bool {
    func isEqual<E: Equatable>(_ lhs: E) -> Bool { lhs == rhs as? E }
    if let lhs = (lhs as Any) as? any Equatable { return isEqual(lhs) }
    if type(of: lhs) == type(of: rhs) {
      reportMissingConformance(of: type(of: lhs), to: "Equatable", for: "test two values")
    }
    return false
  }
}

extension TaskResult: Hashable where Success: Hashable {
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .success(let value):
      hasher.combine(0)
      hasher.combine(value)
    case .failure(let error):
      hasher.combine(1)
      if let error = (error as Any) as? any Hashable {
        hasher.combine(AnyHashable(error))
      } else {
        reportMissingConformance(of: type(of: error), to: "Hashable", for: "hash a value")
      }
    }
  }
}

/// Controls whether comparing errors reports issues. It is off for the text of a failure, which compares errors again.
package enum TaskResultReports {
  @TaskLocal package static var areOn = true
}

private func reportMissingConformance(of type: Any.Type, to name: String, for operation: String) {
  guard TaskResultReports.areOn else { return }
  let typeName = DebugLabels.typeName(type)
  reportIssue(
    """
    "\(typeName)" is not \(name.lowercased()). …

    To \(operation) of this type, it must conform to the "\(name)" protocol. For example:

        extension \(typeName): \(name) {}

    See the documentation of "TaskResult" for more information.
    """)
}
