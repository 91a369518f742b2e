internal import Synchronization

/// The words of a journal's users, and the words in their place.
///
/// A word is a run of letters and digits, with the marks on them. Those of less than three bytes, and numbers of less than
/// four digits, say little and are often the program's; they remain. (A letter of three bytes can be a whole name.)
///
/// Words that are equal as in Swift are one word and get the same one in their place, also if their code points differ:
/// they may be keys and ids, which the reducer has taken for equal.
final class AnonymousWords: Sendable {
  /// The author of a text.
  enum Author {
    case users
    /// The program, perhaps with words of users.
    case program
    /// The program, as the reason why it has refused an action, perhaps with words that are stored nowhere else.
    case programForSender
  }

  /// The words in the place of others.
  struct Replacements {
    /// In all texts.
    var everywhere: [String: String] = [:]
    /// In the reasons of refused actions.
    var inReasons: [String: String] = [:]
  }

  private struct Words {
    var ofUsers: Set<String> = []
    var ofProgram: Set<String> = []
    var ofReasons: Set<String> = []
  }

  private let words = Mutex(Words())
  private let kept: Set<String>

  init(keeping kept: Set<String>) { self.kept = kept }

  /// Adds the words of a text, and returns it.
  func collected(_ text: String, of author: Author) -> String {
    words.withLock { words in
      for word in Self.words(of: text) {
        switch author {
        case _ where kept.contains(word), .program: words.ofProgram.insert(word)
        case .users: words.ofUsers.insert(word)
        case .programForSender: words.ofReasons.insert(word)
        }
      }
    }
    return text
  }

  /// Chooses another word for each word of a user, and for each that only reasons have: of the same length, with letters,
  /// digits and marks at the same places, and different from all other words.
  func replacements() -> Replacements {
    words.withLock { words in
      var used = words.ofUsers.union(words.ofProgram).union(words.ofReasons)
      let ofReasons = words.ofReasons.subtracting(words.ofUsers).subtracting(words.ofProgram)
      var random = SystemRandomNumberGenerator()
      func replacements(of words: Set<String>) -> [String: String] {
        var replacements: [String: String] = [:]
        for word in words {
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
      let everywhere = replacements(of: words.ofUsers)
      let inReasons = replacements(of: ofReasons)
      return Replacements(everywhere: everywhere, inReasons: inReasons.merging(everywhere) { $1 })
    }
  }

  /// Returns a text with other words.
  static func replace(_ text: String, _ replacements: [String: String]) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      result.append(contentsOf: takeSeparators(&rest))
      let word = String(takeWord(&rest))
      result.append(contentsOf: (replacements[word] ?? word).unicodeScalars)
    }
    return String(result)
  }

  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      _ = takeSeparators(&rest)
      let word = takeWord(&rest)
      let saysLittle =
        word.allSatisfy(isDigit) ? word.count < 4 : word.reduce(0) { $0 + UTF8.width($1) } < 3
      if !saysLittle { words.append(String(word)) }
    }
    return words
  }

  private static func takeSeparators(_ rest: inout Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    let separators = rest.prefix { !isPart($0) }
    rest = rest[separators.endIndex...]
    return separators
  }

  /// Takes the letters, digits and marks at the beginning of a text that begins with no separator.
  private static func takeWord(_ rest: inout Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    let word = rest.prefix { isPart($0) || isMark($0) }
    rest = rest[word.endIndex...]
    return word
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic || isDigit(scalar) }
  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType == .decimal }

  /// An accent, for example, or a joiner: behind a letter it is a part of the word, behind an emoji it is none.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isGraphemeExtend || scalar.properties.generalCategory == .spacingMark || scalar == "\u{200d}"
  }

  /// A word with as many characters, so that a `Character` remains one.
  private static func random(like word: String, using random: inout SystemRandomNumberGenerator) -> String {
    var result = String.UnicodeScalarView()
    for character in word {
      for (offset, scalar) in character.unicodeScalars.enumerated() {
        let others = offset == 0 ? letters(like: scalar) : marks(like: scalar)
        result.append(others.randomElement(using: &random) ?? scalar)
      }
    }
    return String(result)
  }

  /// Letters with as many bytes in UTF-8, or digits of the same script.
  private static func letters(like scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    let range: ClosedRange<UInt32> =
      switch scalar {
      case _ where isDigit(scalar): digits(like: scalar)
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

  /// Combining letters with as many bytes in UTF-8, which are on whatever they follow. No letter has one of them built in.
  private static func marks(like scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    let range: ClosedRange<UInt32> =
      switch UTF8.width(scalar) {
      case 1: scalar.value...scalar.value
      case 2: 0x363...0x36f
      case 3: 0x1dd3...0x1de6
      default: 0x1e000...0x1e006
      }
    return range.compactMap(Unicode.Scalar.init)
  }

  /// The ten decimal digits of a script follow each other.
  private static func digits(like scalar: Unicode.Scalar) -> ClosedRange<UInt32> {
    let zero = scalar.value - UInt32(scalar.properties.numericValue ?? 0)
    return zero...zero + 9
  }
}
