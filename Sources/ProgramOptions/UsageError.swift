/// A wrong command line: one message for the user who typed it.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }
}
