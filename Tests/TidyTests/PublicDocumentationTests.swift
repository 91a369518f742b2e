import Testing

/// Public declarations have documentation comments.
///
/// swift-format's rule AllPublicDeclarationsHaveDocumentation is not used, because it also requires comments on
/// witnesses of documented requirements.
@Suite struct PublicDocumentationTests {
  /// Starts of declarations that satisfy requirements of the standard library's protocols or of ours.
  static let witnesses = [
    "func ==", "func <", "func hash(into", "func encode(to", "init(from decoder", "var description:",
    "var debugDescription:", "var customMirror:", "var startIndex:", "var endIndex:", "func index(after",
    "func index(before", "func makeIterator(", "func replaceSubrange", "init(arrayLiteral", "let rawValue:",
    "init(rawValue", "var id:", "func next(", "mutating func append(_ element",
    "func reduce(into", "var body:", "typealias Body", "var allCasePaths:", "subscript(root", "var liveValue",
    "let liveValue", "var testValue", "var previewValue", "var kind:", "func build", "func expansion(",
  ]

  @Test func publicDeclarationsAreDocumented() throws {
    for file in Repository.files(below: "Sources", endingIn: ".swift") {
      for (number, declaration) in Self.undocumented(in: try Repository.lines(file)) {
        Issue.record("\(file):\(number) has no documentation comment: \(declaration)")
      }
    }
  }

  @Test func whatHasNoCommentIsFound() {
    let source: [Substring] = [
      "/// A state.", "@Replicated", "public struct State {", "  public var count = 0", "  public var _storage = 1",
      "  public static func == (lhs: Self, rhs: Self) -> Bool { true }", "  @inlinable public init() {}", "}",
      "public extension Int {}", "public import Wire",
      "/// A function.", "@available(", "  *, unavailable, message: \"no\"", ")", "public func old() {}",
      "@available(", "  *, unavailable, message: \"no\"", ")", "public func older() {}",
    ]
    #expect(Self.undocumented(in: source).map(\.number) == [4, 7, 19])
  }

  static func undocumented(in lines: [Substring]) -> [(number: Int, declaration: Substring)] {
    var found: [(Int, Substring)] = []
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      guard let declaration = publicDeclaration(text), !isExempt(declaration) else { continue }
      var above = index - 1
      // The attributes of a macro take several lines.
      let isMacro = declaration.hasPrefix("macro ")
      while above >= 0 {
        // A multi-line attribute ends in a line of its own.
        if lines[above].trimmed == ")", let start = lines[..<above].lastIndex(where: { $0.hasSuffix("(") }),
          isAttribute(lines[start].trimmed)
        {
          above = start
        }
        guard isMacro ? isCode(lines[above]) : isAttribute(lines[above].trimmed) else { break }
        above -= 1
      }
      if above < 0 || !lines[above].drop(while: { $0 == " " }).hasPrefix("///") { found.append((index + 1, text)) }
    }
    return found
  }

  /// Returns the declaration after `public` or `open` in a line, without modifiers.
  private static func publicDeclaration(_ line: Substring) -> Substring? {
    guard !line.hasPrefix("//") else { return nil }
    var rest = line
    while rest.hasPrefix("@") { rest = rest.drop { $0 != " " }.drop { $0 == " " } }
    guard rest.hasPrefix("public ") || rest.hasPrefix("open ") else { return nil }
    rest = rest.drop { $0 != " " }.dropFirst()
    let modifiers = [
      "static ", "final ", "nonisolated ", "mutating ", "consuming ", "borrowing ", "indirect ", "override ",
    ]
    while let modifier = modifiers.first(where: {
      rest.hasPrefix($0) && !rest.hasPrefix("mutating func append(_ element")
    }) {
      rest = rest.dropFirst(modifier.count)
    }
    for other in ["import ", "extension ", "internal(set) ", "private(set) ", "package(set) "]
    where rest.hasPrefix(other) {
      guard other.contains("(set)") else { return nil }
      rest = rest.dropFirst(other.count)
    }
    return rest
  }

  private static func isExempt(_ declaration: Substring) -> Bool {
    if witnesses.contains(where: { declaration.hasPrefix($0) }) { return true }
    // A name with a leading underscore is public only for macros and inlining.
    let name = declaration.drop { $0 != " " && $0 != "(" }.drop { " (".contains($0) }
    return name.hasPrefix("_")
  }

  private static func isCode(_ line: Substring) -> Bool {
    let text = line.drop { $0 == " " }
    return !text.isEmpty && !text.hasPrefix("///")
  }

  private static func isAttribute(_ line: Substring) -> Bool { line.hasPrefix("@") || line.hasPrefix("#if") }
}

extension Substring {
  /// The line without the spaces before it.
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}
