import SwiftSyntax

extension Trivia {
  /// The text of the documentation comment at the end, without its marks; nil if there is none.
  var documentation: String? {
    var lines: [Substring] = []
    for piece in self {
      switch piece {
      case .docLineComment(let comment): lines.append(comment.dropFirst(3))
      case .docBlockComment(let comment): lines += Self.lines(ofBlock: comment)
      // A comment before an empty line belongs to nothing.
      case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count):
        if count > 1 { lines = [] }
      default: break
      }
    }
    let indentation = lines.filter { !Self.isBlank($0) }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    let texts = lines.map { String($0.dropFirst(Self.isBlank($0) ? $0.count : indentation)).trimmingEnd() }
    let text = texts.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed()
    return text.isEmpty ? nil : text.joined(separator: "\n")
  }

  /// The lines within `/** */`, without the asterisks that may begin them.
  private static func lines(ofBlock comment: String) -> [Substring] {
    let text = comment.dropFirst(3).dropLast(comment.hasSuffix("*/") && comment.count > 4 ? 2 : 0)
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      let rest = line.drop { $0 == " " || $0 == "\t" }
      return rest.first == "*" ? rest.dropFirst() : line
    }
  }

  private static func isBlank(_ line: Substring) -> Bool { line.allSatisfy(\.isWhitespace) }
}

extension String {
  fileprivate func trimmingEnd() -> String {
    guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(self[...last])
  }

  /// The string as a literal of Swift.
  var literal: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\", "\"": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\t": text += " "
      case _ where scalar.properties.generalCategory == .control: break
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension EnumCase {
  /// The text of its documentation comment, which may be that of the whole declaration.
  var documentation: String? {
    if let own = element.leadingTrivia.documentation { return own }
    return element.parent?.parent?.as(EnumCaseDeclSyntax.self)?.leadingTrivia.documentation
  }
}
