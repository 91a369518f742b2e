/// A wrong command line, with a message for the user.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  /// The problem, and how to correct it.
  package let description: String

  /// Creates an error.
  package init(_ description: String) {
    self.description = description
  }
}
