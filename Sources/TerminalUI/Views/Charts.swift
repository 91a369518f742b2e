/// A bar that shows how far something has got.
public struct Progress: TerminalView {
  public typealias Body = Never
  let fraction: Double
  let label: String?

  /// Creates a bar.
  ///
  /// - Parameters:
  ///   - fraction: The part that is done, from 0 to 1.
  ///   - label: The text after the bar; the percentage, if it is nil.
  public init(_ fraction: Double, label: String? = nil) { (self.fraction, self.label) = (fraction, label) }
}

/// A small chart of the last values in one row.
public struct Sparkline: TerminalView {
  public typealias Body = Never
  let values: [Double]
  let range: ClosedRange<Double>?

  /// Creates a chart.
  ///
  /// - Parameters:
  ///   - values: The values, the latest last. Those for which there is no room are left out at the start.
  ///   - range: The values of the lowest and the highest mark; from 0 to the largest value, if it is nil.
  public init(_ values: [Double], in range: ClosedRange<Double>? = nil) { (self.values, self.range) = (values, range) }
}

/// Values as horizontal bars, one in each row.
public struct BarChart: TerminalView {
  public typealias Body = Never
  let bars: [(label: String, value: Double)]
  let color: Style.Color

  /// Creates a chart. Negative values have no bar.
  public init(_ bars: [(label: String, value: Double)], color: Style.Color = .cyan) {
    (self.bars, self.color) = (bars, color)
  }
}

extension Progress: PrimitiveView {
  package func makeNode() -> DrawingNode { DrawingNode() }
  package func update(_ node: DrawingNode) {
    let part = fraction.isFinite ? max(0, min(fraction, 1)) : 0
    let text = label ?? "\(Int((part * 100).rounded())) %"
    node.width = Need(minimum: 5, ideal: 30, grows: true)
    node.height = .exactly(1)
    node.content = { region in
      let columns = region.size.columns
      let shown = columns >= TextWidth.columns(of: text, upTo: columns) + 6 ? " " + text : ""
      let room = columns - TextWidth.columns(of: shown)
      let done = Int((part * Double(room)).rounded())
      region.text(0, 0, String(repeating: "█", count: done), Style(.green))
      region.text(0, done, String(repeating: "░", count: max(room - done, 0)), Style(dim: true))
      region.text(0, room, shown, .plain)
    }
  }
}

extension Sparkline: PrimitiveView {
  package func makeNode() -> DrawingNode { DrawingNode() }
  package func update(_ node: DrawingNode) {
    let marks = Array("▁▂▃▄▅▆▇█")
    let values = values.map { $0.isFinite ? $0 : 0 }
    let low = range?.lowerBound ?? 0
    let high = range?.upperBound ?? values.max() ?? 1
    node.width = Need(minimum: 1, ideal: max(values.count, 1))
    node.height = .exactly(1)
    node.content = { region in
      let shown = values.suffix(region.size.columns).map { value -> Character in
        let part = high > low ? (value - low) / (high - low) : 0
        // Infinite limits have no part between them.
        let height = part.isNaN ? 0 : max(0, min(part, 1))
        return marks[Int((height * Double(marks.count - 1)).rounded())]
      }
      region.text(0, 0, String(shown), Style(.cyan))
    }
  }
}

extension BarChart: PrimitiveView {
  package func makeNode() -> DrawingNode { DrawingNode() }
  package func update(_ node: DrawingNode) {
    let bars = bars.map { (label: $0.label, value: $0.value.isFinite ? $0.value : 0) }
    let color = color
    let most = bars.map(\.value).max() ?? 0
    let numbers = bars.map {
      $0.value == $0.value.rounded() && abs($0.value) < 1e15 ? "\(Int($0.value))" : "\($0.value)"
    }
    node.width = Need(minimum: 8, ideal: 40, grows: true)
    node.height = Need(minimum: min(bars.count, 1), ideal: bars.count)
    node.content = { region in
      let columns = region.size.columns
      let labels = bars.map { TextWidth.columns(of: $0.label, upTo: columns / 2) }.max() ?? 0
      let numberWidth = numbers.map(\.count).max() ?? 0
      let room = max(columns - labels - numberWidth - 2, 0)
      for (row, (bar, number)) in zip(bars, numbers).enumerated() {
        region.text(row, 0, TextWidth.fit(bar.label, columns: labels), .plain)
        let length = most > 0 ? Int((max(bar.value, 0) / most * Double(room)).rounded()) : 0
        region.text(row, labels + 1, String(repeating: "█", count: length), Style(color))
        region.text(row, labels + 2 + length, number, Style(dim: true))
      }
    }
  }
}

/// Content that a closure draws, for what no other view shows.
///
/// ```swift
/// Drawing(height: 3) { canvas in canvas.centered(1, "★", Style(.yellow)) }
///   .key("space", "shine") { … }
/// ```
public struct Drawing: TerminalView {
  public typealias Body = Never
  let width: Int?
  let height: Int?
  let content: (inout any Canvas) -> Void

  /// Creates a drawing.
  ///
  /// - Parameters:
  ///   - width: The columns; nil for all that there are.
  ///   - height: The rows; nil for all that there are.
  ///   - content: Draws on a canvas of the size that the view got.
  public init(width: Int? = nil, height: Int? = nil, content: @escaping (inout any Canvas) -> Void) {
    (self.width, self.height, self.content) = (width, height, content)
  }
}

extension Drawing: PrimitiveView {
  package func makeNode() -> DrawingNode { DrawingNode() }
  package func update(_ node: DrawingNode) {
    node.width = width.map { .exactly($0) } ?? Need(grows: true)
    node.height = height.map { .exactly($0) } ?? Need(grows: true)
    let content = content
    node.content = { region in
      var canvas: any Canvas = region
      content(&canvas)
    }
  }
}

package final class DrawingNode: ViewNode {
  var width = Need()
  var height = Need()
  var content: (inout Region) -> Void = { _ in }

  override func widthNeed() -> Need { width }
  override func heightNeed(width: Int) -> Need { height }
  override func draw(on region: inout Region) { content(&region) }
}
