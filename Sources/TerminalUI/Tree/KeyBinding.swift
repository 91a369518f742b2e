/// A key with its meaning in a view, for the help line and the help box.
public struct KeyBinding {
  /// The keys, any of which has the meaning.
  public let keys: [Key]
  /// The keys as the help line shows them.
  public let name: String
  /// The keys as the help box shows them.
  public let fullName: String
  /// A word or two for the help line; empty if only the help box shows the binding.
  public let label: String
  /// The meaning in the help box.
  public let help: String
  let action: (() -> Void)?
  /// True for the keys that every view of a kind has: the help names them last.
  var isCommon = false

  /// Creates a binding.
  ///
  /// - Parameters:
  ///   - names: The names of the keys (see `Key.init(name:)`), separated by spaces.
  ///   - label: A word or two for the help line; empty to show the binding only in the help box.
  ///   - others: Further keys with the same meaning, which only the help box shows.
  ///   - help: The meaning in the help box; the label, if it is nil.
  ///   - action: Called when one of the keys is pressed; nil if the view handles it otherwise.
  /// - Precondition: The keys have these names.
  public init(
    _ names: String, _ label: String, also others: String = "", help: String? = nil, action: (() -> Void)? = nil
  ) {
    let (names, all) = (names.split(separator: " "), "\(names) \(others)".split(separator: " "))
    keys = all.map { name in
      guard let key = Key(name: String(name)) else { preconditionFailure("no key has the name '\(name)'") }
      return key
    }
    name = names.map { Self.symbol(of: $0) }.joined(separator: " ")
    fullName = all.map { Self.symbol(of: $0) }.joined(separator: " ")
    (self.label, self.help, self.action) = (label, help ?? label, action)
  }

  /// A binding that every view of a kind has.
  static func common(_ names: String, _ label: String, also others: String = "", help: String? = nil) -> KeyBinding {
    var binding = KeyBinding(names, label, also: others, help: help)
    binding.isCommon = true
    return binding
  }

  private static func symbol(of name: Substring) -> String {
    switch name {
    case "up": "↑"
    case "down": "↓"
    case "left": "←"
    case "right": "→"
    case "pageup": "PgUp"
    case "pagedown": "PgDn"
    default: name.hasPrefix("ctrl-") ? "^\(name.dropFirst(5).uppercased())" : String(name)
    }
  }

  /// True if all keys are characters, which are text where text is typed.
  var isText: Bool {
    keys.allSatisfy {
      if case .character = $0 { true } else { false }
    }
  }
}

/// A help line in the longest form that fits.
package nonisolated enum HelpLineText {
  /// Returns as much help as fits: with labels, then with narrower gaps, then without the last bindings.
  ///
  /// - Parameters:
  ///   - bindings: The keys and their labels, the most important first.
  ///   - last: The bindings that stay on the line, at its end.
  package static func text(
    _ bindings: [(name: String, label: String)], last: [(name: String, label: String)], columns: Int
  ) -> String {
    func line(_ count: Int, _ gap: String, hasLabels: Bool) -> String {
      let all = bindings.prefix(count) + last
      return all.map { hasLabels && !$0.label.isEmpty ? "\($0.name) \($0.label)" : $0.name }.joined(separator: gap)
    }
    for gap in ["   ", "  "] {
      let whole = line(bindings.count, gap, hasLabels: true)
      if TextWidth.columns(of: whole) <= columns { return whole }
    }
    for count in stride(from: bindings.count - 1, through: min(2, bindings.count), by: -1) {
      let most = line(count, "  ", hasLabels: true)
      if TextWidth.columns(of: most) <= columns { return most }
    }
    for count in stride(from: bindings.count, through: 0, by: -1) {
      let short = line(count, " ", hasLabels: false)
      if TextWidth.columns(of: short) <= columns { return short }
    }
    return ""
  }
}
