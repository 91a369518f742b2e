internal import JSONText
internal import Wire

/// Different texts that look the same in a terminal, and the forms in which they can be told apart.
///
/// Values are compared by their bytes. A composed and a decomposed é, or a space and a no-break space, are therefore
/// different, and what is printed must show it.
nonisolated enum LookAlikes {
  /// Returns true if two texts look the same, whether or not they are.
  static func areAlike(_ a: String, _ b: String) -> Bool { seen(a) == seen(b) }

  /// A text without invisible characters and with plain spaces. Strings compare canonically equivalent texts as equal.
  private static func seen(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = ""
    for scalar in text.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
      result.unicodeScalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
    }
    return result
  }

  /// Returns the paths, with escapes in the quoted keys and ids of those that differ and look like another one.
  static func distinct(_ paths: [String]) -> [String] {
    var forms: [String: Set<[UInt8]>] = [:]
    for path in paths { forms[seen(path), default: []].insert(Array(path.utf8)) }
    return paths.map { path in forms[seen(path)].map(\.count) == 1 ? path : escapedKeys(path) }
  }

  /// Replaces the characters beyond ASCII between quotes by their numbers, as paths are read.
  static func escapedKeys(_ path: String) -> String {
    var (result, isQuoted, isEscaped) = ("", false, false)
    for scalar in path.unicodeScalars {
      if isQuoted, !scalar.isASCII {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
      if scalar == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return result
  }

  /// Returns two JSON texts with escapes for the characters beyond ASCII; of long ones, the parts at the first
  /// difference.
  ///
  /// - Parameter room: The number of characters for each.
  static func told(_ a: String, _ b: String, room: Int) -> (String, String) {
    let (a, b) = (Array(escaped(a).utf8), Array(escaped(b).utf8))
    guard max(a.count, b.count) > room else {
      return (String(decoding: a, as: UTF8.self), String(decoding: b, as: UTF8.self))
    }
    let first = zip(a, b).prefix { $0 == $1 }.count
    func part(_ text: [UInt8]) -> String {
      let start = min(max(first - 10, 0), text.count)
      let end = min(start + room, text.count)
      return (start > 0 ? "…" : "") + String(decoding: text[start..<end], as: UTF8.self) + (end < text.count ? "…" : "")
    }
    return (part(a), part(b))
  }

  /// Returns the bytes of two values from the first difference on.
  static func told(_ a: [UInt8], _ b: [UInt8]) -> (String, String) {
    let first = zip(a, b).prefix { $0 == $1 }.count
    func part(_ bytes: [UInt8]) -> String {
      let end = min(first + 16, bytes.count)
      return "byte \(first) h'\(Array(bytes[min(first, end)..<end]).hexadecimal)\(end < bytes.count ? "…" : "")'"
    }
    return (part(a), part(b))
  }

  /// Replaces the characters of a JSON text beyond ASCII, which only strings contain, by their UTF-16 numbers.
  private static func escaped(_ json: String) -> String {
    var result = ""
    for scalar in json.unicodeScalars {
      guard !scalar.isASCII else {
        result.unicodeScalars.append(scalar)
        continue
      }
      JSONValue.writeNumbers(of: scalar, to: &result)
    }
    return result
  }
}
