import Foundation
import Testing

/// A block of code on a page.
///
/// Every fenced block marked `swift` is compiled as it is on the page, as the main file of a program that uses this
/// package. A comment on the line before the fence supplies what the page leaves out, its parts separated by
/// semicolons:
///
///     <!-- code: name=counter; imports=ComposableArchitecture -->
///
/// - `name=NAME`: a name by which other blocks of the page can require this one.
/// - `needs=NAME NAME`: blocks of the page that are compiled with this one, as further files of the program.
/// - `module=NAME`: the needed blocks are a module of this name, which this one imports.
/// - `imports=A B`: modules to import before the block.
/// - `given=PARAMETERS`: the block is the body of an asynchronous, throwing function on the main actor with these
///   parameters.
/// - `skip=REASON`: the block is not compiled.
struct CodeBlock: CustomTestStringConvertible, Sendable {
  var page: String
  /// The line of the page on which the code starts.
  var line: Int
  /// The word after the fence; nil for an indented block.
  var language: String?
  var options: [String: String]
  var text: String

  var testDescription: String { "\(page):\(line)" }
  var name: String? { options["name"] }
  var needs: [String] { words("needs") }

  private func words(_ option: String) -> [String] { (options[option] ?? "").split(separator: " ").map(String.init) }

  /// The source file for this block; errors are reported at the lines of the page.
  var source: String {
    let imports = words("imports").map { "import \($0)\n" }.joined()
    let code = "#sourceLocation(file: \"\(page)\", line: \(line))\n\(text)\n#sourceLocation()\n"
    guard let parameters = options["given"] else { return imports + code }
    return "\(imports)@MainActor func example(\(parameters)) async throws {\n\(code)}\n"
  }

  /// True if an unmarked block looks like Swift.
  var looksLikeSwift: Bool {
    let starts = ["import ", "let ", "var ", "func ", "struct ", "enum ", "extension ", "public ", "@", "final class "]
    return text.split(separator: "\n").contains { line in starts.contains { line.hasPrefix($0) } }
  }

  /// The blocks of a page, in order.
  static func blocks(of text: String, page: String) -> [CodeBlock] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var (found, index): ([CodeBlock], Int) = ([], 0)
    while index < lines.count {
      let isFence = lines[index].hasPrefix("```")
      guard isFence || (lines[index].hasPrefix("    ") && isIndentedCode(lines, at: index)) else {
        index += 1
        continue
      }
      let start = isFence ? index + 1 : index
      var end = start
      while end < lines.count, isFence ? !lines[end].hasPrefix("```") : belongsToIndented(lines, end) { end += 1 }
      let body = lines[start..<end].map { isFence ? $0 : $0.dropFirst(4) }.joined(separator: "\n")
      found.append(
        CodeBlock(
          page: page, line: start + 1, language: isFence ? String(lines[index].dropFirst(3)) : nil,
          options: index > 0 ? options(in: lines[index - 1]) : [:], text: body))
      index = isFence ? end + 1 : end
    }
    return found
  }

  /// Returns true for an indented line after an empty one, which starts a block of code; elsewhere it continues a
  /// paragraph.
  private static func isIndentedCode(_ lines: [Substring], at index: Int) -> Bool {
    index == 0 || lines[index - 1].allSatisfy(\.isWhitespace)
  }

  private static func belongsToIndented(_ lines: [Substring], _ index: Int) -> Bool {
    if lines[index].hasPrefix("    ") { return true }
    // An empty line belongs to the block if the block continues after it.
    return lines[index].isEmpty && index + 1 < lines.count && lines[index + 1].hasPrefix("    ")
  }

  private static func options(in line: Substring) -> [String: String] {
    guard line.hasPrefix("<!-- code:"), line.hasSuffix("-->") else { return [:] }
    var options: [String: String] = [:]
    for part in line.dropFirst("<!-- code:".count).dropLast(3).split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      options[pair[0]] = pair.count > 1 ? pair[1] : ""
    }
    return options
  }
}
