package import PromptState
package import Terminal

/// A question or message over a screen, with a row of buttons: an alert or a confirmation dialog.
package nonisolated struct Dialog<Action> {
  package var title: String
  package var text: String
  package var buttons: [Button]
  package var style: Style

  package struct Button {
    package var label: String
    /// The action of the button; nil if it only closes the dialog.
    package var action: Action?
    package var role: ButtonStateRole?
  }

  /// Creates the dialog of an alert.
  ///
  /// - Parameter heading: The title in the frame of an alert without a message, whose own title is then the text.
  package init(_ alert: AlertState<Action>, heading: String = "") {
    buttons = alert.buttons.map(Button.init)
    style = alert.buttons.isEmpty && alert.message == nil ? Style(.green, bold: true) : Style(.red, bold: true)
    (title, text) = (heading, String(state: alert.title))
    if let message = alert.message { (title, text) = (text, String(state: message)) }
  }

  package init(_ dialog: ConfirmationDialogState<Action>) {
    buttons = dialog.buttons.map(Button.init)
    style = Style(.yellow, bold: true)
    title = dialog.titleVisibility == .hidden ? "" : String(state: dialog.title)
    text = dialog.message.map { String(state: $0) } ?? ""
  }

  /// The button that is selected at first, which is not a destructive one.
  private var first: Int {
    buttons.firstIndex { $0.action != nil && $0.role != .destructive }
      ?? buttons.firstIndex { $0.role != .destructive } ?? 0
  }

  /// Returns the selected button: the one that the user has chosen, or the first one.
  package func selected(_ choice: Int?) -> Int { choice.map { max(min($0, buttons.count - 1), 0) } ?? first }

  /// The result of a key.
  package enum Answer {
    /// Another button is selected.
    case selected(Int)
    /// A button was pressed; nil to close the dialog.
    case pressed(Action?)
  }

  /// Handles a key; returns nil if it has no meaning in the dialog.
  package func answer(_ key: Key, _ choice: Int?, in rows: Range<Int>, _ size: CanvasSize) -> Answer? {
    let selected = selected(choice)
    switch key {
    case .left where !buttons.isEmpty: return .selected(max(selected - 1, 0))
    case .right where !buttons.isEmpty: return .selected(min(selected + 1, buttons.count - 1))
    case .enter: return .pressed(buttons.isEmpty ? nil : buttons[selected].action)
    case .escape: return .pressed(cancel?.action)
    case .click(let row, let column):
      guard row == layout(in: rows, size).buttonRow else { return nil }
      guard let index = places(size).firstIndex(where: { $0.contains(column) }) else { return nil }
      // Without buttons, it is the line that names the key.
      return .pressed(buttons.isEmpty ? nil : buttons[index].action)
    case .character(let character):
      let letter = character.lowercased()
      guard let index = buttons.firstIndex(where: { $0.label.lowercased().hasPrefix(letter) }) else { return nil }
      // The key that asked the question may still be held down.
      return buttons[index].role == .destructive ? .selected(index) : .pressed(buttons[index].action)
    default: return nil
    }
  }

  /// The label of the button that changes nothing.
  var cancelLabel: String { cancel?.label ?? "Dismiss" }

  private var cancel: Button? { buttons.first { $0.role == .cancel } }

  /// The help line.
  package func hint(_ choice: Int?) -> String {
    guard !buttons.isEmpty else { return "press esc to dismiss" }
    let choose = buttons.count > 1 ? "← → choose   " : ""
    return "\(choose)enter \(buttons[selected(choice)].label.lowercased())   esc \(cancelLabel.lowercased())"
  }

  // MARK: Drawing

  private struct Layout {
    /// The title in the frame's upper edge.
    var title: String
    var lines: [String]
    /// The row of the frame's upper edge; nil if there is no room for a frame.
    var top: Int?
    var width: Int
    var buttonRow: Int
  }

  private func layout(in rows: Range<Int>, _ size: CanvasSize) -> Layout {
    let bar = labels.reduce(-1) { $0 + TextWidth.columns(of: $1, upTo: size.columns) + 1 }
    let room = rows.count - 4
    if room >= 1, size.columns >= max(bar + 4, 20) {
      let lines = TextWidth.wrap(text, columns: min(size.columns - 6, 50), lines: max(room, 1))
      let title = TextWidth.fit(title, columns: size.columns - 6)
      let width = (lines + [title]).map { TextWidth.columns(of: $0) }.reduce(bar) { max($0, $1) }
      let top = rows.lowerBound + max((rows.count - lines.count - 3) / 2, 0)
      return Layout(title: title, lines: lines, top: top, width: width, buttonRow: top + lines.count + 1)
    }
    let title = title.isEmpty || text.isEmpty || rows.count < 3 ? [] : [TextWidth.fit(title, columns: size.columns)]
    let whole = text.isEmpty || rows.count < 2 ? (text.isEmpty ? self.title : text) : text
    let count = max(rows.count - 1 - title.count, 0)
    let lines = title + TextWidth.wrap(whole, columns: size.columns, lines: count)
    return Layout(title: "", lines: lines, top: nil, width: size.columns, buttonRow: rows.upperBound - 1)
  }

  private var labels: [String] { buttons.isEmpty ? [hint(nil)] : buttons.map { "[ \($0.label) ]" } }

  /// The columns of the buttons.
  private func places(_ size: CanvasSize) -> [Range<Int>] {
    let bar = labels.reduce(-1) { $0 + TextWidth.columns(of: $1, upTo: size.columns) + 1 }
    var column = max((size.columns - bar) / 2, 0)
    return labels.map { label in
      let range = column..<column + TextWidth.columns(of: label, upTo: size.columns)
      column = range.upperBound + 1
      return range
    }
  }

  /// Draws the dialog over other content, without a frame if there is no room for it.
  package func draw(_ choice: Int?, in rows: Range<Int>, on canvas: inout some Canvas) {
    guard !rows.isEmpty else { return }
    let layout = layout(in: rows, canvas.size)
    if let top = layout.top {
      canvas.box(layout.lines + [""], title: layout.title, style, top: top, width: layout.width)
    } else {
      let blank = String(repeating: " ", count: canvas.size.columns)
      for row in rows { canvas.text(row, 0, blank, style) }
      for (row, line) in zip(rows, layout.lines) { canvas.text(row, 0, line, style) }
    }
    let selected = selected(choice)
    for (index, place) in places(canvas.size).enumerated() {
      let isSelected = index == selected && !buttons.isEmpty
      let isDestructive = !buttons.isEmpty && buttons[index].role == .destructive
      let style = buttons.isEmpty ? style : Style(isDestructive ? .red : .standard, bold: true, reversed: isSelected)
      canvas.text(layout.buttonRow, place.lowerBound, labels[index], style)
    }
  }
}

nonisolated extension Dialog.Button {
  package init(_ button: ButtonState<Action>) {
    self.init(label: String(state: button.label), action: button.action.action, role: button.role)
  }
}
