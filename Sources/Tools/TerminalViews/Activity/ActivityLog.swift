internal import JSONText
internal import Journal
internal import ProgramOptions
internal import SchemaNames
package import TurnLog
internal import Wire

/// A logged change of the shared state.
package nonisolated struct Activity: Equatable, Identifiable, Sendable {
  /// The place of the entry in the journal; it is higher than those of all earlier ones.
  package struct ID: Hashable, Comparable, Sendable {
    /// The position of the turn.
    package var position: UInt64
    /// The offset of the action in the turn.
    package var offset: Int

    /// Creates the id of an action of a turn.
    package init(_ position: UInt64, _ offset: Int = 0) { (self.position, self.offset) = (position, offset) }

    package static func < (a: Self, b: Self) -> Bool { (a.position, a.offset) < (b.position, b.offset) }
  }

  package var id: ID
  /// The revision after it, or after its turn if that of a single action is unknown.
  package var revision: UInt64
  /// The time, in milliseconds since 1970.
  package var time: Int64
  /// The user and the program, or the hub.
  package var who: String
  /// The name of the action, such as `todos.addButtonTapped`.
  package var name: String
  /// The action with its values; a long one is cut.
  package var what: String

  /// Creates an entry.
  package init(id: ID, revision: UInt64, time: Int64, who: String, name: String, what: String) {
    (self.id, self.revision, self.time, self.who, self.name, self.what) = (id, revision, time, who, name, what)
  }
}

/// The last actions in the journal of a hub whose state directory this process may read, or the last ones that match a
/// filter.
package final class ActivityLog {
  /// The maximum number of actions that are kept.
  package nonisolated static let limit = 1000
  /// The maximum number of turns that are searched for them.
  private nonisolated static let scanLimit: UInt64 = 20_000
  /// The number of old turns that one update reads, so that the screen does not wait for all of them.
  private nonisolated static let chunk: UInt64 = 50

  /// The matching actions, oldest first.
  package private(set) var entries: [Activity] = []
  /// The number of actions that were compared with the filter.
  package private(set) var examinedCount = 0
  /// The revision after the last turn that was read.
  package private(set) var revision: UInt64
  private let directory: String
  private var reader: JournalReader
  private var filter = ActionFilter()
  /// The positions of the turns that were read.
  private var known: Range<UInt64>
  private var base: UInt64

  /// Opens the journal of a state directory. Nothing is read before the first update.
  package init(_ directory: String) throws(LogError) {
    self.directory = directory
    reader = try JournalReader(directory)
    let extent = try reader.extent()
    (base, known, revision) = (extent.base, (extent.tail + 1)..<(extent.tail + 1), extent.revision)
  }

  /// True if further updates will find older actions.
  package var hasOlder: Bool {
    entries.count < Self.limit && known.lowerBound > base + 1 && UInt64(known.count) < Self.scanLimit
  }

  /// Reads the actions since the last call, and some of the older ones while there are fewer than `limit`.
  ///
  /// - Parameter filter: The actions to keep. With another filter than before, the list begins anew.
  /// - Complexity: O(new actions + a constant number of old turns).
  package func update(_ filter: ActionFilter = ActionFilter()) throws(LogError) {
    var isNew = filter != self.filter
    if reader.isReplaced {
      reader = try JournalReader(directory)
      isNew = true
    }
    let extent = try reader.extent()
    if isNew {
      (self.filter, entries, examinedCount) = (filter, [], 0)
      (known, revision) = ((extent.tail + 1)..<(extent.tail + 1), extent.revision)
    }
    base = extent.base
    // Old turns may have been removed meanwhile.
    known = known.clamped(to: (base + 1)..<max(known.upperBound, base + 2))
    try readNew()
    if hasOlder { try readOld() }
  }

  private func readNew() throws(LogError) {
    let turns = try reader.read(from: known.upperBound, byteLimit: 1 << 20)
    guard let last = turns.last else { return }
    entries += try matches(turns)
    (known, revision) = (known.lowerBound..<(last.position + 1), last.revision)
    if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
  }

  private func readOld() throws(LogError) {
    let end = known.lowerBound
    let start = max(base + 1, end - min(Self.chunk, end))
    var turns: [LoggedTurn] = []
    while start + UInt64(turns.count) < end {
      let more = try reader.read(from: start + UInt64(turns.count), byteLimit: 1 << 20)
      if more.isEmpty { break }
      turns += more.prefix { $0.position < end }
    }
    let found = try matches(turns)
    entries.insert(contentsOf: found.suffix(Self.limit - entries.count), at: 0)
    known = start..<known.upperBound
  }

  private func matches(_ turns: [LoggedTurn]) throws(LogError) -> [Activity] {
    let schemas = try reader.schemas()
    return turns.flatMap { turn -> [Activity] in
      guard let schema = schemas.last(where: { $0.firstPosition <= turn.position })?.schema else { return [] }
      let entries = Self.entries(of: turn, schema)
      examinedCount += entries.count
      return filter.isEmpty ? entries : entries.filter { filter.matches([$0.who, $0.what]) }
    }
  }

  /// Returns the last actions of a turn.
  nonisolated static func entries(of turn: LoggedTurn, _ schema: Schema) -> [Activity] {
    let actions = turn.decodedActions(schema)
    return actions.enumerated().suffix(limit).map { offset, action in
      Activity(
        id: Activity.ID(turn.position, offset), revision: turn.revision(after: offset, of: actions.count),
        time: turn.time, who: action.sender(user: user),
        name: action.value.flatMap { schema.parts(ofAction: $0) }.flatMap { schema.name(ofAction: $0.path) } ?? "",
        what: action.value.map { text($0, schema) } ?? LoggedAction.unreadable)
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
    if let change = schema.changeText(of: parts.values, name: name) { return change }
    return ([name] + parts.values.map { "\(json.json(of: $0.value, as: $0.payload.type))" }).joined(separator: " ")
  }

  private nonisolated static func user(_ number: UInt32) -> String { userName(number) ?? "user \(number)" }

  // MARK: Details

  /// Returns an action with its sender, its time, and the changes of its turn.
  package func details(of id: Activity.ID) throws(LogError) -> ActivityDetails {
    guard let turn = try reader.read(from: id.position, byteLimit: 1).first,
      let schema = try reader.schemas().last(where: { $0.firstPosition <= id.position })?.schema
    else { throw LogError(.trimmed, "the journal has no turn \(id.position) any more") }
    let actions = turn.decodedActions(schema)
    var details = ActivityDetails(time: turn.time, revision: turn.revision(after: id.offset, of: actions.count))
    if actions.indices.contains(id.offset) {
      let action = actions[id.offset]
      details.action = action.value.map { Self.text($0, schema) } ?? LoggedAction.unreadable
      if action.isOfHub { details.senderKind = action.sender(user: Self.user) }
      if let session = action.session {
        details.sender = ActivityDetails.Sender(
          user: session.userName.isEmpty ? Self.user(session.user) : session.userName, program: session.name,
          process: session.process, connection: action.connection)
      }
    }
    details.otherActionCount = actions.count - 1
    details.changes = try TurnChanges(reader).texts(of: turn)
    return details
  }
}
