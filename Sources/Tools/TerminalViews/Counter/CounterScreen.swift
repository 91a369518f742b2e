internal import ComposableCore
package import Features
package import Terminal
internal import TerminalUI

/// The screen and the keys of the shared counter.
package nonisolated struct CounterScreen {
  /// The counter.
  package var counter: Counter.State
  /// True if the hub may have newer state.
  package var isOld: Bool

  /// Creates a screen.
  package init(counter: Counter.State, isOld: Bool = false) {
    (self.counter, self.isOld) = (counter, isOld)
  }

  /// The help line in several lengths, the longest first.
  package var keys: [String] {
    let (dismiss, d) = counter.factAlert == nil ? ("", "") : ("   d dismiss", " d")
    return [
      "+ up   - down   f fact   t timer\(dismiss)   u undo   tab next   ? help   q quit",
      "+ up  - down  f fact  t timer\(dismiss)  u undo  tab next  ? help  q quit",
      "+ up  - down  f fact  t timer\(dismiss)  u undo  ? help  q quit", "+ - f t\(d)  u undo  tab  ? help  q quit",
      "+ - f t\(d) u  ? help  q quit", "+ - f t\(d) u ? q", "? q",
    ]
  }

  /// Draws the screen. Every part has its own rows, so that nothing jumps when another part changes.
  package func draw(in rows: Range<Int>, on canvas: inout some Canvas) {
    let countRow = max(rows.lowerBound + (rows.count - 2) / 2 - 2, rows.lowerBound)
    let factRow = min(countRow + 3, max(rows.upperBound - 1, countRow + 1))
    canvas.centered(countRow, "\(counter.count)", Style(.cyan, bold: true, dim: isOld))
    let timer = counter.isTimerOn ? "the timer counts every second" : ""
    if rows.contains(countRow + 1) { canvas.centered(countRow + 1, timer, Style(.yellow, dim: isOld)) }
    let text = counter.isLoadingFact ? "loading a fact …" : counter.numberFact ?? ""
    canvas.paragraph(text, in: factRow..<max(rows.upperBound, factRow), Style(dim: isOld || counter.isLoadingFact))
    if let alert = counter.factAlert {
      let dialog = AlertState<Never>(title: { TextState("No fact") }, message: { TextState(alert.title) })
      Dialog(dialog).draw(nil, in: rows, on: &canvas)
    }
  }

  /// Returns the action of a key, if any.
  package func action(for key: Key) -> Counter.Action? {
    switch key {
    case .character("+"), .character("="), .up: .incrementButtonTapped
    case .character("-"), .down: .decrementButtonTapped
    case .character("f"): .numberFactButtonTapped
    case .character("t"): .toggleTimerButtonTapped
    case .character("d"), .escape: counter.factAlert == nil ? nil : .factAlertDismissed
    default: nil
    }
  }
}
