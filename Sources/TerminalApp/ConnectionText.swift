/// The connection to a hub as the first line of a screen shows it.
package nonisolated struct ConnectionText {
  /// The name of the program or the hub.
  package var name: String
  package var path: String
  package var connection: ConnectionState
  /// The reason with which the hub has ended the connection, if it has.
  package var goodbye: String?
  /// The time since which the state of a connected hub may be stale; nil if it is current.
  package var hubStaleSince: Duration?
  /// The number of actions that the hub has not acknowledged for some time.
  package var pendingCount = 0
  package var now: Duration

  package init(_ name: String, path: String, connection: ConnectionState, now: Duration) {
    (self.name, self.path, self.connection, self.now) = (name, path, connection, now)
  }

  /// Draws the line.
  package func draw(_ row: Int, on canvas: inout some Canvas) {
    let (words, short, style) = status
    let columns = canvas.size.columns
    // On a narrow terminal the connection is more important than the path and the name.
    let parts: [(String, Style)] = [(name + "  ", Style(bold: true)), (path + "  ", Style(dim: true)), (words, style)]
    let forms = [parts, [parts[0], parts[2]], [parts[2]], [parts[0], (short, style)], [(short, style)]]
    func width(_ form: [(String, Style)]) -> Int { form.reduce(0) { $0 + TextWidth.columns(of: $1.0) } }
    var column = 0
    for (text, style) in forms.first(where: { width($0) <= columns }) ?? [(words, style)] {
      canvas.text(row, column, text, style)
      column += TextWidth.columns(of: text)
    }
  }

  /// The state of the connection, in a long and a short form.
  private var status: (words: String, short: String, style: Style) {
    switch connection {
    case .connecting(let attempt, _) where attempt <= 1:
      return ("connecting …", "connecting", Style(.yellow))
    case .connecting(let attempt, _):
      // A hub may be there that does not answer.
      return ("not connected, attempt \(attempt)", "not connected", Style(.yellow))
    case .live:
      let pending = pendingCount > 0 ? ", \(pendingCount) pending" : ""
      if let hubStaleSince {
        let age = max((now - hubStaleSince).components.seconds, 0)
        return (
          "hub waits for its cluster, this may be \(age) s old\(pending)", "hub waits \(age) s",
          Style(.yellow, bold: true)
        )
      }
      return ("live\(pending)", "live\(pending)", Style(pendingCount > 0 ? .yellow : .green, bold: true))
    case .stale(let since, let attempt, _):
      let age = max((now - since).components.seconds, 0)
      let attempts = attempt > 1 ? ", attempt \(attempt)" : ""
      let pending = pendingCount > 0 ? ", \(pendingCount) pending" : ""
      if goodbye != nil {
        // On purpose, so that there is nothing to worry about.
        return (
          "hub stopped, this is \(age) s old\(pending); waiting for it\(attempts)", "hub stopped \(age) s",
          Style(.yellow, bold: true)
        )
      }
      return (
        "hub away, this is \(age) s old\(pending); reconnecting\(attempts)", "hub away \(age) s",
        Style(.red, bold: true)
      )
    case .refused(let reason):
      return ("refused: \(reason)", "refused", Style(.red, bold: true))
    case .closed:
      return ("closed", "closed", Style(dim: true))
    }
  }
}
