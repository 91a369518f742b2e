/// A line chart as SVG, for light and dark backgrounds.
package struct Chart: Sendable {
  /// The format of the numbers of an axis.
  package enum Unit: String, CaseIterable, Sendable {
    case number
    /// A time in nanoseconds.
    case time
    /// A size in bytes.
    case bytes
    /// The value 1 ÷ (1 − quantile), shown as a percentile.
    case percentile
  }

  /// An axis.
  package struct Axis: Equatable, Sendable {
    /// The label.
    package var label: String
    /// The format of its numbers.
    package var unit: Unit
    /// True for a logarithmic scale.
    package var isLogarithmic: Bool

    /// Creates an axis.
    package init(_ label: String, _ unit: Unit = .number, isLogarithmic: Bool = false) {
      (self.label, self.unit, self.isLogarithmic) = (label, unit, isLogarithmic)
    }
  }

  /// A line.
  package struct Series: Equatable, Sendable {
    /// Its name in the legend.
    package var name: String
    /// Its points, in ascending order of x.
    package var points: [Point]

    /// Creates a line.
    package init(_ name: String, _ points: [Point]) { (self.name, self.points) = (name, points) }
  }

  /// A point of a line.
  package struct Point: Equatable, Sendable {
    /// Its position on the horizontal axis.
    package var x: Double
    /// Its position on the vertical axis.
    package var y: Double

    /// Creates a point.
    package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
  }

  /// The title.
  package var title: String
  /// The horizontal axis.
  package var x: Axis
  /// The vertical axis.
  package var y: Axis
  /// The lines; up to eight have different colours.
  package var series: [Series]

  private static let (width, height) = (720.0, 300.0)
  private static let (left, right, top, bottom) = (76.0, 28.0, 52.0, 44.0)

  /// Creates a chart.
  package init(_ title: String, x: Axis, y: Axis, _ series: [Series]) {
    (self.title, self.x, self.y, self.series) = (title, x, y, series)
  }

  /// The colours, for a page with several charts.
  package static var style: String {
    func rules(_ colors: [String]) -> String {
      colors.enumerated().map { ".l\($0){stroke:\($1)}.f\($0){fill:\($1)}" }.joined()
    }
    let light = ["#0072b2", "#d55e00", "#009e73", "#aa3377", "#b38600", "#56b4e9", "#000000", "#888888"]
    let dark = ["#56b4e9", "#ff9d5c", "#2fd6a3", "#ee8fc4", "#e6c229", "#9ad1f5", "#ffffff", "#aaaaaa"]
    return """
      .chart text{font:12px system-ui,sans-serif;fill:#333}.chart .t{font-size:14px;font-weight:600}
      .chart .g{stroke:#ddd;stroke-width:1}.chart .a{stroke:#888;stroke-width:1}.chart .b{fill:#fff}
      .chart polyline{fill:none;stroke-width:1.75;stroke-linejoin:round}\(rules(light))
      @media (prefers-color-scheme:dark){.chart text{fill:#ddd}.chart .g{stroke:#333}.chart .b{fill:#16181d}\(rules(dark))}
      """
  }

  /// Returns the chart as an SVG element.
  ///
  /// - Parameter isStandalone: True to include the colours, for a separate file.
  package func svg(isStandalone: Bool) -> String {
    let scaleX = Scale(x, series.flatMap { $0.points.map(\.x) }, Self.left, Self.width - Self.right)
    let scaleY = Scale(y, series.flatMap { $0.points.map(\.y) }, Self.height - Self.bottom, Self.top)
    let size = "\(Int(Self.width)) \(Int(Self.height))"
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 \(size)\" role=\"img\" "
        + "aria-label=\"\(Self.escaped(title))\">"
    ]
    if isStandalone { lines.append("<style>\(Self.style)</style>") }
    lines.append("<rect class=\"b\" width=\"100%\" height=\"100%\"/>")
    lines.append(text(Self.left, 18, title, "class=\"t\""))
    lines += grid(scaleX, scaleY) + legend()
    for (index, line) in series.enumerated() { lines += draw(line, index % 8, scaleX, scaleY) }
    lines.append("</svg>")
    return lines.joined(separator: "\n")
  }

  private func grid(_ scaleX: Scale, _ scaleY: Scale) -> [String] {
    let (bottom, right) = (Self.height - Self.bottom, Self.width - Self.right)
    var lines: [String] = []
    for tick in scaleY.ticks {
      let place = scaleY.place(tick)
      lines.append(line(Self.left, place, right, place, "g"))
      lines.append(text(Self.left - 6, place + 4, y.unit.text(tick), "text-anchor=\"end\""))
    }
    for tick in scaleX.ticks {
      let place = scaleX.place(tick)
      lines.append(line(place, bottom, place, bottom + 4, "a"))
      lines.append(text(place, bottom + 18, x.unit.text(tick), "text-anchor=\"middle\""))
    }
    lines.append(line(Self.left, bottom, right, bottom, "a"))
    lines.append(text((Self.left + right) / 2, Self.height - 6, x.label, "text-anchor=\"middle\""))
    lines.append(
      text(
        14, (Self.top + bottom) / 2, y.label,
        "text-anchor=\"middle\" transform=\"rotate(-90 14 \(Self.number((Self.top + bottom) / 2)))\""))
    return lines
  }

  private func legend() -> [String] {
    guard series.count > 1 else { return [] }
    var (lines, place): ([String], Double) = ([], Self.left)
    for (index, series) in series.enumerated() {
      let top = Self.number(30)
      lines.append("<rect class=\"f\(index % 8)\" x=\"\(Self.number(place))\" y=\"\(top)\" width=\"12\" height=\"4\"/>")
      lines.append(text(place + 16, 36, series.name, ""))
      place += 34 + 6.6 * Double(series.name.count)
    }
    return lines
  }

  private func draw(_ series: Series, _ color: Int, _ scaleX: Scale, _ scaleY: Scale) -> [String] {
    let points = series.points.filter { scaleX.shows($0.x) && scaleY.shows($0.y) }
    let places = points.map { "\(Self.number(scaleX.place($0.x))),\(Self.number(scaleY.place($0.y)))" }
    var lines = ["<polyline class=\"l\(color)\" points=\"\(places.joined(separator: " "))\"/>"]
    guard points.count <= 40 else { return lines }
    for point in points {
      let (x, y) = (Self.number(scaleX.place(point.x)), Self.number(scaleY.place(point.y)))
      let title = "\(series.name): \(self.y.unit.text(point.y)) at \(self.x.unit.text(point.x))"
      lines.append(
        "<circle class=\"f\(color)\" cx=\"\(x)\" cy=\"\(y)\" r=\"2.5\"><title>\(Self.escaped(title))</title></circle>")
    }
    return lines
  }

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) -> String {
    let places = zip(["x1", "y1", "x2", "y2"], [x1, y1, x2, y2]).map { "\($0)=\"\(Self.number($1))\"" }
    return "<line class=\"\(style)\" \(places.joined(separator: " "))/>"
  }

  private func text(_ x: Double, _ y: Double, _ text: String, _ attributes: String) -> String {
    "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" \(attributes)>\(Self.escaped(text))</text>"
  }

  private static func number(_ value: Double) -> String { Decimals.fixed(value, 1) }

  /// Returns a text with escapes for XML and HTML.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

