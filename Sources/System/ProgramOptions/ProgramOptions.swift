internal import Glibc
internal import JSONText
internal import Spelling

/// A program's command line: the tables of its options and commands, from which parsing, `--help`, the manual page and
/// the completion of words are derived.
///
/// ```swift
/// let options = ProgramOptions(
///   program: "storehubd", purpose: "Serves a store that many processes share.",
///   options: [.init("socket", argument: "PATH", "where to listen")])
/// let path = options.read { $0.string("socket") ?? "/run/hub.sock" }
/// ```
///
/// Parsing follows getopt_long(3): `--name value`, `--name=value`, unambiguous abbreviations, `-n value`. Options and
/// arguments may be in any order, and `--` ends the options. A word such as `-5` is an argument. Every program has
/// `--help` and `--version`; `--help=man` prints the manual page, `--help=bash`, `--help=zsh` and `--help=fish` a
/// script of completions.
///
/// A program has a single function, or `commands`, of which one must be given. One with a single function may have
/// `subcommands` beside it, such as `storeload compare`: the first word selects them.
package struct ProgramOptions: Sendable {
  let program: String
  let purpose: String
  let version: String
  let manualSection: Int
  let options: [Option]
  let commands: [Command]
  let subcommands: [Command]
  let elsewhere: [String: String]
  let sections: [Section]

  /// Creates the table of a program's options; `--help` and `--version` are added.
  ///
  /// - Parameters:
  ///   - program: The program's name.
  ///   - purpose: Its purpose, as a sentence.
  ///   - version: Its version.
  ///   - manualSection: 1 for a user program, 8 for a daemon.
  ///   - options: The options; those of every command if there are commands.
  ///   - commands: The commands, of which one must be given; empty if the program has a single function.
  ///   - subcommands: Further functions, which do not have the options of the program, but only their own.
  ///   - elsewhere: Commands that are looked for here, each with the program that has it.
  ///   - sections: Further sections of the manual page.
  package init(
    program: String, purpose: String, version: String? = nil, manualSection: Int = 1, options: [Option],
    commands: [Command] = [], subcommands: [Command] = [], elsewhere: [String: String] = [:], sections: [Section] = []
  ) {
    (self.program, self.purpose, self.manualSection) = (program, purpose, manualSection)
    self.version = version ?? storeHubVersion
    // A program whose words come from the hub has a separate command for them.
    let isStatic = !commands.contains { $0.name == "completions" }
    let shells = isStatic ? Shell.allCases.map(\.rawValue) : []
    let completion = isStatic ? ", --help=bash, --help=zsh and --help=fish completions for a shell" : ""
    self.options =
      options + [
        Option(
          "help", "h", "FORMAT", "print this help and exit; --help=man prints the manual page\(completion)", nil,
          .words(["man"] + shells), isValueOptional: true),
        Self.versionOption,
      ]
    (self.commands, self.subcommands, self.elsewhere) = (commands, subcommands, elsewhere)
    self.sections = sections
  }

  private static let versionOption = Option("version", "print the version and exit")

  /// Returns all options of a command or a subcommand.
  ///
  /// The manual page and the completions of a subcommand are those of its program, so its `--help` has no formats.
  func options(of command: Command) -> [Option] {
    guard subcommands.contains(where: { $0.name == command.name }) else { return command.options + options }
    return command.options + [Option("help", short: "h", "print this help and exit"), Self.versionOption]
  }

  /// Reads the process's command line into the program's configuration. Every program calls this first.
  ///
  /// Opens closed standard descriptors, and arranges that the process ends with 1 if its output cannot be written.
  /// Prints the help or the version and exits with 0 if requested. If the command line is wrong, prints an error message
  /// on standard error and exits with 2.
  ///
  /// - Parameter configure: Creates the configuration from the options.
  package func read<Configuration>(
    _ configure: (ParsedOptions) throws(UsageError) -> Configuration
  ) -> Configuration {
    openStandardDescriptors()
    checkOutputAtExit()
    var place = program
    do throws(UsageError) {
      try Self.checkEncoding()
      let parsed = try parse(ProcessArguments.options)
      if let command = parsed.command { place += " \(command)" }
      if let format = parsed.string("help") {
        exit(printing: try help(in: format, of: parsed.command))
      }
      if parsed.flag("version") { exit(printing: "\(program) \(version)") }
      if let command = self.command(named: parsed.command) {
        try check(parsed.arguments, of: command)
      } else if !commands.isEmpty {
        throw UsageError("a command is missing: \(commands.map(\.name).joined(separator: ", "))")
      }
      return try configure(parsed)
    } catch {
      printError("\(program): \(error)\(error.description.hasSuffix("?") ? "" : ".") Try `\(place) --help`.")
      Glibc.exit(2)
    }
  }

  /// Returns the command or subcommand with a name.
  private func command(named name: String?) -> Command? { (commands + subcommands).first { $0.name == name } }

  /// Refuses arguments that are not UTF-8.
  private static func checkEncoding() throws(UsageError) {
    guard let argument = ProcessArguments.misencoded else { return }
    throw UsageError("the argument '\(argument)' is not valid UTF-8")
  }

  private func help(in format: String, of command: String?) throws(UsageError) -> String {
    switch format {
    case "": return helpText(of: self.command(named: command))
    case "man": return manualPage
    default:
      guard options.contains(where: { $0.name == "help" && $0.value.allows(format) }),
        let shell = Shell(rawValue: format)
      else { throw UsageError("--help has no format '\(format)'") }
      return completionScript(for: shell)
    }
  }

  private func exit(printing text: String) -> Never {
    print(text)
    Glibc.exit(0)
  }

  private func check(_ arguments: [String], of command: Command) throws(UsageError) {
    for (index, argument) in command.arguments.enumerated() where argument.count == .once {
      guard index < arguments.count else { throw UsageError("\(command.name) needs \(argument.name)") }
    }
    if case .anyNumber? = command.arguments.last?.count { return }
    guard arguments.count <= command.arguments.count else {
      throw UsageError("unexpected argument '\(arguments[command.arguments.count])'")
    }
  }

  /// Parses arguments without the program's name.
  package func parse(_ arguments: [String]) throws(UsageError) -> ParsedOptions {
    if let subcommand = subcommands.first(where: { $0.name == arguments.first }) {
      return try parse(Array(arguments.dropFirst()), of: subcommand)
    }
    if let first = arguments.first, let other = elsewhere[first] {
      let words = ([other] + arguments).map(Self.shellWord).joined(separator: " ")
      throw UsageError("\(first) is a command of \(other): type `\(words)`")
    }
    guard !commands.isEmpty else {
      let found = try scan(arguments, options)
      if let extra = found.rest.first { throw unexpected(extra) }
      try checkRequirements(of: options, found)
      return ParsedOptions(values: found.values)
    }
    let first = try scan(arguments, options, untilFirstArgument: true)
    guard let name = first.rest.first else { return ParsedOptions(values: first.values) }
    if name == "help" { return try help(Array(first.rest.dropFirst()), first.values) }
    guard let command = commands.first(where: { $0.name == name }) else { throw unknownCommand(name) }
    return try parse(Array(first.rest.dropFirst()), of: command, after: first.values)
  }

  /// Parses the words after a command or a subcommand.
  private func parse(
    _ words: [String], of command: Command, after values: [String: String] = [:]
  ) throws(UsageError) -> ParsedOptions {
    let found = try scan(words, options(of: command))
    try checkRequirements(of: command.options, found, command)
    return ParsedOptions(
      values: values.merging(found.values) { $1 }, command: command.name, arguments: found.rest)
  }

  /// Refuses options that would be ignored.
  private func checkRequirements(
    of options: [Option], _ found: Found, _ command: Command? = nil
  ) throws(UsageError) {
    guard found.values["help"] == nil else { return }
    for option in options where found.values[option.name] != nil {
      switch option.requirement {
      case .argument(let word):
        guard let command, let first = found.rest.first, first != word else { continue }
        throw UsageError("--\(option.name) is for `\(command.name) \(word)`, not for `\(command.name) \(first)`")
      case .arguments(let words):
        guard let command, let first = found.rest.first, !words.contains(first) else { continue }
        let uses = words.map { "`\(command.name) \($0)`" }.joined(separator: " and ")
        throw UsageError("--\(option.name) is for \(uses), not for `\(command.name) \(first)`")
      case .option(let name):
        guard found.values[name] == nil else { continue }
        throw UsageError("--\(option.name) has no effect without --\(name)")
      case nil: continue
      }
    }
  }

  private func help(_ words: [String], _ values: [String: String]) throws(UsageError) -> ParsedOptions {
    if let name = words.first, !commands.contains(where: { $0.name == name }) { throw unknownCommand(name) }
    return ParsedOptions(values: values.merging(["help": ""]) { $1 }, command: words.first)
  }

  private func unexpected(_ word: String) -> UsageError {
    guard !subcommands.contains(where: { $0.name == word }) else {
      return UsageError("'\(word)' must be the first word, before all options")
    }
    if let other = elsewhere[word] { return UsageError("\(word) is a command of \(other): type `\(other) \(word)`") }
    let near = Spelling.nearest(to: word, among: subcommands.map(\.name))
    return UsageError("unexpected argument '\(word)'\(Spelling.question(near))")
  }

  /// Returns a word as a shell reads it.
  package static func shellWord(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { isalnum(CInt($0)) != 0 || "-_./=:,@%+".utf8.contains($0) }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
  }

  private func unknownCommand(_ name: String) -> UsageError {
    let near = Spelling.nearest(to: name, among: commands.map(\.name))
    return UsageError("there is no command '\(name)'\(Spelling.question(near))")
  }
}

/// Prints a line on standard error. Characters that would control a terminal are shown by their numbers: messages quote
/// arguments, names of files and texts of other users.
package func printError(_ line: String) {
  let bytes = Array("\(line.printable)\n".utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
