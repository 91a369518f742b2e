/// A button, pressed by Enter, the space bar or a click.
public struct Button: TerminalView {
  public typealias Body = Never
  let label: String
  let isEnabled: Bool
  let action: () -> Void

  /// Creates a button.
  public init(_ label: String, isEnabled: Bool = true, action: @escaping () -> Void) {
    (self.label, self.isEnabled, self.action) = (label, isEnabled, action)
  }
}

/// A value that is on or off, changed by the space bar, Enter or a click. In a ``Form``, Enter goes on to the next field.
public struct Toggle: TerminalView {
  public typealias Body = Never
  let label: String
  let isOn: StoreBinding<Bool>

  /// Creates a toggle.
  public init(_ label: String = "", isOn: StoreBinding<Bool>) { (self.label, self.isOn) = (label, isOn) }
}

/// One of several values, changed by the left and right arrow keys, the space bar, Enter or a click. In a ``Form``, Enter
/// goes on to the next field.
public struct Picker<Value: Hashable>: TerminalView {
  public typealias Body = Never
  let label: String
  let selection: StoreBinding<Value>
  let options: [(label: String, value: Value)]

  /// Creates a picker.
  ///
  /// - Parameters:
  ///   - label: The text before the value; empty in a ``Field``.
  ///   - selection: The value.
  ///   - options: The possible values with their names.
  public init(_ label: String = "", selection: StoreBinding<Value>, options: [(label: String, value: Value)]) {
    (self.label, self.selection, self.options) = (label, selection, options)
  }

  /// Creates a picker of the cases of an enum.
  public init(_ label: String = "", selection: StoreBinding<Value>) where Value: CaseIterable {
    self.init(label, selection: selection, options: Value.allCases.map { ("\($0)", $0) })
  }
}

extension Button: PrimitiveView {
  package func makeNode() -> ControlNode { ControlNode() }
  package func update(_ node: ControlNode) {
    node.kind = .button
    (node.read, node.isEnabled) = ({ [label] in "[ \(label) ]" }, isEnabled)
    node.onChange = { [action] _ in action() }
    node.evaluate()
  }
}

extension Toggle: PrimitiveView {
  package func makeNode() -> ControlNode { ControlNode() }
  package func update(_ node: ControlNode) {
    node.kind = .toggle
    node.read = { [label, isOn] in "[\(isOn.wrappedValue ? "x" : " ")]" + (label.isEmpty ? "" : " \(label)") }
    node.onChange = { [isOn] _ in isOn.wrappedValue.toggle() }
    node.evaluate()
  }
}

extension Picker: PrimitiveView {
  package func makeNode() -> ControlNode { ControlNode() }
  package func update(_ node: ControlNode) {
    node.kind = .picker
    node.read = { [label, selection, options] in
      let value = selection.wrappedValue
      let name = options.first { $0.value == value }?.label ?? "\(value)"
      return (label.isEmpty ? "" : "\(label) ") + "‹ \(name) ›"
    }
    node.onChange = { [selection, options] step in
      guard !options.isEmpty else { return }
      let value = selection.wrappedValue
      let index = options.firstIndex { $0.value == value } ?? -step
      selection.wrappedValue = options[(index + step + options.count) % options.count].value
    }
    node.evaluate()
  }
}

/// The node of a control of one line.
package final class ControlNode: ViewNode, DependentNode {
  enum Kind { case button, toggle, picker }

  var kind = Kind.button
  var isEnabled = true
  var read: () -> String = { "" }
  /// Called with 1 for the next value and -1 for the one before.
  var onChange: (_ step: Int) -> Void = { _ in }
  private var text = ""
  private let dependencies = Dependencies()

  func evaluate() {
    text = dependencies.read(for: self, read) { [weak self] in self?.tree?.mustEvaluate(self) }
  }

  override func removed() { dependencies.forget() }
  override var isFocusable: Bool { isEnabled }
  override func widthNeed() -> Need { Need(minimum: 1, ideal: columns(of: text)) }
  override func heightNeed(width: Int) -> Need { .exactly(1) }

  override func draw(on region: inout Region) {
    let style = Style(bold: isFocused, dim: !isEnabled, reversed: isFocused)
    region.text(0, 0, TextWidth.fit(text, columns: region.size.columns), style)
  }

  override var bindings: [KeyBinding] {
    guard isEnabled else { return [] }
    switch kind {
    case .button: return [KeyBinding("enter", "press")]
    case .toggle: return [KeyBinding("space", "change")]
    case .picker: return [KeyBinding("left right", "change")]
    }
  }

  override func pressed(_ key: Key) -> Bool {
    guard isEnabled else { return false }
    switch key {
    // In a form it means the same in every field.
    case .enter where kind != .button && form != nil: return false
    case .enter, .character(" "), .click: onChange(1)
    case .right where kind == .picker: onChange(1)
    case .left where kind == .picker: onChange(-1)
    default: return false
    }
    return true
  }
}
