extension Duration: CustomDumpStringConvertible {
  /// The duration in words, such as `1 hour, 30 minutes`.
  public var customDumpDescription: String {
    let units: [(name: String, attoseconds: Int128)] = [
      ("day", 86_400_000_000_000_000_000_000), ("hour", 3_600_000_000_000_000_000_000),
      ("minute", 60_000_000_000_000_000_000), ("second", 1_000_000_000_000_000_000),
      ("millisecond", 1_000_000_000_000_000), ("microsecond", 1_000_000_000_000), ("nanosecond", 1_000_000_000),
      ("attosecond", 1),
    ]
    var rest = attoseconds.magnitude
    var words: [String] = []
    for (name, length) in units {
      let (count, remainder) = rest.quotientAndRemainder(dividingBy: length.magnitude)
      if count > 0 { words.append("\(count) \(name)\(count == 1 ? "" : "s")") }
      rest = remainder
    }
    guard !words.isEmpty else { return "0 seconds" }
    return (attoseconds < 0 ? "-" : "") + words.joined(separator: ", ")
  }
}
