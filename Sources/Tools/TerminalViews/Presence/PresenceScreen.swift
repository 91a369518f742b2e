internal import ProgramOptions
package import Terminal
package import TerminalUI
package import Wire

/// The clients that are attached to the hub.
package nonisolated struct PresenceScreen {
  /// The attached clients, in the order in which they attached.
  package var attendees: [Attendee]
  /// The selected client.
  package var cursor: ListCursor<Attendee.ID>
  /// The process of this terminal, whose line is marked; nil if it is unknown.
  package var ownProcess: Int32?
  /// True if the hub may have newer state.
  package var isOld: Bool
  /// The words to highlight.
  var highlighted: [String] = []

  /// Creates a screen.
  package init(
    attendees: [Attendee], cursor: ListCursor<Attendee.ID> = ListCursor(), ownProcess: Int32? = nil, isOld: Bool = false
  ) {
    (self.attendees, self.cursor, self.ownProcess, self.isOld) = (attendees, cursor, ownProcess, isOld)
  }

  /// The help line in several lengths, the longest first.
  package static let keys = [
    "↑ ↓ choose   enter details   / search   tab next   ? help   q quit", "↑ ↓ choose  enter details  ? help  q quit",
    "↑ ↓ enter  tab  ? help  q quit", "↑ ↓ enter ? q", "? q",
  ]

  /// Draws the screen.
  package func draw(in rows: Range<Int>, on canvas: inout some Canvas) {
    if rows.count >= 4 {
      canvas.text(rows.lowerBound, 0, "\(attendees.count) attached", Style(.yellow, dim: isOld))
    }
    let rows = ListWindow.rows(under: rows)
    // Names are of any length, and several clients may have the same; the processes and users must stay visible.
    let restWidth = attendees.map { TextWidth.columns(of: origin(of: $0)) }.max() ?? 0
    let room = max(canvas.size.columns - 2 - restWidth, 8)
    let width = min(attendees.map { TextWidth.columns(of: $0.name) }.max() ?? 0, room)
    canvas.list(attendees, cursor: cursor.position, in: rows, highlighted: highlighted) { attendee in
      let name = TextWidth.fit(attendee.name.isEmpty ? "?" : attendee.name, columns: width)
      let padding = String(repeating: " ", count: max(width - TextWidth.columns(of: name), 0))
      let style = Style(isOwn(attendee) ? .cyan : .standard, bold: isOwn(attendee), dim: isOld)
      return ListLine(text: "\(name)\(padding)\(origin(of: attendee))", style: style)
    }
  }

  private func isOwn(_ attendee: Attendee) -> Bool { attendee.process == ownProcess }

  private func origin(of attendee: Attendee) -> String {
    "  process \(attendee.process)  user \(Self.user(of: attendee))\(isOwn(attendee) ? ", you" : "")"
  }

  private static func user(of attendee: Attendee) -> String { userName(attendee.user) ?? "\(attendee.user)" }

  /// Returns the text in which a search looks.
  static func searchText(_ attendee: Attendee) -> String {
    "\(attendee.name) process \(attendee.process) user \(user(of: attendee))"
  }

  /// Returns all that is known about a client.
  static func details(_ attendee: Attendee) -> PairsBox {
    var pairs: [(String, String)] = [
      ("name", attendee.name.isEmpty ? "?" : attendee.name), ("process", "\(attendee.process)"),
      ("user", "\(user(of: attendee)) (\(attendee.user))"),
      ("since", attendee.since > 0 ? LocalTime(milliseconds: Int64(clamping: attendee.since)).full : "unknown"),
      ("held", "\(attendee.heldBytes) bytes that it has not read, or the hub has not handled"),
    ]
    for (index, part) in attendee.parts.enumerated() {
      pairs.append((index == 0 ? "attached" : "", name(of: part)))
    }
    let rest = attendee.scopes - min(attendee.scopes, UInt64(attendee.parts.count))
    if attendee.scopes == 0 { pairs.append(("attached", "nothing")) }
    if rest > 0 { pairs.append(("", "and \(rest) more")) }
    return PairsBox(title: "Client", pairs: pairs.map { PairsBox.Pair($0.0, $0.1) }, columnLimit: 70)
  }

  private static func name(of part: AttachedPart) -> String {
    switch StateRoot(rawValue: part.root) {
    case .feature: part.path.isEmpty ? "the whole state" : part.path
    case .hub: "the list of clients"
    case .metrics: "the metrics"
    default: "something that this version does not know"
    }
  }
}
