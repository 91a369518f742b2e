/// The name of a type as in source code: without its module and the compiler's private contexts.
///
/// - Parameter generics: True to keep `<…>`. Values are printed without it, because their fields show the types.
package func typeName(_ type: Any.Type, generics: Bool = false) -> String {
  var parser = TypeNameParser(text: Array(String(reflecting: type).utf8), generics: generics)
  return String(decoding: parser.sequence(), as: UTF8.self)
}

/// Rewrites the result of `String(reflecting:)` for a type.
///
/// It parses bytes, because all significant characters are ASCII and type names are parsed for every dump.
private struct TypeNameParser {
  let text: [UInt8]
  let generics: Bool
  var at = 0

  init(text: [UInt8], generics: Bool) {
    (self.text, self.generics) = (text, generics)
  }

  /// Everything up to a bracket that was not opened in this sequence.
  mutating func sequence() -> [UInt8] {
    var result: [UInt8] = []
    while at < text.count {
      let byte = text[at]
      if skipsContext() { continue }
      switch byte {
      case UInt8(ascii: ">"), UInt8(ascii: ")"):
        return result
      case UInt8(ascii: "-") where starts(with: "->"):
        result += Array("->".utf8)
        at += 2
      case UInt8(ascii: "("), UInt8(ascii: "<"):
        at += 1
        result.append(byte)
        result += sequence()
        if at < text.count { result.append(text[at]) }
        at += 1
      case _ where isNamePart(byte):
        result += path()
      default:
        result.append(byte)
        at += 1
      }
    }
    return result
  }

  /// A dotted name with its generic arguments; its first component is the module.
  private mutating func path() -> [UInt8] {
    var components: [[UInt8]] = []
    var lastArguments: [UInt8] = []
    repeat {
      while skipsContext() {}
      var component: [UInt8] = []
      if starts(with: "("), let name = privateName() {
        component = name
      } else {
        while at < text.count, isNamePart(text[at]) {
          component.append(text[at])
          at += 1
        }
      }
      if starts(with: "<") {
        at += 1
        let arguments = sequence()
        at += 1
        lastArguments = arguments
        if generics { component += Array("<".utf8) + arguments + Array(">".utf8) }
      }
      components.append(component)
    } while skipsDot()
    if let shorthand = shorthand(components, lastArguments) { return shorthand }
    // `Any.Type` has no module prefix.
    let isBuiltin = components[0] == Array("Any".utf8) || components[0] == Array("AnyObject".utf8)
    if components.count > 1, !isBuiltin { components.removeFirst() }
    return Array(components.joined(separator: [UInt8(ascii: ".")]))
  }

  /// Returns a type in shorthand: `[Int]`, `[String: Int]`, `Int?`.
  private func shorthand(_ components: [[UInt8]], _ arguments: [UInt8]) -> [UInt8]? {
    guard components.count == 2, components[0] == Array("Swift".utf8), !arguments.isEmpty,
      !arguments.contains(UInt8(ascii: ">"))
    else { return nil }
    switch String(decoding: components[1].prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self) {
    case "Array": return [UInt8(ascii: "[")] + arguments + [UInt8(ascii: "]")]
    case "Optional": return arguments + [UInt8(ascii: "?")]
    case "Dictionary":
      let text = String(decoding: arguments, as: UTF8.self)
      guard let comma = commaBetweenTypes(text) else { return nil }
      return Array("[\(text[..<comma]): \(text[comma...].dropFirst(2))]".utf8)
    default: return nil
    }
  }

  /// Returns the index of the first comma outside brackets.
  private func commaBetweenTypes(_ text: String) -> String.Index? {
    var depth = 0
    return text.indices.first { index in
      switch text[index] {
      case "(", "[", "<": depth += 1
      case ")", "]", ">": depth -= 1
      default: break
      }
      return depth == 0 && text[index] == ","
    }
  }

  /// `(Name in _0123)`, the form of private types.
  private mutating func privateName() -> [UInt8]? {
    guard let end = text[at...].firstIndex(of: UInt8(ascii: ")")) else { return nil }
    let words = text[(at + 1)..<end].split(separator: UInt8(ascii: " "))
    guard words.count == 3, words[1].elementsEqual("in".utf8) else { return nil }
    at = end + 1
    return Array(words[0])
  }

  /// `(unknown context at $0123).` before local types, and `(extension in Module):`.
  private mutating func skipsContext() -> Bool {
    guard starts(with: "(unknown context at ") || starts(with: "(extension in "),
      let end = text[at...].firstIndex(of: UInt8(ascii: ")"))
    else { return false }
    at = min(end + 2, text.count)
    return true
  }

  private mutating func skipsDot() -> Bool {
    guard starts(with: "."), at + 1 < text.count, isNamePart(text[at + 1]) || text[at + 1] == UInt8(ascii: "(")
    else { return false }
    at += 1
    return true
  }

  private func starts(with prefix: StaticString) -> Bool {
    prefix.withUTF8Buffer { text[at...].starts(with: $0) }
  }

  private func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 128...:
      true
    default:
      false
    }
  }
}
