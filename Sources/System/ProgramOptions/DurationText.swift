extension Duration {
  /// Reads a duration with its unit, such as `500ms`, `1.5s` or `2m`, with at most nine decimals; nil for any other text.
  package init?(text: String) {
    let units: [(String, Duration)] = [("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60))]
    guard let (suffix, unit) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    let parts = text.dropLast(suffix.count).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = Int32(parts[0]), parts[0].first != "-" else { return nil }
    self = unit * Int(whole)
    guard parts.count > 1 else { return }
    let decimals = parts[1].utf8
    guard 1...9 ~= decimals.count, decimals.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(parts[1]) else {
      return nil
    }
    // Exact: each unit ends with at least fifteen zeros in attoseconds.
    self += unit / decimals.reduce(1) { scale, _ in scale * 10 } * number
  }
}
