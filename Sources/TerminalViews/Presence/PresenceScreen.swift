internal import ProgramOptions
public import Terminal
public import Wire

/// The clients that are attached to the hub.
public nonisolated struct PresenceScreen {
  /// The attached clients, in the order in which they attached.
  public var attendees: [Attendee]
  /// The selected client.
  public var cursor: ListCursor<Attendee.ID>
  /// True if the hub may have newer state.
  public var isOld: Bool

  /// Creates a screen.
  public init(attendees: [Attendee], cursor: ListCursor<Attendee.ID> = ListCursor(), isOld: Bool = false) {
    (self.attendees, self.cursor, self.isOld) = (attendees, cursor, isOld)
  }

  /// The help line in several lengths, the longest first.
  public static let keys = [
    "↑ ↓ scroll   / search   tab next   ? help   q quit", "↑ ↓ scroll   tab next   ? help   q quit",
    "↑ ↓  tab  ? help  q quit", "↑ ↓ tab ? q", "? q",
  ]

  /// Draws the screen.
  public func draw(in rows: Range<Int>, on canvas: inout some Canvas) {
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
