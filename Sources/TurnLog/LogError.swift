/// Why a log cannot be read or written.
public struct LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of problem it is.
  public enum Problem: Equatable, Sendable {
    /// The disk, the directory or the database refused an operation.
    case storage
    /// Stored bytes are not what was written; the log is sound up to `soundRevision`.
    case damaged
    /// The turns that were asked for are not kept any more.
    case trimmed
    /// Another hub uses the log.
    case inUse
    /// The log was written by a newer version of this program, or by another one.
    case unknownFormat
  }

  /// What kind of problem it is.
  public let problem: Problem
  /// What happened, to what, and what to do.
  public let description: String
  /// The last revision up to which the stored data is known to be sound, if that was found out.
  public let soundRevision: UInt64?

  /// Creates an error.
  public init(_ problem: Problem, _ description: String, soundRevision: UInt64? = nil) {
    (self.problem, self.description, self.soundRevision) = (problem, description, soundRevision)
  }
}
