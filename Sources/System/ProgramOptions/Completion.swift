extension ProgramOptions {
  /// The completions that a shell may offer for the last word of a command line.
  package enum Completion: Equatable, Sendable {
    /// These words; a trailing space marks a complete word.
    case words([String])
    /// The names of files.
    case files
    /// Values from the hub: their kind, the text so far, and the options of the command line.
    case fromHub(Value, String, ParsedOptions)
  }

  /// The completions of the last of `words`, which follow the program's name.
  package func completion(of words: [String]) -> Completion {
    guard let last = words.last else { return .words([]) }
    let before = Array(words.dropLast())
    let words = before.filter { $0 != "--" }
    // The last option may still lack its value.
    let known = (try? parse(words)) ?? (try? parse(words.dropLast()))
    let command = commands.first { $0.name == known?.command } ?? command(in: words)
    let all = command.map(options(of:)) ?? options
    if let option = all.first(where: { $0.isAwaitingValue(after: before.last) }) {
      return offer(option.value, last, known ?? ParsedOptions())
    }
    if last.hasPrefix("-"), !before.contains("--") {
      return .words(
        all.map { "--\($0.name) " }.filter { $0.hasPrefix(last) }.sorted())
    }
    guard let command, let known else {
      let names = commands.map(\.name) + (commands.isEmpty ? [] : ["help"])
      return .words(names.sorted().filter { $0.hasPrefix(last) }.map { $0 + " " })
    }
    let index = known.arguments.count
    if index < command.arguments.count { return offer(command.arguments[index].value, last, known) }
    guard let argument = command.arguments.last, argument.count == .anyNumber else { return .words([]) }
    return offer(argument.value, last, known)
  }

  /// The first of some words that is a command and not the value of an option.
  private func command(in words: [String]) -> Command? {
    for (index, word) in words.enumerated() {
      let isValue = index > 0 && options.contains { $0.isAwaitingValue(after: words[index - 1]) }
      if !isValue, let command = commands.first(where: { $0.name == word }) { return command }
    }
    return nil
  }

  private func offer(_ value: Value, _ beginning: String, _ options: ParsedOptions) -> Completion {
    switch value {
    case .text: .words([])
    case .file: .files
    case .words(let words): .words(words.filter { $0.hasPrefix(beginning) }.map { $0 + " " })
    case .fileOrWord(let words):
      words.contains { $0.hasPrefix(beginning) } ? offer(.words(words), beginning, options) : .files
    case .path, .action, .type, .predicate, .user: .fromHub(value, beginning, options)
    }
  }
}

extension ProgramOptions.Option {
  fileprivate func isAwaitingValue(after word: String?) -> Bool {
    guard argument != nil, !isValueOptional, let word else { return false }
    return word == "--\(name)" || short.map { word == "-\($0)" } == true
  }
}
