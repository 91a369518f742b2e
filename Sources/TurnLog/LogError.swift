/// An error of reading or writing a log.
public struct LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  public enum Problem: Equatable, Sendable {
    /// The disk, the directory or the database refused an operation.
    case storage
    /// The disk is full.
    case full
    /// Stored bytes are damaged; the log is sound up to `soundRevision`.
    case damaged
    /// The requested turns are no longer kept.
    case trimmed
    /// Another hub uses the log.
    case inUse
    /// The log was written by a newer version of this program, or by another one.
    case unknownFormat
  }

  /// The kind of problem.
  public let problem: Problem
  /// A description of the problem, its object and the remedy.
  public let description: String
  /// The revision up to which the stored data is sound, at most; nil if unknown.
  public let soundRevision: UInt64?

  /// Creates an error.
  public init(_ problem: Problem, _ description: String, soundRevision: UInt64? = nil) {
    (self.problem, self.description, self.soundRevision) = (problem, description, soundRevision)
  }
}
