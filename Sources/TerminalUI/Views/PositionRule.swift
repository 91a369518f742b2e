/// A line across the screen with the position of the cursor in the list above it, such as `2/40`. Low screens have no room
/// for it; there the bar of ``Tabs`` shows the position.
public struct PositionRule: TerminalView {
  public typealias Body = Never
  nonisolated static let minimumRows = 8

  /// Creates a line.
  public init() {}
}

extension PositionRule: PrimitiveView {
  package func makeNode() -> PositionRuleNode { PositionRuleNode() }
  package func update(_ node: PositionRuleNode) {}
}

package final class PositionRuleNode: ViewNode {
  override func widthNeed() -> Need { Need(minimum: 1, ideal: 1, grows: true) }
  override func heightNeed(width: Int) -> Need {
    (tree?.size.rows ?? 0) >= PositionRule.minimumRows ? .exactly(1) : Need()
  }

  override func draw(on region: inout Region) {
    region.rule(0)
    region.drawPosition(tree?.listPosition, after: 1)
  }
}

extension Region {
  /// Draws the position at the right end of a rule, if there is room for it after `used` columns.
  mutating func drawPosition(_ position: (position: Int, count: Int)?, after used: Int) {
    guard let position else { return }
    let text = " \(position.position)/\(position.count) "
    let column = size.columns - text.count - 1
    if column > used { self.text(0, column, text, Style(dim: true)) }
  }
}
