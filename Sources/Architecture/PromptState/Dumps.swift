public import CustomDump

// Dumps show the contents of a prompt, without identities and fields with default values.

extension AlertState: CustomDumpReflectable {
  /// The title, the buttons and the message.
  public var customDumpMirror: Mirror {
    var children: [(label: String?, value: Any)] = [("title", title)]
    if !buttons.isEmpty { children.append(("actions", buttons)) }
    if let message { children.append(("message", message)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension ConfirmationDialogState: CustomDumpReflectable {
  /// The visibility of the title, the title, the buttons and the message.
  public var customDumpMirror: Mirror {
    var children: [(label: String?, value: Any)] = []
    if titleVisibility != .automatic { children.append(("titleVisibility", titleVisibility)) }
    children.append(("title", title))
    if !buttons.isEmpty { children.append(("actions", buttons)) }
    if let message { children.append(("message", message)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension ButtonState: CustomDumpReflectable {
  /// The role, the action and the label.
  public var customDumpMirror: Mirror {
    var children: [(label: String?, value: Any)] = []
    if let role { children.append(("role", role)) }
    children.append(("action", action))
    children.append(("label", label))
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension Animation: CustomDumpStringConvertible {
  /// The animation as in source code.
  public var customDumpDescription: String { ".\(description)" }
}

extension TextState: CustomDumpRepresentable {
  /// The characters, with marks for the styles: `**bold**`, `_italic_`, `~~struck through~~`, and tags for others.
  public var customDumpValue: Any { runs.map(\.marked).joined() }
}

extension TextState.Run {
  fileprivate var marked: String {
    var text = string
    if style.isBold || style.fontWeight == .bold { text = "**\(text)**" }
    if style.isItalic { text = "_\(text)_" }
    if style.isStruckThrough { text = "~~\(text)~~" }
    if style.isUnderlined { text = "<u>\(text)</u>" }
    if let weight = style.fontWeight, weight != .bold { text = "<font-weight=\(weight)>\(text)</font-weight>" }
    if let color = style.foregroundColor { text = "<foreground-color=\(color)>\(text)</foreground-color>" }
    if let label = style.accessibilityLabel { text = "<accessibility-label=\(label)>\(text)</accessibility-label>" }
    return text
  }
}
