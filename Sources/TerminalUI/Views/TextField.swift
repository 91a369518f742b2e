/// A line of text that the user edits, with the usual keys: arrows, Home and End, Ctrl-U, Ctrl-K, Ctrl-W.
///
/// It edits characters as users see them, wide and joined ones as well. Pasted text goes into the line, with spaces in
/// place of line breaks. A line holds 4096 bytes of UTF-8; a message gives the size of text that was not added.
public struct TextField: TerminalView {
  public typealias Body = Never
  let placeholder: String
  let text: StoreBinding<String>
  var submit: (() -> Void)?
  var submitLabel = ""

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - placeholder: Shown while the text is empty.
  ///   - text: The text. If another client changes it, the field shows the other text.
  public init(_ placeholder: String = "", text: StoreBinding<String>) {
    (self.placeholder, self.text) = (placeholder, text)
  }

  /// Calls an action when Enter is pressed.
  public func onSubmit(_ label: String = "done", perform action: @escaping () -> Void) -> TextField {
    var field = self
    (field.submit, field.submitLabel) = (action, label)
    return field
  }
}

/// Text of several lines that the user edits; Enter begins a new one.
public struct TextEditor: TerminalView {
  public typealias Body = Never
  let text: StoreBinding<String>
  let lines: Int

  /// Creates an editor.
  ///
  /// - Parameters:
  ///   - text: The text, with line breaks.
  ///   - lines: The rows that the editor would like to have; it scrolls.
  public init(text: StoreBinding<String>, lines: Int = 4) { (self.text, self.lines) = (text, lines) }
}

extension TextField: PrimitiveView {
  package func makeNode() -> TextNodeBase<TextLine> { TextNodeBase() }
  package func update(_ node: TextNodeBase<TextLine>) {
    (node.binding, node.placeholder, node.submit, node.submitLabel) = (text, placeholder, submit, submitLabel)
    node.lines = 1
    node.evaluate()
  }
}

extension TextEditor: PrimitiveView {
  package func makeNode() -> TextNodeBase<TextBlock> { TextNodeBase() }
  package func update(_ node: TextNodeBase<TextBlock>) {
    (node.binding, node.lines) = (text, lines)
    node.evaluate()
  }
}

/// Text with a cursor.
package protocol EditedText: Equatable {
  init(_ text: String)
  var text: String { get }
  var omission: String? { get }
  /// Handles a key; returns false if it has no meaning in the text.
  mutating func edited(by key: Key) -> Bool
  /// Draws the text with its cursor, if it has the focus.
  func draw(isFocused: Bool, on region: inout Region)
}

extension TextLine: @MainActor EditedText {
  package mutating func edited(by key: Key) -> Bool {
    switch key {
    case .character, .paste, .left, .right, .home, .end, .backspace, .delete: pressed(key)
    case .control(let letter) where "bfaedukw".contains(letter): pressed(key)
    default: return false
    }
    return true
  }

  package func draw(isFocused: Bool, on region: inout Region) {
    guard isFocused else { return region.text(0, 0, TextWidth.fit(text, columns: region.size.columns)) }
    draw(0, 0, on: &region)
  }
}

/// The node of a field or an editor.
package final class TextNodeBase<Text: EditedText>: ViewNode, DependentNode {
  var binding: StoreBinding<String>?
  var placeholder = ""
  var submit: (() -> Void)?
  var submitLabel = ""
  var lines = 1
  private var line = Text("")
  private var seen: String?
  /// The texts that were set and did not come back yet, oldest first: a hub answers later.
  private var sent: [String] = []
  private let dependencies = Dependencies()

  func evaluate() {
    guard let binding else { return }
    let text = dependencies.read(for: self, { binding.wrappedValue }) { [weak self] in self?.tree?.mustEvaluate(self) }
    if let index = sent.lastIndex(of: text) {
      // A hub may answer several actions at once, so that earlier texts never come.
      sent.removeFirst(index + 1)
    } else if text != seen {
      sent = []
      if line.text != text { line = Text(text) }
    }
    seen = text
  }

  /// Shows the text that the store has: what was sent and did not come back may never come.
  override func actionRefused() {
    guard !sent.isEmpty else { return }
    (sent, seen) = ([], nil)
    tree?.mustEvaluate(self)
  }

  override func removed() { dependencies.forget() }
  override var isFocusable: Bool { true }
  override var takesText: Bool { true }
  override func widthNeed() -> Need { Need(minimum: 4, ideal: 20, grows: true) }
  override func heightNeed(width: Int) -> Need { Need(minimum: 1, ideal: lines) }

  override func draw(on region: inout Region) {
    if line.text.isEmpty, !isFocused {
      return region.text(0, 0, TextWidth.fit(placeholder, columns: region.size.columns), Style(dim: true))
    }
    line.draw(isFocused: isFocused, on: &region)
  }

  override var bindings: [KeyBinding] {
    var bindings: [KeyBinding] = []
    if submit != nil {
      bindings.append(KeyBinding("enter", submitLabel))
    } else if lines > 1 {
      bindings.append(KeyBinding("enter", "", help: "a new line"))
    }
    bindings.append(.common("ctrl-u ctrl-k ctrl-w", "delete", help: "delete to the start, to the end, a word"))
    return bindings
  }

  override func pressed(_ key: Key) -> Bool {
    if key == .enter, let submit {
      submit()
      // Once more, because a paste that the terminal does not mark may contain this Enter.
      if let omission = line.omission { tree?.say(omission, isBad: true) }
      return true
    }
    if case .click = key { return true }
    guard line.edited(by: key) else { return false }
    let text = line.text
    if text != sent.last ?? seen {
      sent.append(text)
      // Only so many can be on their way.
      if sent.count > 64 { sent.removeFirst() }
      binding?.wrappedValue = text
    }
    if let omission = line.omission { tree?.say(omission, isBad: true) }
    return true
  }
}
