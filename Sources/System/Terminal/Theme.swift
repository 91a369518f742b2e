internal import CNcurses

/// A colour scheme for text on a terminal.
public nonisolated enum Theme: String, CaseIterable, Sendable {
  /// For light text on a dark background.
  case dark
  /// For dark text on a light background.
  case light
  /// Without colours; the important text is also bold, dim or reversed.
  case mono

  /// Returns the number of a colour on a terminal with `count` colours, or nil for the terminal's default colour.
  func number(of color: Style.Color, count: CInt) -> Int16? {
    let hasMany = count >= 256
    switch (self, color) {
    case (.mono, _), (_, .standard): return nil
    case (.dark, .red): return hasMany ? 203 : Int16(COLOR_RED)
    case (.dark, .green): return Int16(COLOR_GREEN)
    case (.dark, .yellow): return Int16(COLOR_YELLOW)
    case (.dark, .blue): return hasMany ? 75 : Int16(COLOR_BLUE)
    case (.dark, .cyan): return Int16(COLOR_CYAN)
    // Green, yellow and cyan are hard to read on white.
    case (.light, .red): return hasMany ? 124 : Int16(COLOR_RED)
    case (.light, .green): return hasMany ? 28 : Int16(COLOR_BLUE)
    case (.light, .yellow): return hasMany ? 94 : Int16(COLOR_MAGENTA)
    case (.light, .blue): return hasMany ? 19 : Int16(COLOR_BLUE)
    case (.light, .cyan): return hasMany ? 25 : Int16(COLOR_BLUE)
    }
  }

  /// Returns a style as it is drawn on a terminal with `count` colours. With few of them, most terminals show bold text in
  /// a brighter colour, which is hard to read on a light background.
  func drawn(_ style: Style, count: CInt) -> Style {
    var style = style
    if self == .light, count < 256, style.color != .standard { style.isBold = false }
    return style
  }
}
