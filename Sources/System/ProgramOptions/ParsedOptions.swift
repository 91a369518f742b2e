/// The options of a command line, by name, with typed values.
package struct ParsedOptions: Equatable, Sendable {
  let values: [String: String]
  /// The command or subcommand; nil for the program's single function.
  package let command: String?
  /// The arguments of the command, in their order.
  package let arguments: [String]

  init(values: [String: String] = [:], command: String? = nil, arguments: [String] = []) {
    (self.values, self.command, self.arguments) = (values, command, arguments)
  }

  /// Returns true if an option was given.
  package func flag(_ name: String) -> Bool { values[name] != nil }

  /// An option's value as given.
  package func string(_ name: String) -> String? { values[name] }

  /// Refuses options that exclude each other.
  ///
  /// - Parameter groups: Names of options; at most one of each group may be given.
  package func checkAlternatives(_ groups: [[String]]) throws(UsageError) {
    for names in groups {
      let given = names.filter(flag)
      guard given.count < 2 else { throw UsageError("--\(given[0]) and --\(given[1]) exclude each other") }
    }
  }

  /// The path of a Unix socket.
  ///
  /// - Parameters:
  ///   - name: The name of the option.
  ///   - fallback: The default path, from `defaultSocketPath`.
  /// - Throws: An error for an empty path, or if other users can write to the directory of the default path.
  package func socketPath(_ name: String, default fallback: @autoclosure () -> String) throws(UsageError) -> String {
    guard let path = values[name] else {
      let path = fallback()
      try checkSocketDirectory(of: path)
      return path
    }
    // The empty name is an abstract socket, to which every user of the machine can connect.
    guard !path.isEmpty else { throw UsageError("--\(name) needs the path of a socket, but it is empty") }
    return path
  }

  /// An integer in a range.
  package func integer(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws(UsageError) -> Int {
    guard let text = values[name] else { return fallback }
    guard let value = Int(text), range.contains(value) else {
      throw UsageError(
        "--\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return value
  }

  /// Permissions as an octal number, such as 660.
  package func permissions(_ name: String, default fallback: UInt32) throws(UsageError) -> UInt32 {
    guard let text = values[name] else { return fallback }
    guard let value = UInt32(text, radix: 8), value <= 0o777 else {
      throw UsageError("--\(name) needs permissions as an octal number such as 660, not '\(text)'")
    }
    return value
  }

  /// A duration such as `500ms`, `1.5s` or `2m`, with at most nine decimals.
  package func duration(_ name: String, default fallback: Duration) throws(UsageError) -> Duration {
    guard let text = values[name] else { return fallback }
    if let duration = Duration(text: text) { return duration }
    throw UsageError("--\(name) needs a time such as 500ms, 1.5s or 2m, not '\(text)'")
  }

  /// The time for which the program polls without sleeping, `--busy-poll`; nil if it was not given.
  package func busyPoll() throws(UsageError) -> Duration? {
    guard let text = values["busy-poll"] else { return nil }
    if let time = Duration(busyPoll: text) { return time }
    throw UsageError("--busy-poll needs \(Duration.busyPolls), not '\(text)'")
  }

  /// One of a few words.
  package func choice<Value>(
    _ name: String, of choices: [(String, Value)], default fallback: Value
  ) throws(UsageError) -> Value {
    guard let text = values[name] else { return fallback }
    guard let choice = choices.first(where: { $0.0 == text }) else {
      let words = choices.map(\.0).joined(separator: ", ")
      throw UsageError("--\(name) must be one of \(words), not '\(text)'")
    }
    return choice.1
  }
}
