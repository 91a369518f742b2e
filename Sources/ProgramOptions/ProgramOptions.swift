internal import CGlibc
internal import Glibc
internal import Synchronization

/// A program's command line: the table of its options, which parsing and `--help` use.
///
/// ```swift
/// let options = ProgramOptions(
///   program: "storehubd", purpose: "Serves a store that many processes share.",
///   options: [.init("socket", argument: "PATH", "where to listen")])
/// let path = options.read { $0.string("socket") ?? "/run/hub.sock" }
/// ```
///
/// Parsing is getopt_long(3)'s: `--name value`, `--name=value`, unambiguous abbreviations, `-n value`. Every program
/// has `--help` and `--version`.
public struct ProgramOptions: Sendable {
  /// One option.
  public struct Option: Sendable {
    let name: String
    let short: Character?
    let argument: String?
    let help: String

    /// Creates an option.
    ///
    /// - Parameters:
    ///   - name: Its long name, without dashes.
    ///   - short: Its one-letter name.
    ///   - argument: The placeholder of its value in the help, or nil for a flag.
    ///   - help: The purpose and the default.
    public init(_ name: String, short: Character? = nil, argument: String? = nil, _ help: String) {
      self.name = name
      self.short = short
      self.argument = argument
      self.help = help
    }
  }

  let program: String
  let purpose: String
  let options: [Option]

  /// Creates the table of a program's options; `--help` and `--version` are added.
  public init(program: String, purpose: String, options: [Option]) {
    self.program = program
    self.purpose = purpose
    self.options =
      options + [
        Option("help", short: "h", "print this help and exit"),
        Option("version", "print the version and exit"),
      ]
  }

  /// Reads the process's command line into the program's configuration; the first call of every program.
  ///
  /// Opens standard descriptors that are closed. Prints the help or the version and exits with 0 when asked to; prints an error message on standard error
  /// and exits with 2 when the command line is wrong.
  public func read<Configuration>(
    _ configure: (ParsedOptions) throws(UsageError) -> Configuration
  ) -> Configuration {
    openStandardDescriptors()
    do throws(UsageError) {
      let parsed = try parse(Array(CommandLine.arguments.dropFirst()))
      if parsed.flag("help") { exit(printing: helpText) }
      if parsed.flag("version") { exit(printing: "\(program) \(storeHubVersion)") }
      return try configure(parsed)
    } catch {
      printError("\(program): \(error). Try `\(program) --help`.")
      Glibc.exit(2)
    }
  }

  private func exit(printing text: String) -> Never {
    print(text)
    Glibc.exit(0)
  }

  /// getopt keeps its place in globals, so one command line is parsed at a time.
  private static let getopt = Mutex(())

  /// Parses arguments without the program's name.
  public func parse(_ arguments: [String]) throws(UsageError) -> ParsedOptions {
    let result = Self.getopt.withLock { _ in scan(arguments) }
    return ParsedOptions(values: try result.get())
  }

  private func scan(_ arguments: [String]) -> Result<[String: String], UsageError> {
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    // getopt permutes the array but not the strings.
    let names = options.map { strdup($0.name) }
    defer { for string in argv + names { free(string) } }
    let table =
      zip(options, names).map { option, name in
        CGlibc.option(name: name, has_arg: option.argument == nil ? 0 : 1, flag: nil, val: 0)
      } + [CGlibc.option()]
    let shorts =
      ":"
      + options.map { "\($0.short.map(String.init) ?? "")\($0.short != nil && $0.argument != nil ? ":" : "")" }.joined()

    var values: [String: String] = [:]
    cglibc_getopt_restart()
    while true {
      var index: CInt = -1
      let seen = cglibc_optind()
      let found = getopt_long(CInt(arguments.count + 1), &argv, shorts, table, &index)
      switch found {
      case -1:
        if let extra = argv[Int(cglibc_optind())..<arguments.count + 1].first, let extra {
          return .failure(UsageError("unexpected argument “\(String(cString: extra))”"))
        }
        return .success(values)
      case CInt(UInt8(ascii: "?")), CInt(UInt8(ascii: ":")):
        // optind is behind the wrong argument, or on it when it is one of several letters.
        let place = max(Int(cglibc_optind()) - 1, max(Int(seen), 1))
        let culprit = argv.indices.contains(place) ? argv[place].map { String(cString: $0) } ?? "" : ""
        let isMissing = found == CInt(UInt8(ascii: ":"))
        return .failure(
          UsageError(
            isMissing ? "\(culprit) needs a value" : "unknown option \(culprit), or an option that takes no value"))
      case 0:
        values[options[Int(index)].name] = cglibc_optarg().map { String(cString: $0) } ?? ""
      default:
        guard let option = options.first(where: { $0.short?.asciiValue.map(CInt.init) == found }) else { continue }
        values[option.name] = cglibc_optarg().map { String(cString: $0) } ?? ""
      }
    }
  }
}

/// Prints a line on standard error.
package func printError(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
