internal import JSONParser
internal import JSONText

/// The text of an action or a value in a scenario, with placeholders: `todos.moved {id} {next}`, `"{run} {n}"`.
struct TemplateText {
  /// The meaning of a placeholder.
  typealias Gap = Segments.Segment

  /// The words as JSON, with `marker(number)` in place of each gap.
  private(set) var words: [String] = []
  private(set) var gaps: [Gap] = []
  private let run: String
  private let payload: Int

  /// Splits a text at its spaces, except within strings, arrays and objects.
  init(_ text: String, run: String, payload: Int) throws(LoadError) {
    (self.run, self.payload) = (run, payload)
    var word = ""
    var depth = 0
    var rest = text[...]
    while let character = rest.first {
      switch character {
      case "\"": word += try quoted(&rest)
      case "{" where Self.placeholder(rest) != nil: word += try placeholder(&rest)
      case " ", "\t":
        rest.removeFirst()
        if depth > 0 {
          word.append(" ")
        } else if !word.isEmpty {
          words.append(word)
          word = ""
        }
      default:
        if "{[".contains(character) { depth += 1 }
        if "}]".contains(character) { depth -= 1 }
        word.append(character)
        rest.removeFirst()
      }
    }
    if !word.isEmpty { words.append(word) }
  }

  /// Returns the text that represents a gap in a word.
  static func marker(_ number: Int) -> String { "\u{1}\(number)\u{2}" }

  private static func placeholder(_ text: Substring) -> Substring? {
    guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else { return nil }
    let name = text[text.index(after: text.startIndex)..<end]
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || ":.-".contains($0) }) else { return nil }
    return name
  }

  private mutating func add(_ gap: Gap) -> String {
    gaps.append(gap)
    return Self.marker(gaps.count - 1)
  }

  private mutating func placeholder(_ rest: inout Substring) throws(LoadError) -> String {
    guard let name = Self.placeholder(rest) else { return "" }
    rest = rest.dropFirst(name.count + 2)
    switch name {
    case "id": return add(.id)
    case "next": return add(.nextID)
    case "n": return add(.number)
    case "toggle": return add(.toggle)
    case "text": return add(text("{text}"))
    case "run": return "\"\(run)\""
    default:
      if name.hasPrefix("random:"), let range = Self.range(name.dropFirst(7)) { return add(.random(range)) }
      throw .scenario(
        "there is no placeholder {\(name)}: there are {id} {next} {n} {toggle} {text} {run} {random:1..6}")
    }
  }

  private static func range(_ text: Substring) -> ClosedRange<Int>? {
    guard let dots = text.firstRange(of: ".."), let low = Int(text[..<dots.lowerBound]),
      let high = Int(text[dots.upperBound...]), low <= high
    else { return nil }
    return low...high
  }

  /// Parses a JSON string. One with placeholders becomes a single gap, whose text has no escapes any more.
  private mutating func quoted(_ rest: inout Substring) throws(LoadError) -> String {
    var literal = "\""
    rest.removeFirst()
    while let character = rest.first, character != "\"" {
      literal.append(character)
      rest.removeFirst()
      if character == "\\", let escaped = rest.first {
        literal.append(escaped)
        rest.removeFirst()
      }
    }
    guard rest.first == "\"" else { throw .scenario("a closing \" is missing") }
    rest.removeFirst()
    literal += "\""
    for name in ["{id}", "{next}", "{toggle}", "{random:"] where literal.contains(name) {
      throw .scenario("\(literal): a text can contain {n}, {run} and {text}, but not \(name)")
    }
    guard ["{n}", "{run}", "{text}"].contains(where: literal.contains) else { return literal }
    do throws(JSONError) {
      guard case .string(let content) = try JSONValue(parsing: literal) else { return literal }
      return add(text(content))
    } catch {
      throw .scenario("\(literal): \(error)")
    }
  }

  private func text(_ content: String) -> Gap {
    let isFilled = content.contains("{text}")
    var pieces: [Segments.TextPiece] = []
    var rest = content.replacing("{text}", with: "{run}-{n} ").replacing("{run}", with: run)[...]
    while let place = rest.firstRange(of: "{n}") {
      pieces.append(.bytes(Array(rest[..<place.lowerBound].utf8)))
      pieces.append(.number)
      rest = rest[place.upperBound...]
    }
    pieces.append(.bytes(Array(rest.utf8)))
    return .text(pieces.filter { $0 != .bytes([]) }, size: isFilled ? payload : 0)
  }
}
