/// A wrong command line: one message for the user who typed it.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  /// The problem, and how to correct it.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }
}
