/// The words of a name in the source: `isLoadingFact` has three, `nextID` two, `Todos.State` two.
struct NameWords {
  let words: [String]

  init(_ name: String) {
    var words: [String] = []
    var word: [Character] = []
    func end() {
      if !word.isEmpty { words.append(String(word)) }
      word = []
    }
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      guard character.isLetter || character.isNumber else {
        end()
        continue
      }
      if character.isUppercase, let last = word.last {
        let next = index + 1 < characters.count ? characters[index + 1] : nil
        // The last capital of several begins a word: `URLSession`.
        if !last.isUppercase || (next?.isLowercase ?? false) { end() }
      }
      word.append(character)
    }
    end()
    self.words = words.isEmpty ? ["value"] : words
  }

  /// `is_loading_fact`
  var snake: String { Self.started(words.map { $0.lowercased() }.joined(separator: "_"), with: "n") }
  /// `IS_LOADING_FACT`
  var capitals: String { Self.started(words.map { $0.uppercased() }.joined(separator: "_"), with: "N") }
  /// `IsLoadingFact`
  var pascal: String { Self.started(words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(), with: "N") }
  /// `isLoadingFact`
  var camel: String {
    let first =
      words[0].allSatisfy { $0.isUppercase }
      ? words[0].lowercased() : words[0].prefix(1).lowercased() + words[0].dropFirst()
    return Self.started(
      first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(), with: "n")
  }

  /// An identifier begins with a letter.
  private static func started(_ text: String, with letter: String) -> String {
    text.first?.isNumber == true ? letter + text : text
  }
}

/// The names that are taken in one scope of a generated file.
struct NameScope {
  private var taken: Set<String>
  private let reserved: Set<String>

  /// A scope in which some words are reserved by the language or by the file itself.
  init(reserved: Set<String>) {
    self.reserved = reserved
    taken = []
  }

  /// Takes a name, or if it is reserved or taken, the next one like it.
  mutating func take(_ wanted: String) -> String {
    var name = reserved.contains(wanted) ? wanted + "_" : wanted
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(wanted)\(number)"
      number += 1
    }
    return name
  }
}
