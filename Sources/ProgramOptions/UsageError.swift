/// A wrong command line, with a message for the user.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  /// The problem, and how to correct it.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }
}
