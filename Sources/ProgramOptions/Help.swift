extension ProgramOptions {
  /// The output of `--help`: purpose, usage, commands and options, in lines of at most 80 columns.
  package var helpText: String { helpText(of: nil) }

  /// The output of `--help` for a command.
  func helpText(of command: Command?) -> String {
    guard let command else {
      let usage = commands.isEmpty ? "usage: \(program) [options]" : "usage: \(program) [options] COMMAND ..."
      var lines = Self.wrap(purpose, width: 80) + ["", usage, ""]
      if !commands.isEmpty {
        let heads = commands.map { command in
          "  " + ([command.name] + command.arguments.map(\.usage)).joined(separator: " ")
        }
        lines += ["commands:"] + Self.table(heads, commands.map(\.purpose)) + ["", "options of every command:"]
      }
      lines += Self.table(options.map(\.head), options.map(\.fullHelp))
      if !commands.isEmpty {
        // Commands with commands of their own have no page.
        let manual = program.contains(" ") ? "" : ", and `man \(program)` all of them"
        lines += ["", "`\(program) COMMAND --help` explains a command\(manual)."]
      }
      return lines.joined(separator: "\n")
    }
    let usage = ([program, command.name, "[options]"] + command.arguments.map(\.usage)).joined(separator: " ")
    var lines = Self.wrap(Self.sentence(command.purpose), width: 80) + ["", "usage: \(usage)", ""]
    for block in command.details {
      switch block {
      case .text(let text): lines += Self.wrap(text, width: 80)
      case .terms(let terms): lines += Self.table(terms.map { "  \($0.0)" }, terms.map(\.1))
      case .code(let code): lines += code.map { "  \($0)" }
      }
      lines.append("")
    }
    let all = command.options + options
    return (lines + Self.table(all.map(\.head), all.map(\.fullHelp))).joined(separator: "\n")
  }

  static func sentence(_ phrase: String) -> String { phrase.prefix(1).uppercased() + phrase.dropFirst() + "." }

  /// Two columns, the right one wrapped.
  private static func table(_ heads: [String], _ texts: [String]) -> [String] {
    let column = min((heads.map(\.count).max() ?? 0) + 2, 34)
    return zip(heads, texts).flatMap { head, text -> [String] in
      let isLong = head.count + 2 > column
      let lines = wrap(text, width: 80 - column).enumerated().map { index, line in
        let left = index == 0 && !isLong ? head : ""
        return left + String(repeating: " ", count: column - left.count) + line
      }
      return (isLong ? [head] : []) + lines
    }
  }

  /// Breaks text at spaces into lines of at most `width` columns; a longer word gets a line of its own.
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

extension ProgramOptions.Option {
  fileprivate var head: String {
    let short = short.map { "-\($0), " } ?? "    "
    return "  \(short)--\(name)\(isValueOptional ? "" : argument.map { " \($0)" } ?? "")"
  }

  fileprivate var fullHelp: String { condition + help + (fallback.map { "; default \($0)" } ?? "") }

  /// The beginning of the help of an option with a requirement.
  var condition: String {
    switch requirement {
    case .argument(let word): "\(word): "
    case .option(let name): "with --\(name): "
    case nil: ""
    }
  }
}