extension Chart.Unit {
  /// Returns a number of an axis as text.
  func text(_ value: Double) -> String {
    switch self {
    case .number: Decimals.short(value).replacing(".00", with: "").replacing(".0", with: "")
    case .time: Decimals.text(nanoseconds: max(value, 0).rounded()).replacing(".00", with: "").replacing(".0", with: "")
    case .bytes: Decimals.short(value).replacing(".00", with: "") + "B"
    case .percentile:
      value <= 1
        ? "0 %" : "\(Decimals.fixed(100 - 100 / value, value < 101 ? 0 : value < 1001 ? 1 : value < 10_001 ? 2 : 3)) %"
    }
  }
}

/// The scale of an axis, with the positions of its numbers.
private struct Scale {
  let isLogarithmic: Bool
  let (low, high): (Double, Double)
  let (first, last): (Double, Double)
  let ticks: [Double]

  init(_ axis: Chart.Axis, _ values: [Double], _ first: Double, _ last: Double) {
    (isLogarithmic, self.first, self.last) = (axis.isLogarithmic, first, last)
    let values = values.filter { Self.shows($0, axis.isLogarithmic) }
    let (least, most) = (values.min() ?? 0, values.max() ?? 1)
    if axis.isLogarithmic {
      let (floor, top) = (Self.power(atMost: least), Self.power(atMost: most))
      (low, high) = (floor, max(top == most ? top : top * 10, floor * 10))
      var (ticks, tick): ([Double], Double) = ([], low)
      while tick <= high * 1.001 {
        ticks.append(tick)
        tick *= 10
      }
      self.ticks = ticks
    } else {
      let step = Self.step(for: max(most, 1e-9) / 5)
      (low, high) = (0, max((most / step).rounded(.up), 1) * step)
      ticks = Array(stride(from: 0, through: high * 1.0001, by: step))
    }
  }

  func shows(_ value: Double) -> Bool { Self.shows(value, isLogarithmic) }

  /// Returns false for a number that cannot be drawn, or with which the numbers of the axis would overflow.
  private static func shows(_ value: Double, _ isLogarithmic: Bool) -> Bool {
    abs(value) < 1e200 && (!isLogarithmic || value > 1e-200)
  }

  func place(_ value: Double) -> Double {
    let part = isLogarithmic ? Self.logarithm(value / low) / Self.logarithm(high / low) : (value - low) / (high - low)
    return first + part * (last - first)
  }

  /// Returns the decimal logarithm, without a mathematical library.
  private static func logarithm(_ value: Double) -> Double {
    var (rest, whole) = (value, 0.0)
    while rest >= 10 { (rest, whole) = (rest / 10, whole + 1) }
    while rest < 1 { (rest, whole) = (rest * 10, whole - 1) }
    // Each squaring gives one more binary digit.
    var (result, digit) = (0.0, 0.5)
    for _ in 0..<40 {
      rest *= rest
      if rest >= 10 { (rest, result) = (rest / 10, result + digit) }
      digit /= 2
    }
    return whole + result
  }

  private static func power(atMost value: Double) -> Double {
    guard value > 0 else { return 1 }
    var power = 1.0
    while power * 10 <= value * 1.000001 { power *= 10 }
    while power > value * 1.000001 { power /= 10 }
    return power
  }

  /// Returns the smallest of 1, 2, 5, 10 … that is at least a value.
  private static func step(for value: Double) -> Double {
    let power = power(atMost: value)
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value * 0.999999 } ?? power * 10
  }
}
