internal import Journal
internal import SchemaBrowser
internal import TerminalViews
internal import TurnLog

/// The journal of a hub, for the screens of a browser.
final class BrowserJournal {
  private let directory: String
  private let log: ActivityLog
  private var shown: [Activity.ID]?

  /// Opens the journal of a state directory.
  init(_ directory: String) throws {
    self.directory = directory
    log = try ActivityLog(directory)
  }

  /// True if further calls of `newLines` find older actions.
  var hasOlder: Bool { log.hasOlder }

  /// The logged actions, oldest first; nil if they are those of the last call.
  func newLines() throws -> [ActivityLine]? {
    try log.update()
    let ids = log.entries.map(\.id)
    guard ids != shown else { return nil }
    shown = ids
    return log.entries.map { entry in
      ActivityLine(
        id: "\(entry.id.position)/\(entry.id.offset)", time: LocalTime(milliseconds: entry.time).clock, who: entry.who,
        what: entry.what,
        revision: entry.revision)
    }
  }

  /// The details of a logged action.
  func details(of id: String) throws -> [String] {
    let numbers = id.split(separator: "/").compactMap { UInt64($0) }
    guard numbers.count == 2 else { return [] }
    let details = try log.details(of: Activity.ID(numbers[0], Int(clamping: numbers[1])))
    var lines = [
      "action    \(details.action)", "time      \(LocalTime(milliseconds: details.time).full)",
      "revision  \(details.revision)",
    ]
    if let sender = details.sender {
      let process = sender.process > 0 ? ", process \(sender.process)" : ""
      let connection = sender.connection.map { ", connection \($0)" } ?? ""
      lines.append("sender    \(sender.user), \(sender.program)\(process)\(connection)")
    } else {
      lines.append("sender    \(details.senderKind)")
    }
    if details.otherActionCount > 0 { lines.append("together with \(details.otherActionCount) other actions") }
    return lines + [""] + details.changes.map { "\($0.path)  \($0.change)" }
  }

  /// The state before or after an action of the history.
  ///
  /// - Parameters:
  ///   - steps: Below 0 for the last state with a lower revision, otherwise for the next one with a higher one.
  ///   - past: The shown state of the past; nil for the present one.
  /// - Returns: The state; nil for the present one.
  /// - Complexity: O(state + turns since the last snapshot before it).
  func state(after steps: Int, from past: PastState?) throws -> PastState? {
    let reader = try JournalReader(directory)
    let newest = try reader.extent().revision
    let revision = past?.revision ?? newest
    let wanted =
      steps < 0 ? (revision == 0 ? nil : try reader.position(of: revision - 1)) : try reader.position(of: revision)
    guard let wanted else { throw LogError(.trimmed, "the journal does not go back further") }
    let states = try JournalStates(reader, upTo: wanted)
    while states.position < wanted, try states.next() != nil {}
    if steps > 0 { while states.revision <= revision, try states.next() != nil {} }
    guard states.revision < newest else { return nil }
    return PastState(schema: states.schema, value: states.value, revision: states.revision, time: states.time)
  }
}
