import SwiftSyntax

/// A place that the tool leaves to a person.
package struct Finding: Hashable, Sendable {
  package enum Kind: String, Sendable {
    /// The package does not compile, or does not do the same as before, until it is changed by hand.
    case left
    /// It compiles; decide whether it is meant so in a hub.
    case note
  }

  package let kind: Kind
  /// The path below the package's directory.
  package let path: String
  /// The line, or nil for a whole file.
  package private(set) var line: Int?
  /// The reason, and what to do.
  package let message: String
  private let offset: Int

  /// Creates a finding for a whole file.
  init(_ kind: Kind, _ path: String, _ message: String) {
    (self.kind, self.path, self.message, offset) = (kind, path, message, 0)
  }

  /// Creates a finding for a piece of source.
  init(_ kind: Kind, _ source: SourceFile, at node: some SyntaxProtocol, _ message: String) {
    (self.kind, self.path, self.message, offset) = (kind, source.path, message, node.start)
    line = source.line(of: node)
  }

  /// Returns the finding with its line after some edits of its file.
  func moved(by edits: Edits) -> Finding {
    var moved = self
    moved.line = line.map { $0 + edits.linesInserted(upTo: offset) }
    return moved
  }

  /// `PATH:LINE: left: MESSAGE`.
  package var text: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(kind.rawValue): \(message)" }
}
