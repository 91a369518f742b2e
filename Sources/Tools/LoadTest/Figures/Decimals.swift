/// Numbers as text, without Foundation.
package enum Decimals {
  /// Returns a number with a fixed number of decimals.
  package static func fixed(_ value: Double, _ decimals: Int) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    guard value.isFinite, abs(value) * Double(scale) < 9e18 else { return value.isNaN ? "0" : "\(value)" }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(scaled)" }
    let fraction = "\(scaled % scale)"
    return "\(sign)\(scaled / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  /// Returns a whole number with commas between thousands.
  package static func grouped(_ value: Double) -> String {
    let digits = fixed(abs(value), 0)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return (value <= -0.5 ? "-" : "") + result
  }

  /// Returns a number with about three significant digits and a unit of thousands, such as `12.3 k`.
  package static func short(_ value: Double) -> String {
    let units: [(Double, String)] = [(1e9, " G"), (1e6, " M"), (1e3, " k")]
    for (size, unit) in units where abs(value) >= size {
      let scaled = value / size
      return fixed(scaled, abs(scaled) < 10 ? 2 : abs(scaled) < 100 ? 1 : 0) + unit
    }
    return fixed(value, abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0)
  }

  /// Returns nanoseconds as a short text with a unit, such as `83.1 µs`.
  package static func time(_ nanoseconds: UInt64) -> String { text(nanoseconds: Double(nanoseconds)) }

  /// Returns nanoseconds of any size as a short text with a unit.
  static func text(nanoseconds value: Double) -> String {
    let units: [(Double, String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
    for (size, unit) in units where value >= size {
      let scaled = value / size
      return fixed(scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0) + " " + unit
    }
    return fixed(value, 0) + " ns"
  }
}
