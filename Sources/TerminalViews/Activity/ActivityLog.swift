internal import Glibc
internal import Journal
internal import ProgramOptions
package import TurnLog
internal import Wire

/// A logged change of the shared state.
package nonisolated struct Activity: Equatable, Identifiable, Sendable {
  /// The number of the entry, which is higher than those of all earlier ones.
  package var id: UInt64
  /// The revision after it, or after its turn if that of a single action is unknown.
  package var revision: UInt64
  /// The time, formatted for people.
  package var time: String
  /// The user and the program, or the hub.
  package var who: String
  /// The action; a long one is cut.
  package var what: String

  /// Creates an entry.
  package init(id: UInt64, revision: UInt64, time: String, who: String, what: String) {
    (self.id, self.revision, self.time, self.who, self.what) = (id, revision, time, who, what)
  }
}

/// The last actions in the journal of a hub whose state directory this process may read.
package final class ActivityLog {
  /// The maximum number of actions that are kept.
  package nonisolated static let limit = 1000

  /// The actions, oldest first.
  package private(set) var entries: [Activity] = []
  private let directory: String
  private var reader: JournalReader
  private var next: UInt64
  private var lastID: UInt64 = 0

  /// Opens the journal of a state directory.
  package init(_ directory: String) throws(LogError) {
    self.directory = directory
    (reader, next) = try Self.open(directory)
  }

  private static func open(_ directory: String) throws(LogError) -> (JournalReader, next: UInt64) {
    let reader = try JournalReader(directory)
    let extent = try reader.extent()
    return (reader, max(extent.base, extent.tail - min(extent.tail, UInt64(limit))) + 1)
  }

  /// Reads the actions since the last call.
  /// - Complexity: O(actions since then).
  package func update() throws(LogError) {
    if reader.isReplaced {
      (reader, next) = try Self.open(directory)
      entries = []
    }
    let base = try reader.extent().base
    next = max(next, base + 1)
    let turns = try reader.read(from: next, byteLimit: 1 << 20)
    guard let last = turns.last else { return }
    next = last.position + 1
    let schemas = try reader.schemas()
    for turn in turns {
      guard let schema = schemas.last(where: { $0.firstPosition <= turn.position })?.schema else { continue }
      entries += Self.entries(of: turn, schema, after: lastID)
      lastID = entries.last?.id ?? lastID
    }
    if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
  }

  /// Returns the last actions of a turn, numbered from the one after `id`.
  nonisolated static func entries(of turn: LoggedTurn, _ schema: Schema, after id: UInt64) -> [Activity] {
    let actions = turn.decodedActions(schema)
    let time = Self.time(turn.time)
    return actions.enumerated().suffix(limit).enumerated().map { number, item in
      Activity(
        id: id + UInt64(number) + 1, revision: turn.revision(after: item.offset, of: actions.count), time: time,
        who: item.element.sender(user: user),
        what: item.element.value.map { text($0, schema) } ?? LoggedAction.unreadable)
    }
  }

  /// The maximum number of characters that are kept of an action; the rest could not be shown.
  private nonisolated static let textLimit = 1000

  /// Returns the text of an action, as far as it is kept.
  nonisolated static func text(_ action: CBORValue, _ schema: Schema) -> String {
    let text = wholeText(action, schema)
    guard text.utf8.count > textLimit, text.count > textLimit else { return text }
    return text.prefix(textLimit) + "…"
  }

  private nonisolated static func wholeText(_ action: CBORValue, _ schema: Schema) -> String {
    let json = SchemaJSON(schema)
    guard let parts = schema.parts(ofAction: action), let name = schema.name(ofAction: parts.path) else {
      return "\(json.json(of: action, as: schema.action))"
    }
    return ([name] + parts.values.map { "\(json.json(of: $0.value, as: $0.payload.type))" }).joined(separator: " ")
  }

  private nonisolated static func user(_ number: UInt32) -> String { userName(number) ?? "user \(number)" }

  private nonisolated static func time(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
  }
}
