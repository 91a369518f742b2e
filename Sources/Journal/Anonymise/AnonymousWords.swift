internal import Synchronization

/// The words of a journal's users, and the words in their place.
///
/// A word is a run of letters and digits. Shorter ones than three, and numbers of less than four digits, say little and
/// are often the program's; they remain.
final class AnonymousWords: Sendable {
  private struct Words {
    var ofUsers: Set<String> = []
    var others: Set<String> = []
  }

  private let words = Mutex(Words())
  private let kept: Set<String>

  init(keeping kept: Set<String>) { self.kept = kept }

  /// Adds the words of a text, and returns it.
  ///
  /// - Parameter isOfUsers: True for a text that users have written; false for one that the program may have made.
  func collected(_ text: String, isOfUsers: Bool) -> String {
    words.withLock { words in
      for word in Self.words(of: text) {
        if isOfUsers, !kept.contains(word) { words.ofUsers.insert(word) } else { words.others.insert(word) }
      }
    }
    return text
  }

  /// Chooses another word for each word of a user: of the same length, with letters and digits at the same places, and
  /// different from all other words.
  func replacements() -> [String: String] {
    words.withLock { words in
      var used = words.ofUsers.union(words.others)
      var random = SystemRandomNumberGenerator()
      var replacements: [String: String] = [:]
      for word in words.ofUsers {
        // There may be no other word as short as this one.
        for _ in 0..<100 {
          let other = Self.random(like: word, using: &random)
          guard used.insert(other).inserted else { continue }
          replacements[word] = other
          break
        }
      }
      return replacements
    }
  }

  /// Returns a text with other words.
  static func replace(_ text: String, _ replacements: [String: String]) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      let between = rest.prefix { !isPart($0) }
      result.append(contentsOf: between)
      rest = rest[between.endIndex...]
      let run = rest.prefix(while: isPart)
      let word = String(run)
      result.append(contentsOf: (replacements[word] ?? word).unicodeScalars)
      rest = rest[run.endIndex...]
    }
    return String(result)
  }

  private static func words(of text: String) -> [String] {
    text.unicodeScalars.split { !isPart($0) }.filter { word in
      word.count >= (word.allSatisfy(isDigit) ? 4 : 3)
    }.map { String($0) }
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic || isDigit(scalar) }
  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func random(like word: String, using random: inout SystemRandomNumberGenerator) -> String {
    var result = String.UnicodeScalarView()
    for scalar in word.unicodeScalars { result.append(letters(like: scalar).randomElement(using: &random) ?? scalar) }
    return String(result)
  }

  /// Letters with as many bytes in UTF-8, or digits.
  private static func letters(like scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    let range: ClosedRange<UInt32> =
      switch scalar {
      case "0"..."9": 0x30...0x39
      case "A"..."Z": 0x41...0x5a
      case "a"..."z": 0x61...0x7a
      default:
        switch UTF8.width(scalar) {
        case 2: 0xe0...0xf6
        case 3: 0x4e00...0x4eff
        default: 0x20000...0x200ff
        }
      }
    return range.compactMap(Unicode.Scalar.init)
  }
}
