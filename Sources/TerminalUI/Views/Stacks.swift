/// Views below each other.
public struct Column: TerminalView {
  public typealias Body = Never
  let spacing: Int
  let content: ViewGroup

  /// Creates a column.
  ///
  /// - Parameters:
  ///   - spacing: The empty rows between the views.
  ///   - content: The views.
  public init(spacing: Int = 0, @TerminalViewBuilder content: () -> ViewGroup) {
    (self.spacing, self.content) = (spacing, content())
  }
}

/// Views beside each other.
public struct Row: TerminalView {
  public typealias Body = Never
  let spacing: Int
  let content: ViewGroup

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - spacing: The empty columns between the views.
  ///   - content: The views.
  public init(spacing: Int = 1, @TerminalViewBuilder content: () -> ViewGroup) {
    (self.spacing, self.content) = (spacing, content())
  }
}

/// Room that grows between the views of a row or a column.
public struct Spacer: TerminalView {
  public typealias Body = Never

  /// Creates a spacer.
  public init() {}
}

/// A line across a column, or down a row.
public struct Divider: TerminalView {
  public typealias Body = Never

  /// Creates a divider.
  public init() {}
}

extension Column: PrimitiveView {
  package func makeNode() -> StackNode { StackNode(axis: .vertical) }
  package func update(_ node: StackNode) {
    (node.axis, node.spacing) = (.vertical, spacing)
    node.show(content)
  }
}

extension Row: PrimitiveView {
  package func makeNode() -> StackNode { StackNode(axis: .horizontal) }
  package func update(_ node: StackNode) {
    (node.axis, node.spacing) = (.horizontal, spacing)
    node.show(content)
  }
}

extension Spacer: PrimitiveView {
  package func makeNode() -> SpacerNode { SpacerNode() }
  package func update(_ node: SpacerNode) {}
}

extension Divider: PrimitiveView {
  package func makeNode() -> DividerNode { DividerNode() }
  package func update(_ node: DividerNode) {}
}

package class StackNode: ViewNode {
  enum Axis { case horizontal, vertical }

  var axis: Axis
  var spacing = 0
  private var nodes: [ViewNode] = []
  private var paths: [[ViewGroup.Step]] = []

  init(axis: Axis) { self.axis = axis }

  override var children: [ViewNode] { nodes }

  /// Shows views; those with the identities of earlier ones keep their nodes.
  func show(_ group: ViewGroup) {
    var old = Dictionary(zip(paths, nodes)) { first, _ in first }
    paths = group.members.map(\.path)
    nodes = group.members.map { child($0.view, replacing: old.removeValue(forKey: $0.path)) }
    for node in old.values { node.removed() }
  }

  override func widthNeed() -> Need {
    let needs = nodes.map { $0.widthNeed() }
    return axis == .horizontal ? .total(needs, spacing: spacing) : .largest(needs)
  }

  override func heightNeed(width: Int) -> Need {
    guard axis == .horizontal else { return .total(nodes.map { $0.heightNeed(width: width) }, spacing: spacing) }
    return .largest(zip(nodes, widths(width)).map { $0.heightNeed(width: $1) })
  }

  private func widths(_ width: Int) -> [Int] {
    Need.divide(width, among: nodes.map { $0.widthNeed() }, spacing: spacing)
  }

  override func place(in rect: Rect) {
    super.place(in: rect)
    if axis == .horizontal {
      var column = rect.column
      for (node, width) in zip(nodes, widths(rect.columns)) {
        node.place(in: Rect(row: rect.row, column: column, rows: rect.rows, columns: width).intersection(rect))
        column += width + spacing
      }
    } else {
      let heights = Need.divide(rect.rows, among: nodes.map { $0.heightNeed(width: rect.columns) }, spacing: spacing)
      var row = rect.row
      for (node, height) in zip(nodes, heights) {
        node.place(in: Rect(row: row, column: rect.column, rows: height, columns: rect.columns).intersection(rect))
        row += height + spacing
      }
    }
  }
}

extension ViewNode {
  /// The axis of the stack that the node is in.
  fileprivate var stackAxis: StackNode.Axis { (parent as? StackNode)?.axis ?? .vertical }
}

package final class SpacerNode: ViewNode {
  override func widthNeed() -> Need { Need(grows: stackAxis == .horizontal) }
  override func heightNeed(width: Int) -> Need { Need(grows: stackAxis == .vertical) }
}

package final class DividerNode: ViewNode {
  override func widthNeed() -> Need { stackAxis == .horizontal ? .exactly(1) : Need(minimum: 1, ideal: 1, grows: true) }
  override func heightNeed(width: Int) -> Need {
    stackAxis == .horizontal ? Need(minimum: 1, ideal: 1, grows: true) : Need(minimum: 0, ideal: 1)
  }
  override func draw(on region: inout Region) {
    guard stackAxis == .horizontal else { return region.rule(0) }
    for row in 0..<region.size.rows { region.text(row, 0, "│", Style(dim: true)) }
  }
}
