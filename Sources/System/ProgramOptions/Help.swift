extension ProgramOptions {
  /// The output of `--help`: purpose, usage, commands and options, in lines of at most 80 columns.
  package var helpText: String { helpText(of: nil) }

  /// The output of `--help` for a command.
  func helpText(of command: Command?) -> String {
    guard let command else {
      var lines = Self.wrap(purpose, width: 80) + [""] + zip(["usage: ", "       "], usages).map { $0 + $1 } + [""]
      let all = commands + subcommands
      if !all.isEmpty {
        let isOptional = commands.isEmpty
        lines.append(isOptional ? "commands, which have options of their own:" : "commands:")
        lines += Self.table(all.map { "  \($0.head)" }, all.map(\.purpose))
        lines += ["", isOptional ? "options without a command:" : "options of every command:"]
      }
      lines += Self.table(options.map(\.head), options.map(\.fullHelp))
      if !all.isEmpty {
        lines += ["", "`\(program) COMMAND --help` explains a command, and `man \(program)` all of them."]
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
    let all = options(of: command)
    return (lines + Self.table(all.map(\.head), all.map(\.fullHelp))).joined(separator: "\n")
  }

  /// The forms of a command line.
  var usages: [String] {
    ["\(program) [options]\(commands.isEmpty ? "" : " COMMAND ...")"]
      + (subcommands.isEmpty ? [] : ["\(program) COMMAND [options] ..."])
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

extension ProgramOptions.Command {
  /// Its name and its arguments.
  var head: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }
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
    case .arguments(let words): "\(words.joined(separator: ", ")): "
    case .option(let name): "with --\(name): "
    case nil: ""
    }
  }
}
