/// The style of a piece of text; nil and false mean the surrounding style.
public struct TextStyle: Hashable, Sendable {
  /// True for bold text.
  public var isBold = false
  /// True for italic text.
  public var isItalic = false
  /// True for a monospaced font.
  public var isMonospaced = false
  /// True for text that is struck through.
  public var isStruckThrough = false
  /// True for underlined text.
  public var isUnderlined = false
  /// Its colour.
  public var foregroundColor: TextColor?
  /// The weight of its strokes.
  public var fontWeight: TextWeight?
  /// The text that a screen reader reads instead.
  public var accessibilityLabel: String?

  /// Creates the style of plain text.
  public init() {}
}

/// A colour by name, which depends on a terminal's palette, or by its components.
public enum TextColor: Hashable, Sendable {
  /// One of the eight colours of every terminal.
  case black, red, green, yellow, blue, magenta, cyan, white
  /// The colour of less important text.
  case secondary
  /// A colour with red, green and blue components.
  case rgb(red: UInt8, green: UInt8, blue: UInt8)
}

/// The weight of a text's strokes, lightest first.
public enum TextWeight: Hashable, Sendable {
  /// A weight by its usual name.
  case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
}
