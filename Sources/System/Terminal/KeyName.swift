nonisolated extension Key {
  /// The keys with a name of their own.
  private static let named: [(name: String, key: Key)] = [
    ("up", .up), ("down", .down), ("left", .left), ("right", .right), ("home", .home), ("end", .end),
    ("pageup", .pageUp), ("pagedown", .pageDown), ("backspace", .backspace), ("delete", .delete), ("tab", .tab),
    ("shift-tab", .backTab), ("esc", .escape), ("enter", .enter), ("space", .character(" ")), ("wheelup", .wheelUp),
    ("wheeldown", .wheelDown),
  ]

  /// Creates a key from its name: a character, `ctrl-` with a lower-case letter, or one of `up`, `down`, `left`, `right`,
  /// `home`, `end`, `pageup`, `pagedown`, `backspace`, `delete`, `tab`, `shift-tab`, `esc`, `enter`, `space`, `wheelup`,
  /// `wheeldown`. Returns nil for other names.
  public init?(name: String) {
    if let known = Self.named.first(where: { $0.name == name }) {
      self = known.key
    } else if let character = name.first, name.count == 1 {
      self = .character(character)
    } else if name.hasPrefix("ctrl-"), name.count == 6, let letter = name.last, letter.isLowercase, letter.isASCII {
      self = .control(letter)
    } else {
      return nil
    }
  }

  /// The name, for help; nil for keys without a name, such as clicks.
  public var name: String? {
    switch self {
    case .character(" "): "space"
    case .character(let character): String(character)
    case .control(let letter): "ctrl-\(letter)"
    case .click, .paste, .other: nil
    default: Self.named.first { $0.key == self }?.name
    }
  }
}
