/// An outbox that a client cannot use.
public struct OutboxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  public enum Problem: Sendable {
    /// Another client uses the outbox, in this process or in another one.
    case inUse
    /// The file is not an outbox, or one of a later version.
    case foreign
    /// The contents of the file are damaged.
    case damaged
    /// The file cannot be created, read or written.
    case storage
  }

  /// The kind of the problem.
  public let problem: Problem
  /// The problem, the file, and what to do.
  public let description: String

  init(_ problem: Problem, _ description: String) { (self.problem, self.description) = (problem, description) }
}
