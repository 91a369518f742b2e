internal import INIText
internal import Spelling

/// A mistake in a configuration: its line, and the reason with the remedy.
package struct BrowserConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  package let line: Int
  package let reason: String

  package var description: String { "line \(line): \(reason)" }
}

extension BrowserConfiguration {
  /// The keys of commands, which cannot be bound to actions.
  package static let commandKeys = Set("qRpgGnNfsSeidjk:./?-[]0123456789")

  /// Reads the text of a file. What it does not name stays as it is.
  ///
  /// - Throws: The first mistake.
  package mutating func read(_ text: String) throws(BrowserConfigurationError) {
    let parsed: INIText
    do throws(INIError) { parsed = try INIText(parsing: text) } catch {
      throw BrowserConfigurationError(line: error.line, reason: error.reason)
    }
    for section in parsed.sections {
      guard !section.name.isEmpty || section.values.isEmpty else {
        throw BrowserConfigurationError(
          line: section.values[0].line, reason: "a setting must stand below a section, such as [screen]")
      }
      let line = section.lines.first ?? section.values.first?.line ?? 0
      if section.values.isEmpty { try check(section.name, line) }
      for value in section.values {
        do throws(Mistake) { try take(value.key, value.text, in: section.name) } catch {
          throw BrowserConfigurationError(line: value.line, reason: error.reason)
        }
      }
    }
  }

  private struct Mistake: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private static let sections = ["screen", "tab-titles", "format", "keys", "actions"]

  private func check(_ section: String, _ line: Int) throws(BrowserConfigurationError) {
    guard !section.isEmpty, !Self.sections.contains(section), section.tablePath == nil else { return }
    throw BrowserConfigurationError(line: line, reason: Self.unknown(section))
  }

  private static func unknown(_ section: String) -> String {
    let near = Spelling.question(Spelling.nearest(to: section, among: sections + ["table PATH"]))
    return "there is no section [\(section)]\(near)"
  }

  private mutating func take(_ key: String, _ text: String, in section: String) throws(Mistake) {
    switch section {
    case "screen": try takeScreen(key, text)
    case "tab-titles": tabTitles[key] = text
    case "format": try takeFormat(key, text)
    case "keys": try takeKey(key, text)
    case "actions":
      guard key == "hidden" else { throw Self.unknown(key, ["hidden"]) }
      hiddenActions = Self.list(text)
    default:
      guard let path = section.tablePath else { throw Mistake(Self.unknown(section)) }
      try takeTable(key, text, path)
    }
  }

  private mutating func takeScreen(_ key: String, _ text: String) throws(Mistake) {
    switch key {
    case "title": title = text.isEmpty ? nil : text
    case "tabs": tabs = Self.list(text)
    default: throw Self.unknown(key, ["title", "tabs"])
    }
  }

  private mutating func takeTable(_ key: String, _ text: String, _ path: String) throws(Mistake) {
    switch key {
    case "columns": tables[path, default: Table()].columns = Self.list(text)
    case "sort":
      let words = text.split(separator: " ").map(String.init)
      guard let column = words.first, words.count == 1 || words.count == 2 && words[1] == "descending" else {
        throw Mistake("sort needs the name of a column, and may have 'descending' after it, not '\(text)'")
      }
      tables[path, default: Table()].sort = .init(column, isDescending: words.count == 2)
    default:
      guard key.hasPrefix("title."), key.count > 6 else {
        throw Self.unknown(key, ["columns", "sort", "title.COLUMN"])
      }
      tables[path, default: Table()].titles[String(key.dropFirst(6))] = text
    }
  }

  private mutating func takeFormat(_ key: String, _ text: String) throws(Mistake) {
    switch key {
    case "dates": format.dates = try Self.word(text)
    case "durations": format.durations = try Self.word(text)
    case "decimals":
      guard text != "all" else { return format.decimals = nil }
      guard let count = Int(text), 0...15 ~= count else { throw Mistake("decimals is all, or a number from 0 to 15") }
      format.decimals = count
    default: throw Self.unknown(key, ["dates", "durations", "decimals"])
    }
  }

  private mutating func takeKey(_ key: String, _ text: String) throws(Mistake) {
    guard let character = key.first, key.count == 1 else { throw Mistake("a key is one character, not '\(key)'") }
    guard !Self.commandKeys.contains(character) else { throw Mistake("the key '\(key)' has a meaning of its own") }
    keys[character] = text.isEmpty ? nil : text
  }

  private static func unknown(_ key: String, _ known: [String]) -> Mistake {
    Mistake("there is no setting '\(key)' here, only \(known.joined(separator: ", "))")
  }

  private static func word<Word: RawRepresentable & CaseIterable>(_ text: String) throws(Mistake) -> Word
  where Word.RawValue == String {
    guard let word = Word(rawValue: text) else {
      throw Mistake("expected one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")), not '\(text)'")
    }
    return word
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
  }
}

extension String {
  /// The path in the name of a table's section: `orders` of `table orders`.
  fileprivate var tablePath: String? {
    guard hasPrefix("table ") else { return nil }
    let path = String(dropFirst(6)).trimmed
    return path.isEmpty ? nil : path
  }
}
