internal import INIText

/// A `key = value` of a file, with its location.
struct INISetting {
  let file: String
  let line: Int
  /// The name in brackets of its section; empty before the first section.
  let section: String
  let key: String
  let value: String
}

/// Reads the settings of a file with their line numbers.
enum INIFile {
  /// The longest section name. libinih silently cuts longer ones, and the cut name of a user may be another user's
  /// name.
  static let sectionLimit = 48

  /// Reads settings, in the order of their lines.
  /// - Throws: The lines that cannot be parsed.
  static func settings(in text: String, file: String) throws(ConfigurationError) -> [INISetting] {
    let tooLong = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter {
      let name = $1.drop { $0 == " " || $0 == "\t" }
      return name.first == "[" && name.prefix { $0 != "]" }.utf8.count - 1 > sectionLimit
    }
    guard tooLong.isEmpty else {
      let reason =
        "the name of this section is longer than \(sectionLimit) bytes; write the number of the user or group"
      throw ConfigurationError(
        problems: tooLong.map { ConfigurationProblem(file: file, line: $0.offset + 1, reason) })
    }
    let read: INIText
    do throws(INIError) { read = try INIText(parsing: text) } catch {
      throw ConfigurationError(problems: [ConfigurationProblem(file: file, line: error.line, error.reason)])
    }
    return read.sections.flatMap { section in
      section.values.map {
        INISetting(file: file, line: $0.line, section: section.name, key: $0.key, value: $0.text)
      }
    }.sorted { $0.line < $1.line }
  }
}
