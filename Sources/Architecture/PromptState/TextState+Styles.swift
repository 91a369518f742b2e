// A style of concatenated texts applies to all of them, except those that set their own.

extension TextState {
  /// This text in bold.
  public func bold(_ isActive: Bool = true) -> Self {
    styled { $0.isBold = isActive || $0.isBold }
  }

  /// This text in italics.
  public func italic(_ isActive: Bool = true) -> Self {
    styled { $0.isItalic = isActive || $0.isItalic }
  }

  /// This text in a monospaced font.
  public func monospaced(_ isActive: Bool = true) -> Self {
    styled { $0.isMonospaced = isActive || $0.isMonospaced }
  }

  /// This text struck through.
  public func strikethrough(_ isActive: Bool = true) -> Self {
    styled { $0.isStruckThrough = isActive || $0.isStruckThrough }
  }

  /// This text underlined.
  public func underline(_ isActive: Bool = true) -> Self {
    styled { $0.isUnderlined = isActive || $0.isUnderlined }
  }

  /// This text in a colour; nil inherits the surrounding colour.
  public func foregroundColor(_ color: TextColor?) -> Self {
    styled { $0.foregroundColor = $0.foregroundColor ?? color }
  }

  /// This text in a colour.
  public func foregroundStyle(_ color: TextColor) -> Self {
    foregroundColor(color)
  }

  /// This text in a weight; nil inherits the surrounding weight.
  public func fontWeight(_ weight: TextWeight?) -> Self {
    styled { $0.fontWeight = $0.fontWeight ?? weight }
  }

  /// This text with another text for screen readers.
  public func accessibilityLabel(_ label: String) -> Self {
    styled { $0.accessibilityLabel = $0.accessibilityLabel ?? label }
  }
}
