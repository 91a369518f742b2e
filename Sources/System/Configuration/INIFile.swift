internal import INIText

/// A line of a file that begins a section or sets a value, with its location.
struct INILine {
  let file: String
  let line: Int
  /// The name in brackets of its section; empty before the first section.
  let section: String
  /// The key and its value; nil for the line that begins the section.
  let setting: (key: String, value: String)?
}

/// Reads the sections and settings of a file with their line numbers.
enum INIFile {
  /// The longest section name. libinih silently cuts longer ones, and the cut name of a user may be another user's
  /// name.
  static let sectionLimit = 48

  /// Reads the beginnings of sections and the settings, in the order of their lines.
  ///
  /// - Parameter problems: Receives the lines that cannot be parsed.
  static func lines(in text: String, file: String, problems: inout [ConfigurationProblem]) -> [INILine] {
    var errors: [INIError] = []
    let read = INIText(parsing: text, problems: &errors)
    problems += errors.map { ConfigurationProblem(file: file, line: $0.line, $0.reason) }
    var lines: [INILine] = []
    for section in read.sections {
      guard section.name.utf8.count <= sectionLimit else {
        let reason =
          "the name of this section is longer than \(sectionLimit) bytes; write the number of the user or group"
        problems += section.lines.map { ConfigurationProblem(file: file, line: $0, reason) }
        continue
      }
      lines += section.lines.map { INILine(file: file, line: $0, section: section.name, setting: nil) }
      lines += section.values.map {
        INILine(file: file, line: $0.line, section: section.name, setting: ($0.key, $0.text))
      }
    }
    return lines.sorted { $0.line < $1.line }
  }
}
