import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import MacroExpansions

/// The expansion of a macro in a piece of source. The toolchain has no SwiftSyntaxMacrosTestSupport.
struct Expansion {
  /// The source with the expansion.
  let text: String
  /// `line:column: severity: message`, followed by the messages of fix-its.
  let diagnostics: String
  /// The source after all fix-its.
  let fixed: String

  /// Expands one macro, but not those in its expansion.
  init(_ source: String, _ name: String, as macro: any Macro.Type, adding conformances: [TypeSyntax] = []) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Module", fullFilePath: "Module.swift")])
    let expanded = file.expand(
      macroSpecs: [name: MacroSpec(type: macro, conformances: conformances)],
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      }, indentationWidth: .spaces(2))
    text = expanded.description.split(separator: "\n").filter { $0.contains { $0 != " " } }.joined(separator: "\n")

    func offset(of position: AbsolutePosition, in node: Syntax) -> Int {
      context.location(for: position, anchoredAt: node, fileName: "").offset
    }
    diagnostics = context.diagnostics.map { diagnostic in
      let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "")
      let fixes = diagnostic.fixIts.map { "\n  fix: \($0.message.message)" }.joined()
      return "\(place.line):\(place.column): \(diagnostic.diagMessage.severity): \(diagnostic.message)\(fixes)"
    }.joined(separator: "\n")

    var bytes = Array(source.utf8)
    let changes = context.diagnostics.flatMap(\.fixIts).flatMap(\.changes)
    let edits = changes.compactMap { change -> (Range<Int>, String)? in
      guard case .replace(let old, let new) = change else { return nil }
      let start = offset(of: old.position, in: old)
      return (start..<start + old.totalLength.utf8Length, new.description)
    }
    for (range, text) in edits.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
      bytes.replaceSubrange(range, with: Array(text.utf8))
    }
    fixed = String(decoding: bytes, as: UTF8.self)
  }
}

/// Expects an expansion without diagnostics.
func expectExpansion(
  _ source: String, _ name: String, as macro: any Macro.Type, adding conformances: [TypeSyntax] = [],
  is expected: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let expansion = Expansion(source, name, as: macro, adding: conformances)
  #expect(expansion.diagnostics == "", sourceLocation: sourceLocation)
  #expect(expansion.text == expected, sourceLocation: sourceLocation)
  // Every expansion must be valid Swift syntax.
  #expect(!Parser.parse(source: expansion.text).hasError, sourceLocation: sourceLocation)
}

/// Expects a macro's diagnostics, and the source after all fix-its.
func expectComplaint(
  _ source: String, _ name: String, as macro: any Macro.Type, adding conformances: [TypeSyntax] = [],
  is expected: String, fixed: String? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let expansion = Expansion(source, name, as: macro, adding: conformances)
  #expect(expansion.diagnostics == expected, sourceLocation: sourceLocation)
  #expect(expansion.fixed == fixed ?? source, sourceLocation: sourceLocation)
}
