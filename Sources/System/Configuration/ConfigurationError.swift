/// A mistake in a configuration: its location, the problem, and the permitted values.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  package let file: String
  /// The line number from 1, or 0 for the whole file.
  package let line: Int
  /// The problem, and the remedy.
  package let text: String
  /// True if the problem may pass without a change to the file, such as a user database that cannot be read.
  package let isTemporary: Bool

  init(file: String, line: Int, _ text: String, isTemporary: Bool = false) {
    (self.file, self.line, self.text, self.isTemporary) = (file, line, text, isTemporary)
  }

  /// `FILE:LINE: TEXT`.
  package var description: String { line == 0 ? "\(file): \(text)" : "\(file):\(line): \(text)" }
}

/// All mistakes that were found in a configuration.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistakes, in the order of the files and lines.
  package let problems: [ConfigurationProblem]

  init(problems: [ConfigurationProblem]) { self.problems = problems }

  /// True if another attempt with the same files may succeed.
  package var isTemporary: Bool { problems.allSatisfy(\.isTemporary) }

  /// The mistakes, one per line.
  package var description: String { problems.map(\.description).joined(separator: "\n") }
}
