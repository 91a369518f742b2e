/// How a piece of text looks; nil and false say “as around it”.
public struct TextStyle: Hashable, Sendable {
  /// Whether it is bold.
  public var isBold = false
  /// Whether it is slanted.
  public var isItalic = false
  /// Whether every character is equally wide.
  public var isMonospaced = false
  /// Whether it is struck through.
  public var isStruckThrough = false
  /// Whether it is underlined.
  public var isUnderlined = false
  /// Its colour.
  public var foregroundColor: TextColor?
  /// How heavy its strokes are.
  public var fontWeight: TextWeight?
  /// What a screen reader says in its place.
  public var accessibilityLabel: String?

  /// Creates the style of plain text.
  public init() {}
}

/// A colour by name, which a terminal's own palette decides, or by its components.
public enum TextColor: Hashable, Sendable {
  /// A colour of the eight that every terminal has.
  case black, red, green, yellow, blue, magenta, cyan, white
  /// The colour of text that matters less.
  case secondary
  /// A colour with its red, green and blue parts.
  case rgb(red: UInt8, green: UInt8, blue: UInt8)
}

/// How heavy the strokes of a text are, lightest first.
public enum TextWeight: Hashable, Sendable {
  /// A weight by its usual name.
  case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
}
