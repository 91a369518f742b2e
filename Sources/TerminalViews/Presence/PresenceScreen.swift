internal import ProgramOptions
package import Terminal
package import Wire

/// The clients that are attached to the hub.
package nonisolated struct PresenceScreen {
  /// The attached clients, in the order in which they attached.
  package var attendees: [Attendee]
  /// The selected client.
  package var cursor: ListCursor<Attendee.ID>
  /// True if the hub may have newer state.
  package var isOld: Bool

  /// Creates a screen.
  package init(attendees: [Attendee], cursor: ListCursor<Attendee.ID> = ListCursor(), isOld: Bool = false) {
    (self.attendees, self.cursor, self.isOld) = (attendees, cursor, isOld)
  }

  /// The help line in several lengths, the longest first.
  package static let keys = [
    "↑ ↓ scroll   / search   tab next   ? help   q quit", "↑ ↓ scroll   tab next   ? help   q quit",
    "↑ ↓  tab  ? help  q quit", "↑ ↓ tab ? q", "? q",
  ]

  /// Draws the screen.
  package func draw(in rows: Range<Int>, on canvas: inout some Canvas) {
    if rows.count >= 4 {
      canvas.text(rows.lowerBound, 0, "\(attendees.count) attached", Style(.yellow, dim: isOld))
    }
    let rows = ListWindow.rows(under: rows)
    // Names are of any length, and several clients may have the same; the processes and users must stay visible.
    let restWidth = attendees.map { TextWidth.columns(of: Self.origin(of: $0)) }.max() ?? 0
    let room = max(canvas.size.columns - 2 - restWidth, 8)
    let width = min(attendees.map { TextWidth.columns(of: $0.name) }.max() ?? 0, room)
    canvas.list(attendees, cursor: cursor.position, in: rows) { attendee in
      let name = TextWidth.fit(attendee.name.isEmpty ? "?" : attendee.name, columns: width)
      let padding = String(repeating: " ", count: max(width - TextWidth.columns(of: name), 0))
      return ("\(name)\(padding)\(Self.origin(of: attendee))", Style(dim: isOld))
    }
  }

  private static func origin(of attendee: Attendee) -> String {
    "  process \(attendee.process)  user \(userName(attendee.user) ?? "\(attendee.user)")"
  }
}
