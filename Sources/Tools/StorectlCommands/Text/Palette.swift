internal import Glibc

/// The colours of human-readable output, or none.
nonisolated struct Palette: Equatable {
  var isOn: Bool

  /// The cases in which colours are used.
  enum Mode: String, CaseIterable {
    case auto, always, never
  }

  init(isOn: Bool) { self.isOn = isOn }

  /// Chooses colours if the output is a terminal, unless NO_COLOR is set.
  init(_ mode: Mode, isTerminal: Bool) {
    switch mode {
    case .always: isOn = true
    case .never: isOn = false
    case .auto:
      let variable = { (name: String) in getenv(name).map { String(cString: $0) } ?? "" }
      isOn = isTerminal && variable("NO_COLOR").isEmpty && !["", "dumb"].contains(variable("TERM"))
    }
  }

  func name(_ text: String) -> String { paint(text, "36") }
  func strong(_ text: String) -> String { paint(text, "1") }
  func faint(_ text: String) -> String { paint(text, "2") }
  func good(_ text: String) -> String { paint(text, "32") }
  func bad(_ text: String) -> String { paint(text, "31") }

  private func paint(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
