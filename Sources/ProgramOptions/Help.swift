extension ProgramOptions {
  /// What `--help` prints: purpose, usage and options, in lines of at most 80 columns.
  public var helpText: String {
    let heads = options.map { option in
      let short = option.short.map { "-\($0), " } ?? "    "
      return "  \(short)--\(option.name)\(option.argument.map { " \($0)" } ?? "")"
    }
    let column = (heads.map(\.count).max() ?? 0) + 2
    let lines = zip(options, heads).flatMap { option, head in
      Self.wrap(option.help, width: 80 - column).enumerated().map { index, text in
        let left = index == 0 ? head : ""
        return left + String(repeating: " ", count: column - left.count) + text
      }
    }
    return ([purpose, "", "usage: \(program) [options]", ""] + lines).joined(separator: "\n")
  }

  /// Breaks text at spaces into lines of at most `width` columns; a longer word keeps a line of its own.
  static func wrap(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
