extension ProgramOptions {
  /// A shell for which a program can generate a completion script.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  /// A script that completes the program's options and commands, for the shell's directory of such scripts.
  func completionScript(for shell: Shell) -> String {
    switch shell {
    case .bash: bashScript
    case .zsh: zshScript
    case .fish: fishScript
    }
  }

  // MARK: bash(1), Programmable Completion

  private var bashScript: String {
    let function = "_\(program.replacing("-", with: "_"))"
    let functions = subcommands.map { command in
      """
      \(function)_\(command.name)() {
      \(bashBody(options(of: command), command.arguments.map(\.value)))
      }

      """
    }
    return """
      # Completion of \(program) for bash.
      \(functions.joined())\(function)() {
        local word=${COMP_WORDS[COMP_CWORD]} commands="\(commands.map(\.name).joined(separator: " "))"
      \(bashSubcommands(function))\(bashBody(everyOption, []))
      }
      complete -o filenames -F \(function) \(program)
      """
  }

  /// Offers the subcommands as the first word, and completes the words after one.
  private func bashSubcommands(_ function: String) -> String {
    guard !subcommands.isEmpty else { return "" }
    let cases = subcommands.map { "    *:\($0.name)) \(function)_\($0.name); return ;;\n" }
    return """
        case $COMP_CWORD:${COMP_WORDS[1]} in
          1:*) commands="\(subcommands.map(\.name).joined(separator: " "))" ;;
      \(cases.joined())  esac

      """
  }

  /// Completes the values of options, or else options, commands and arguments.
  private func bashBody(_ options: [Option], _ arguments: [Value]) -> String {
    let values = options.filter { $0.argument != nil }.map { "    \($0.bashPattern)) \($0.bashReply) return ;;\n" }
    let words = options.map { "--\($0.name)" } + arguments.flatMap(\.words)
    return """
        case ${COMP_WORDS[COMP_CWORD-1]} in
      \(values.joined())  esac
        mapfile -t COMPREPLY < <(compgen \(arguments.contains(.file) ? "-f " : "")-W "\(words.joined(separator: " ")) \
      $commands" -- "$word")
      """
  }

  // MARK: zsh, zshcompsys(1)

  private var zshScript: String {
    var arguments = everyOption.map(\.zshArgument)
    if !commands.isEmpty { arguments.append(Self.zshArgument(of: commands)) }
    if !subcommands.isEmpty { arguments.append("$first") }
    return "#compdef \(program)\n\(zshSubcommands)\(Self.zshArguments(arguments))"
  }

  /// Completes the words after a subcommand, and prepares to offer the subcommands as the first word.
  private var zshSubcommands: String {
    guard !subcommands.isEmpty else { return "" }
    let cases = subcommands.map { command in
      let values = command.arguments.enumerated().map { "'\($0 + 1):\($1.name):\($1.value.zshAction)'" }
      return """
            \(command.name))
              shift words
              ((CURRENT--))
              \(Self.zshArguments(options(of: command).map(\.zshArgument) + values, indentation: 6))
              return ;;

        """
    }
    return """
      local -a first
      if ((CURRENT == 2)); then
        first=(\(Self.zshArgument(of: subcommands)))
      else
        case $words[2] in
      \(cases.joined())  esac
      fi

      """
  }

  private static func zshArguments(_ arguments: [String], indentation: Int = 0) -> String {
    let separator = " \\\n" + String(repeating: " ", count: indentation + 2)
    return "_arguments" + separator + arguments.joined(separator: separator)
  }

  private static func zshArgument(of commands: [Command]) -> String {
    "'1:command:((\(commands.map { "\($0.name)\\:\"\($0.purpose.zshQuoted)\"" }.joined(separator: " "))))'"
  }

  /// All options of the program and its commands, without repeated names.
  var everyOption: [Option] {
    var names: Set<String> = []
    return (options + commands.flatMap(\.options)).filter { names.insert($0.name).inserted }
  }
}

extension ProgramOptions.Value {
  /// Returns true if the word is one of the allowed ones.
  func allows(_ word: String) -> Bool {
    if case .words(let words) = self { words.contains(word) } else { true }
  }

  /// The allowed words; empty if they are not limited to a few.
  var words: [String] { if case .words(let words) = self { words } else { [] } }

  fileprivate var zshAction: String {
    switch self {
    case .file: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .fileOrWord(let words): "{compadd \"$expl[@]\" - \(words.joined(separator: " ")); _files}"
    case .text, .path, .action, .type, .predicate, .user: ""
    }
  }
}

extension ProgramOptions.Option {
  fileprivate var bashPattern: String { short.map { "--\(name)|-\($0)" } ?? "--\(name)" }

  fileprivate var bashReply: String {
    switch value {
    case .file: "mapfile -t COMPREPLY < <(compgen -f -- \"$word\");"
    case .words(let words): "mapfile -t COMPREPLY < <(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\");"
    case .fileOrWord(let words):
      "mapfile -t COMPREPLY < <(compgen -f -W \"\(words.joined(separator: " "))\" -- \"$word\");"
    case .text, .path, .action, .type, .predicate, .user: ""
    }
  }

  fileprivate var zshArgument: String {
    let names = short.map { "'(-\($0) --\(name))'{-\($0),--\(name)}'" } ?? "'--\(name)"
    let purpose = "[\(help.zshQuoted)]"
    guard let argument else { return "\(names)\(purpose)'" }
    return "\(names)\(purpose)\(isValueOptional ? "::" : ":")\(argument):\(value.zshAction)'"
  }
}

extension String {
  /// The text in single quotes, for a shell that interprets brackets and colons in it.
  fileprivate var zshQuoted: String {
    var quoted = ""
    for character in self {
      switch character {
      case "'": quoted += "'\\''"
      case "[", "]", ":", "\\", "\"", "`": quoted += "\\\(character)"
      default: quoted.append(character)
      }
    }
    return quoted
  }
}
