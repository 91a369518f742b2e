/// Fields with labels below each other. Tab, Enter and the vertical arrow keys move from one to the next, and Enter presses
/// a button; a form that is too long scrolls to the focused field. Where Enter in any field shall submit the form, its
/// fields get the key: `.key("enter", "send") { … }`.
///
/// ```swift
/// Form {
///   Field("Name") { TextField("web server", text: store.binding(\.name)) }
///   Field("Priority") { Picker(selection: store.binding(\.priority)) }
///   Field("Retry", error: store.retryError) { Toggle(isOn: store.binding(\.retries)) }
///   Button("Add") { store.send(.addButtonTapped) }
/// }
/// ```
public struct Form: TerminalView {
  public typealias Body = Never
  let content: ViewGroup

  /// Creates a form.
  public init(@TerminalViewBuilder content: () -> ViewGroup) { self.content = content() }
}

/// A part of a form with a label.
public struct Field: TerminalView {
  public typealias Body = Never
  let label: String
  let help: String
  let error: String?
  let content: ViewGroup
  var takesFocusOnError = false

  /// Gives the field the focus when it gets an error, for forms that are checked when they are sent.
  package func takingFocusOnError() -> Field {
    var field = self
    field.takesFocusOnError = true
    return field
  }

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - label: The label.
  ///   - help: A line below the field while the focus is in it; empty for none.
  ///   - error: The reason why the value is not valid, below the field; nil if it is.
  ///   - content: The control.
  public init(
    _ label: String, help: String = "", error: String? = nil, @TerminalViewBuilder content: () -> ViewGroup
  ) {
    (self.label, self.help, self.error, self.content) = (label, help, error, content())
  }
}

extension Form: PrimitiveView {
  package func makeNode() -> FormNode { FormNode(axis: .vertical) }
  package func update(_ node: FormNode) { node.show(content) }
}

extension Field: PrimitiveView {
  package func makeNode() -> FieldNode { FieldNode() }
  package func update(_ node: FieldNode) {
    let isNewError = error != nil && node.error == nil
    (node.label, node.help, node.error) = (label, help, error)
    node.show(content)
    if isNewError, takesFocusOnError { node.takeFocus() }
  }
}

/// The node of a form.
package final class FormNode: StackNode {
  private var first = 0

  override func widthNeed() -> Need {
    let need = super.widthNeed()
    return Need(minimum: need.minimum, ideal: need.ideal, grows: true)
  }

  override func heightNeed(width: Int) -> Need {
    labelWidth = labelWidth(in: width)
    let need = super.heightNeed(width: width)
    return Need(minimum: 1, ideal: need.ideal)
  }

  /// The width of the labels at the width that was last measured; nil if they are above their fields.
  private(set) var labelWidth: Int?

  private func labelWidth(in columns: Int) -> Int? {
    guard columns >= 40 else { return nil }
    var width = 0
    func visit(_ node: ViewNode) {
      if let field = node as? FieldNode { width = max(width, TextWidth.columns(of: field.label, upTo: 24)) }
      for child in node.children { visit(child) }
    }
    visit(self)
    return width
  }

  override func place(in rect: Rect) {
    frame = rect
    labelWidth = labelWidth(in: rect.columns)
    var (row, places) = (0, [(node: ViewNode, rows: Range<Int>)]())
    for node in children {
      let height = node.heightNeed(width: rect.columns).ideal
      places.append((node, row..<row + height))
      row += height
    }
    if let rows = tree?.focused.flatMap({ focused in places.first { $0.node.isAround(focused) } })?.rows {
      first = max(min(first, rows.lowerBound), min(rows.upperBound - rect.rows, rows.lowerBound))
    }
    first = max(min(first, row - rect.rows), 0)
    for (node, rows) in places {
      node.place(
        in: Rect(row: rect.row + rows.lowerBound - first, column: rect.column, rows: rows.count, columns: rect.columns))
    }
  }

  override func pressed(_ key: Key) -> Bool {
    switch key {
    case .down, .enter: tree?.moveFocus(by: 1, within: self) ?? false
    case .up: tree?.moveFocus(by: -1, within: self) ?? false
    default: false
    }
  }

  override var bindings: [KeyBinding] {
    [KeyBinding("enter", "next", help: "the next field"), KeyBinding("up down", "", help: "another field")]
  }
}

extension ViewNode {
  /// The form around the node.
  var form: FormNode? {
    var next = parent
    while let node = next {
      if let form = node as? FormNode { return form }
      next = node.parent
    }
    return nil
  }
}

/// The node of a field with its label.
package final class FieldNode: StackNode {
  var label = ""
  var help = ""
  var error: String?

  init() { super.init(axis: .horizontal) }

  /// Gives the first control in the field the focus, unless another one in it has it.
  func takeFocus() {
    guard let tree, !(tree.focused.map(isAround) ?? false), let first = tree.focusable(in: self).first else { return }
    tree.focus(first)
  }

  private var labelWidth: Int? { form?.labelWidth }
  private var indent: Int { labelWidth.map { $0 + 2 } ?? 2 }

  private var note: (text: String, style: Style)? {
    if let error { return (error, Style(.red)) }
    guard !help.isEmpty, let focused = tree?.focused, isAround(focused) else { return nil }
    return (help, Style(dim: true))
  }

  override func widthNeed() -> Need { super.widthNeed() + (labelWidth ?? 0) }

  private func contentHeight(_ width: Int) -> Int { super.heightNeed(width: max(width - indent, 0)).ideal }

  override func heightNeed(width: Int) -> Need {
    let rows = contentHeight(width) + (labelWidth == nil ? 1 : 0) + (note == nil ? 0 : 1)
    return Need(minimum: 1, ideal: rows)
  }

  override func place(in rect: Rect) {
    let top = labelWidth == nil ? 1 : 0
    super.place(
      in: Rect(
        row: rect.row + top, column: rect.column + indent, rows: min(contentHeight(rect.columns), rect.rows - top),
        columns: rect.columns - indent))
    frame = rect
  }

  override func draw(on region: inout Region) {
    region.text(0, 0, TextWidth.fit(label, columns: labelWidth ?? region.size.columns), Style(.cyan))
    drawChildren(on: region)
    if let note {
      region.text(
        region.size.rows - 1, indent, TextWidth.fit(note.text, columns: region.size.columns - indent), note.style)
    }
  }
}

extension Need {
  fileprivate static func + (need: Need, columns: Int) -> Need {
    Need(minimum: need.minimum, ideal: need.ideal + columns, grows: true)
  }
}
