package import Features
package import Terminal

/// A short notice about the state of the machine.
package nonisolated enum MachineNotice {
  /// Returns the notice, or nil if there is nothing to report.
  package static func words(for state: MachineMonitor.State) -> String? {
    guard let status = state.status else { return nil }
    if status.isShuttingDown { return "this machine is shutting down" }
    return status.sessions == 1 ? "1 session here" : "\(status.sessions) sessions here"
  }

  /// Draws the notice at the right end of a row if there is room for it.
  package static func draw(_ state: MachineMonitor.State, row: Int, after used: Int, on canvas: inout some Canvas) {
    guard let words = words(for: state) else { return }
    let column = canvas.size.columns - TextWidth.columns(of: words)
    guard column > used, row < canvas.size.rows else { return }
    let isUrgent = state.status?.isShuttingDown == true
    canvas.text(row, column, words, isUrgent ? Style(.red, bold: true) : Style(dim: true))
  }
}
