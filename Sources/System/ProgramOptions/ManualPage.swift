extension ProgramOptions {
  /// The manual page in man(7) format.
  package var manualPage: String {
    var page = ManualPage()
    page.macro("TH", program.uppercased(), "\(manualSection)", "", "StoreHub \(storeHubVersion)", "")
    page.macro("SH", "NAME")
    page.text("\(program) - \(purpose.prefix(1).lowercased())\(purpose.dropFirst())".trimmingPoint)
    page.macro("SH", "SYNOPSIS")
    for (index, usage) in usages.enumerated() {
      if index > 0 { page.macro("br") }
      page.bold(usage)
    }
    page.macro("SH", "DESCRIPTION")
    page.text(purpose)
    page.commands(commands)
    page.macro("SH", "OPTIONS")
    page.options(options)
    // After the options, which they do not have.
    page.commands(subcommands)
    for section in sections {
      page.macro("SH", section.title)
      for block in section.blocks { page.block(block) }
    }
    return page.lines.joined(separator: "\n")
  }
}

private struct ManualPage {
  private(set) var lines: [String] = []

  mutating func macro(_ name: String, _ arguments: String...) {
    lines.append(([".\(name)"] + arguments.map { "\"\(Self.escaped($0).replacingQuotes)\"" }).joined(separator: " "))
  }

  mutating func text(_ text: String) {
    for line in ProgramOptions.wrap(text, width: 80) { lines.append(Self.line(line)) }
  }

  mutating func bold(_ text: String) { lines.append("\\fB\(Self.escaped(text))\\fR") }

  mutating func term(_ term: String, _ text: String) {
    lines.append(".TP")
    bold(term)
    self.text(text)
  }

  mutating func commands(_ commands: [ProgramOptions.Command]) {
    guard !commands.isEmpty else { return }
    macro("SH", "COMMANDS")
    for command in commands {
      macro("SS", command.head)
      text(ProgramOptions.sentence(command.purpose))
      for block in command.details { self.block(block) }
      options(command.options)
    }
  }

  mutating func options(_ options: [ProgramOptions.Option]) {
    for option in options {
      let first = option.help.prefix { $0.isLetter || $0 == "-" }
      // A word that is typed is not capitalised.
      var isLiteral = option.value.words.contains(String(first))
      switch option.requirement {
      case .argument, .arguments: isLiteral = true
      case .option, nil: break
      }
      let text = option.condition + option.help
      let help = isLiteral ? text + "." : ProgramOptions.sentence(text)
      let value = option.argument.map { option.isValueOptional ? "[=\($0)]" : " \($0)" } ?? ""
      term("\(option.short.map { "-\($0), " } ?? "")--\(option.name)\(value)", help)
    }
  }

  mutating func block(_ block: ProgramOptions.Block) {
    switch block {
    case .text(let text):
      lines.append(".PP")
      self.text(text)
    case .terms(let terms):
      for (word, text) in terms { term(word, text) }
    case .code(let code):
      lines += [".PP", ".in +4n", ".EX"] + code.map(Self.line) + [".EE", ".in"]
    }
  }

  /// A line of text, escaped so that it is not a request.
  private static func line(_ text: String) -> String {
    let escaped = escaped(text)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
  }
}

extension String {
  fileprivate var replacingQuotes: String {
    split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq")
  }
  fileprivate var trimmingPoint: String { hasSuffix(".") ? String(dropLast()) : self }
}
