/// One mistake in a configuration: where it is, what is wrong, what is allowed.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let file: String
  /// The line, from 1; 0 for the file as a whole.
  public let line: Int
  /// What is wrong, and what to do.
  public let text: String

  init(file: String, line: Int, _ text: String) { (self.file, self.line, self.text) = (file, line, text) }

  /// `FILE:LINE: TEXT`.
  public var description: String { line == 0 ? "\(file): \(text)" : "\(file):\(line): \(text)" }
}

/// The mistakes in a configuration, all that were found.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistakes, in the order of the files and lines.
  public let problems: [ConfigurationProblem]

  init(problems: [ConfigurationProblem]) { self.problems = problems }

  /// One line for each mistake.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
