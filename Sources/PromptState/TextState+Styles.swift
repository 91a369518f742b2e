// A style that is set on joined texts holds for all of them, except where one of them has set its own.

extension TextState {
  /// This text in bold.
  public func bold(_ isActive: Bool = true) -> Self {
    styled { $0.isBold = isActive || $0.isBold }
  }

  /// This text slanted.
  public func italic(_ isActive: Bool = true) -> Self {
    styled { $0.isItalic = isActive || $0.isItalic }
  }

  /// This text in characters of one width.
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

  /// This text in a colour; nil leaves the colour to what is around it.
  public func foregroundColor(_ color: TextColor?) -> Self {
    styled { $0.foregroundColor = $0.foregroundColor ?? color }
  }

  /// This text in a colour.
  public func foregroundStyle(_ color: TextColor) -> Self {
    foregroundColor(color)
  }

  /// This text in a weight; nil leaves the weight to what is around it.
  public func fontWeight(_ weight: TextWeight?) -> Self {
    styled { $0.fontWeight = $0.fontWeight ?? weight }
  }

  /// This text, for which a screen reader says something else.
  public func accessibilityLabel(_ label: String) -> Self {
    styled { $0.accessibilityLabel = $0.accessibilityLabel ?? label }
  }
}
