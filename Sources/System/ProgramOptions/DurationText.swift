extension Duration {
  /// Reads a duration with its unit, such as `50us`, `500ms`, `1.5s` or `2m`, with at most nine decimals; nil for any other text.
  package init?(text: String) {
    let units: [(String, Duration)] = [
      ("us", .microseconds(1)), ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)),
    ]
    guard let (suffix, unit) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    let parts = text.dropLast(suffix.count).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = Int32(parts[0]), parts[0].first != "-" else { return nil }
    self = unit * Int(whole)
    guard parts.count > 1 else { return }
    let decimals = parts[1].utf8
    guard 1...9 ~= decimals.count, decimals.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(parts[1]) else {
      return nil
    }
    // Exact: each unit ends with at least twelve zeros in attoseconds.
    self += unit / decimals.reduce(1) { scale, _ in scale * 10 } * number
  }

  /// The longest time of `--busy-poll`; also of `EventLoop.busyPoll`.
  private static let longestBusyPoll = Duration.milliseconds(10)

  /// The times that `--busy-poll` can have, for messages.
  package static let busyPolls = "0, or a time up to 10ms with its unit, such as 50us"

  /// Reads the time for which a program polls without sleeping, as `--busy-poll` has it; nil for a text that is none of
  /// `busyPolls`.
  package init?(busyPoll text: String) {
    guard let time = text == "0" ? .zero : Duration(text: text), time <= Self.longestBusyPoll else { return nil }
    self = time
  }

  /// The time as `init(busyPoll:)` reads it.
  package var busyPollText: String {
    let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    let rest = nanoseconds % 1000
    guard nanoseconds > 0 else { return "0" }
    guard rest > 0 else {
      return nanoseconds % 1_000_000 == 0 ? "\(nanoseconds / 1_000_000)ms" : "\(nanoseconds / 1000)us"
    }
    return "\(nanoseconds / 1000).\(String(rest + 1000).dropFirst())us"
  }
}
