// fish, complete(1)

extension ProgramOptions {
  /// The script for fish: a line for each option and each command.
  var fishScript: String {
    let complete = "complete -c \(program)"
    let outside = "\(complete)\(subcommands.isEmpty ? "" : " -n 'not \(fishFunction)'")"
    var lines = ["# Completion of \(program) for fish."]
    if !subcommands.isEmpty { lines.append(fishCommandTest) }
    lines.append("\(complete) -f")
    lines += everyOption.map { "\(outside) \($0.fishArguments)" }
    let names = commands.map(\.name).joined(separator: " ")
    lines += commands.map {
      "\(complete) -n 'not __fish_seen_subcommand_from \(names)' -a \($0.name) -d \($0.purpose.fishQuoted)"
    }
    for command in subcommands {
      let inside = "\(complete) -n '\(fishFunction) \(command.name)'"
      lines.append(
        "\(complete) -n 'test (count (commandline -opc)) = 1' -a \(command.name) -d \(command.purpose.fishQuoted)")
      lines += options(of: command).map { "\(inside) \($0.fishArguments)" }
      lines += command.arguments.compactMap { argument in
        let values = argument.value.fishValues
        return values.isEmpty ? nil : "\(inside)\(values)"
      }
    }
    return lines.joined(separator: "\n")
  }

  private var fishFunction: String { "__\(program.replacing("-", with: "_"))_command" }

  /// The function that tests if the first word is a subcommand, or a certain one.
  private var fishCommandTest: String {
    """
    function \(fishFunction)
      set -l words (commandline -opc)
      set -l commands \(subcommands.map(\.name).joined(separator: " "))
      set -q argv[1]; and set commands $argv
      contains -- "$words[2]" $commands
    end
    """
  }
}

extension ProgramOptions.Option {
  /// The arguments of `complete` for the option.
  fileprivate var fishArguments: String {
    let names = "-l \(name)\(short.map { " -s \($0)" } ?? "")"
    // A value that is required is a file unless `-x` says otherwise.
    let kind = argument == nil || isValueOptional ? "" : value.isFile ? " -r" : " -x"
    return "\(names)\(kind)\(value.fishValues) -d \(help.fishQuoted)"
  }
}

extension ProgramOptions.Value {
  fileprivate var isFile: Bool {
    switch self {
    case .file, .fileOrWord: true
    case .words, .text, .path, .action, .type, .predicate, .user: false
    }
  }

  /// The arguments of `complete` for the values, with a space before them; empty if nothing is offered.
  fileprivate var fishValues: String {
    switch self {
    case .file: " -F"
    case .words(let words): " -a '\(words.joined(separator: " "))'"
    case .fileOrWord(let words): " -F -a '\(words.joined(separator: " "))'"
    case .text, .path, .action, .type, .predicate, .user: ""
    }
  }
}

extension String {
  /// The text in single quotes, in which fish interprets backslashes and quotes only.
  fileprivate var fishQuoted: String {
    "'\(replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
