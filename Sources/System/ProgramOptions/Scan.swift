internal import CGlibc
internal import Glibc
internal import Spelling
internal import Synchronization

extension ProgramOptions {
  /// The options by name, and the other words in order.
  struct Found {
    var values: [String: String] = [:]
    var rest: [String] = []
  }

  /// getopt keeps its position in global variables, so one command line is parsed at a time.
  private static let getopt = Mutex(())

  /// A prefix for words such as `-5`, which are not options: no option is a digit.
  private static let numberMark = "\u{1}"

  /// Separates options from other words.
  func scan(
    _ words: [String], _ options: [Option], untilFirstArgument stops: Bool = false
  ) throws(UsageError) -> Found {
    let marked = words.map { word in
      let isNumber = word.hasPrefix("-") && word.dropFirst().first.map { "0123456789.".contains($0) } == true
      return isNumber ? Self.numberMark + word : word
    }
    let result = Self.getopt.withLock { _ in scanned(marked, options, stops) }
    var found = try result.get()
    let unmarked = { (word: String) in word.hasPrefix(Self.numberMark) ? String(word.dropFirst()) : word }
    found.values = found.values.mapValues(unmarked)
    found.rest = found.rest.map(unmarked)
    return found
  }

  private func scanned(_ words: [String], _ options: [Option], _ stops: Bool) -> Result<Found, UsageError> {
    var argv = ([program] + words).map { strdup($0) } + [nil]
    // getopt permutes the array but not the strings.
    let names = options.map { strdup($0.name) }
    defer { for string in argv + names { free(string) } }
    let table =
      zip(options, names).map { option, name in
        let form: CInt = option.argument == nil ? 0 : option.isValueOptional ? 2 : 1
        return CGlibc.option(name: name, has_arg: form, flag: nil, val: 0)
      } + [CGlibc.option()]
    let letters = options.compactMap { option in
      option.short.map { "\($0)\(option.argument != nil && !option.isValueOptional ? ":" : "")" }
    }
    let shorts = (stops ? "+:" : ":") + letters.joined()

    var found = Found()
    cglibc_getopt_restart()
    while true {
      var index: CInt = -1
      let code = getopt_long(CInt(words.count + 1), &argv, shorts, table, &index)
      switch code {
      case -1:
        found.rest = argv[Int(cglibc_optind())..<words.count + 1].compactMap { $0.map { String(cString: $0) } }
        return .success(found)
      case CInt(UInt8(ascii: "?")), CInt(UInt8(ascii: ":")):
        let culprit = Self.culprit(argv[1..<words.count + 1].map { $0.map { String(cString: $0) } ?? "" })
        if code == CInt(UInt8(ascii: ":")) { return .failure(UsageError("\(culprit) needs a value")) }
        return .failure(unknownOption(culprit, options, isBeforeCommand: stops))
      case 0:
        found.values[options[Int(index)].name] = cglibc_optarg().map { String(cString: $0) } ?? ""
      default:
        guard let option = options.first(where: { $0.short?.asciiValue.map(CInt.init) == code }) else { continue }
        found.values[option.name] = cglibc_optarg().map { String(cString: $0) } ?? ""
      }
    }
  }

  /// The word that getopt has just found wrong, of those of the command line.
  ///
  /// getopt is past the word, or still at it if the wrong letter is not its last one. The words before it may be
  /// arguments, which getopt moves behind the options later.
  private static func culprit(_ words: [String]) -> String {
    let next = Int(cglibc_optind()) - 1
    let (past, at) = (words.prefix(next).last ?? "", words.dropFirst(next).first ?? "")
    // 0 for an option with a name. A byte of a letter beyond ASCII is negative.
    let letter = UInt8(truncatingIfNeeded: cglibc_optopt())
    guard letter != 0 else { return past }
    let ends = past.utf8.first == UInt8(ascii: "-") && !past.hasPrefix("--") && past.utf8.last == letter
    return ends ? past : at
  }

  private func unknownOption(_ culprit: String, _ options: [Option], isBeforeCommand: Bool) -> UsageError {
    let name = culprit.drop { $0 == "-" }.prefix { $0 != "=" }
    if isBeforeCommand, culprit.hasPrefix("--"), commands.contains(where: { $0.options.contains { $0.name == name } }) {
      return UsageError("--\(name) is an option of a command; write it after the command")
    }
    if culprit.contains("="), options.contains(where: { $0.name == name }) {
      return UsageError("--\(name) takes no value")
    }
    let near = culprit.hasPrefix("--") ? Spelling.nearest(to: String(name), among: options.map(\.name)) : []
    // Only commands have arguments, such as a text that begins with a dash.
    let hint = commands.contains { !$0.arguments.isEmpty } ? "; if it is an argument, write -- before it" : ""
    return UsageError(
      "unknown option \(culprit)" + (near.isEmpty ? hint : Spelling.question(near.map { "--\($0)" })))
  }
}
