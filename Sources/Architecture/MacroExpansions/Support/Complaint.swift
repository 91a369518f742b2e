import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The message of a diagnostic.
struct Complaint: DiagnosticMessage, FixItMessage, Error {
  let message: String
  let severity: DiagnosticSeverity
  let id: String

  init(_ message: String, severity: DiagnosticSeverity = .error, id: String = #function) {
    (self.message, self.severity, self.id) = (message, severity, id)
  }

  var diagnosticID: MessageID { MessageID(domain: "StoreHubMacros", id: id) }
  var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
  /// Reports a diagnostic for a piece of source, with at most one fix.
  func complain(
    _ message: String, severity: DiagnosticSeverity = .error, at node: some SyntaxProtocol,
    fixIt: (message: String, old: Syntax, new: Syntax)? = nil
  ) {
    let fixIts = fixIt.map { fix in
      let new = fix.new.with(\.leadingTrivia, fix.old.leadingTrivia).with(\.trailingTrivia, fix.old.trailingTrivia)
      return [FixIt(message: Complaint(fix.message), changes: [.replace(oldNode: fix.old, newNode: new)])]
    }
    diagnose(
      Diagnostic(node: node, message: Complaint(message, severity: severity), fixIts: fixIts ?? []))
  }

  /// The directive that makes the compiler report the following code at the line of a piece of source; nil in code from
  /// another macro, which has no line of its own.
  func lineDirective(of node: some SyntaxProtocol) -> String? {
    guard let location = location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath),
      let line = location.line.as(IntegerLiteralExprSyntax.self)?.literal.text,
      let file = location.file.as(StringLiteralExprSyntax.self)?.representedLiteralValue,
      !file.isEmpty, !file.contains("@__swiftmacro_"), !file.contains("\""), !file.contains("\\")
    else { return nil }
    return "#sourceLocation(file: \"\(file)\", line: \(line))"
  }
}
