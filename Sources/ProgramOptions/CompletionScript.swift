extension ProgramOptions {
  /// A shell for which a program can generate a completion script.
  enum Shell: String, CaseIterable {
    case bash, zsh
  }

  /// A script that completes the program's options and commands, for the shell's directory of such scripts.
  func completionScript(for shell: Shell) -> String {
    switch shell {
    case .bash: bashScript
    case .zsh: zshScript
    }
  }

  // MARK: bash(1), Programmable Completion

  private var bashScript: String {
    let function = "_\(program.replacing("-", with: "_"))"
    let words = everyOption.map { "--\($0.name)" } + commands.map(\.name)
    let values = everyOption.filter { $0.argument != nil }.map { "    \($0.bashPattern)) \($0.bashReply) return ;;" }
    return """
      # Completion of \(program) for bash.
      \(function)() {
        local word=${COMP_WORDS[COMP_CWORD]}
        case ${COMP_WORDS[COMP_CWORD-1]} in
      \(values.joined(separator: "\n"))
        esac
        mapfile -t COMPREPLY < <(compgen -W "\(words.joined(separator: " "))" -- "$word")
      }
      complete -o filenames -F \(function) \(program)
      """
  }

  // MARK: zsh, zshcompsys(1)

  private var zshScript: String {
    var arguments = everyOption.map(\.zshArgument)
    if !commands.isEmpty {
      arguments.append(
        "'1:command:((\(commands.map { "\($0.name)\\:\"\($0.purpose.zshQuoted)\"" }.joined(separator: " "))))'")
    }
    return "#compdef \(program)\n_arguments \\\n  \(arguments.joined(separator: " \\\n  "))"
  }

  /// All options of the program and its commands, without repeated names.
  private var everyOption: [Option] {
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
}

extension ProgramOptions.Option {
  fileprivate var bashPattern: String { short.map { "--\(name)|-\($0)" } ?? "--\(name)" }

  fileprivate var bashReply: String {
    switch value {
    case .file: "mapfile -t COMPREPLY < <(compgen -f -- \"$word\");"
    case .words(let words): "mapfile -t COMPREPLY < <(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\");"
    case .text, .path, .action, .type: ""
    }
  }

  fileprivate var zshArgument: String {
    let names = short.map { "'(-\($0) --\(name))'{-\($0),--\(name)}'" } ?? "'--\(name)"
    let purpose = "[\(help.zshQuoted)]"
    guard let argument else { return "\(names)\(purpose)'" }
    let values =
      switch value {
      case .file: "_files"
      case .words(let words): "(\(words.joined(separator: " ")))"
      case .text, .path, .action, .type: ""
      }
    return "\(names)\(purpose)\(isValueOptional ? "::" : ":")\(argument):\(values)'"
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
