import ComposableCore
package import Features
package import Terminal
internal import TerminalUI

/// The favourite numbers: the current number, and over it a fact, an error or the list of favourites.
package nonisolated struct FavouritesScreen {
  /// The shared state.
  package var state: FavouriteNumbers.State
  /// The part of the view that is not shared.
  package var panel: FavouritesPanel
  /// True if the hub may have newer state.
  package var isOld: Bool
  /// The words to highlight.
  var highlighted: [String] = []

  /// Creates a screen.
  package init(state: FavouriteNumbers.State, panel: FavouritesPanel, isOld: Bool = false) {
    (self.state, self.panel, self.isOld) = (state, panel, isOld)
  }

  /// The help line in several lengths, the longest first.
  package var keys: [String] {
    switch state.destination {
    case nil:
      [
        "+ up   - down   space toggle favourite   f fact   l list   u undo   tab next   ? help   q quit",
        "+ up  - down  space favourite  f fact  l list  u undo  ? help  q quit",
        "+ - space f fact l list u undo ? help q quit", "+ - spc f l u tab ? help q quit", "+ - spc f l u ? q", "? q",
      ]
    case .alert(let alert):
      [
        Dialog(alert, heading: "Fact").hint(panel.choice(in: alert)) + "   tab next   q quit",
        Dialog(alert, heading: "Fact").hint(panel.choice(in: alert)),
        "enter  esc  q quit",
      ]
    case .favourites:
      [
        "↑ ↓ choose   enter go there   d delete   esc back   u undo   tab next   ? help   q quit",
        "↑ ↓ choose  enter go there  d delete  esc back  u undo  ? help  q quit",
        "↑ ↓ choose enter go d delete esc back u undo ? help q quit", "↑ ↓ enter d esc u  ? help  q quit",
        "↑ ↓ ⏎ d esc u ? q", "? q",
      ]
    }
  }

  /// Draws the screen.
  package func draw(in rows: Range<Int>, on canvas: inout some Canvas) {
    switch state.destination {
    case nil: drawNumber(in: rows, on: &canvas)
    case .favourites(let list): draw(list, in: rows, on: &canvas)
    case .alert(let alert):
      drawNumber(in: rows, on: &canvas)
      Dialog(alert, heading: "Fact").draw(panel.choice(in: alert), in: rows, on: &canvas)
    }
  }

  private func drawNumber(in rows: Range<Int>, on canvas: inout some Canvas) {
    let row = max(rows.lowerBound + (rows.count - 2) / 2 - 2, rows.lowerBound)
    canvas.centered(row, "\(state.count)", Style(.cyan, bold: true, dim: isOld))
    let standing = state.isFavourite ? "★ favourite" : "not a favourite"
    if rows.contains(row + 1) {
      canvas.centered(
        row + 1, standing, Style(state.isFavourite ? .yellow : .standard, dim: isOld || !state.isFavourite))
    }
    let numbers = state.favourites.map { "\($0.number)" }.joined(separator: ", ")
    let text = state.isLoadingFact ? "loading a fact …" : numbers.isEmpty ? "" : "favourites: \(numbers)"
    canvas.paragraph(text, in: (row + 3)..<max(rows.upperBound, row + 3), Style(dim: true))
  }

  private func draw(_ list: FavouriteList.State, in rows: Range<Int>, on canvas: inout some Canvas) {
    if rows.count >= 4 {
      let count = list.favourites.count
      canvas.text(rows.lowerBound, 0, count == 1 ? "1 favourite" : "\(count) favourites", Style(.yellow, dim: isOld))
    }
    let rows = ListWindow.rows(under: rows)
    guard !list.favourites.isEmpty else {
      if let row = rows.first { canvas.text(row, 0, "no favourites yet", Style(dim: true)) }
      return
    }
    canvas.list(list.favourites, cursor: panel.cursor.position, in: rows, highlighted: highlighted) {
      ListLine(text: "\($0.number)", style: Style(dim: isOld))
    }
  }
}
