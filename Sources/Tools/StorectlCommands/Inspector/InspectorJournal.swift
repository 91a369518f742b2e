internal import EventLoop
internal import JSONText
internal import Journal
internal import SchemaNames
internal import TurnLog
internal import Wire

/// The history of a hub for the inspector: turns, and the state after each of them. It is fast for nearby turns.
final class InspectorJournal {
  /// A state of the history.
  struct Past {
    let position: UInt64
    let revision: UInt64
    let time: Int64
    let schema: Schema
    let value: CBORValue
  }

  let directory: String
  private let breaks: LoopBreaks
  private var reader: JournalReader
  private(set) var extent: JournalReader.Extent
  /// The first revision of the journal.
  private(set) var firstRevision: UInt64 = 0
  /// The reason why the last attempt to read the journal failed.
  private(set) var problem: String?
  /// The walk to the last requested state. A later state nearby is reached from there.
  private var walk: JournalStates?
  /// The last states of the walks, for stepping back and forth.
  private var kept: [Past] = []
  private static let keptCount: UInt64 = 64
  private static let keptBytes = 128 << 20
  /// The maximum number of actions shown for a turn.
  static let actionLimit = 20
  /// The maximum number of turns examined for one answer.
  private static let scanLimit = 4000

  init(_ directory: String, loop: EventLoop) throws(ToolFailure) {
    (self.directory, breaks) = (directory, LoopBreaks(loop))
    (reader, extent) = try Self.open(directory)
    try findBeginning()
  }

  private func findBeginning() throws(ToolFailure) {
    firstRevision = try JournalStates.attempt { () throws(LogError) in try reader.snapshots().first?.revision ?? 0 }
  }

  private static func open(_ directory: String) throws(ToolFailure) -> (JournalReader, JournalReader.Extent) {
    try JournalStates.attempt { () throws(LogError) in
      let reader = try JournalReader(directory)
      return (reader, try reader.extent())
    }
  }

  /// Reads the extent of the journal again; returns true if it has changed.
  func refresh() -> Bool {
    let before = (extent, problem)
    do throws(ToolFailure) {
      // After a problem, the directory may contain another journal.
      if problem != nil || reader.isReplaced {
        (walk, kept) = (nil, [])
        (reader, extent) = try Self.open(directory)
      }
      extent = try JournalStates.attempt { () throws(LogError) in try reader.extent() }
      if extent.base != before.0.base || problem != nil { try findBeginning() }
      problem = nil
    } catch {
      problem = error.reason
    }
    if extent.epoch != before.0.epoch { (walk, kept) = (nil, []) }
    return (extent, problem) != before
  }

  // MARK: States

  /// The state after a turn.
  ///
  /// - Complexity: O(turns since the last requested state or the last snapshot before the turn). The loop continues
  ///   meanwhile. Calls must not overlap.
  func state(at position: UInt64) async throws(ToolFailure) -> Past {
    if let past = kept.last(where: { $0.position == position }) { return past }
    let place = try JournalStates.attempt { () throws(LogError) in try reader.snapshots() }
      .last { $0.position <= position }
    if let walk, walk.position <= position, walk.position >= place?.position ?? 0 {
      // The walk continues.
    } else {
      walk = try JournalStates.begin(reader, upTo: place?.position ?? position)
    }
    guard let walk else { preconditionFailure("a walk was begun") }
    while walk.position < position {
      guard try walk.advance() != nil else { throw ToolFailure(.absent, "the journal ends before turn \(position)") }
      if walk.position + Self.keptCount > position { keep(past(walk)) }
      await breaks.takeIfDue()
    }
    let found = past(walk)
    keep(found)
    return found
  }

  private func past(_ walk: JournalStates) -> Past {
    Past(
      position: walk.position, revision: walk.revision, time: walk.time, schema: walk.schema, value: walk.value)
  }

  private func keep(_ past: Past) {
    kept.removeAll { $0.position == past.position }
    kept.append(past)
    // States share equal elements, but not the plain lists that contain them.
    let weight = max(past.value.plainListBytes, 1)
    let count = min(Self.keptCount, UInt64(Self.keptBytes / weight))
    if kept.count > max(count, 2) { kept.removeFirst(kept.count - Int(max(count, 2))) }
  }

  /// Returns the position of the turn that contains a revision or ends with it.
  func position(of revision: UInt64) throws(ToolFailure) -> UInt64 {
    guard revision <= extent.revision else {
      throw ToolFailure(.absent, "there is no revision \(revision) yet: the last one is \(extent.revision)")
    }
    let position = try JournalStates.attempt { () throws(LogError) in try reader.position(of: revision) }
    guard let position else { throw ToolFailure(.absent, "the journal does not go back to revision \(revision)") }
    guard position < extent.tail else { return position }
    let turns = try read(from: position + 1, upTo: position + 1)
    // The actions of one turn take effect together.
    if let next = turns.first, next.baseRevision < revision { return next.position }
    return position
  }

  /// Returns the state at a revision, or at the end of its turn if the revision is inside a turn.
  func state(atRevision revision: UInt64) async throws(ToolFailure) -> Past {
    try await state(at: position(of: revision))
  }

  /// Returns the last position before a time, in milliseconds since 1970.
  func position(at time: Int64) throws(ToolFailure) -> UInt64 {
    try JournalStates.attempt { () throws(LogError) in try reader.position(at: time) }
  }

  // MARK: Turns

  private func read(from first: UInt64, upTo last: UInt64) throws(ToolFailure) -> [LoggedTurn] {
    var turns: [LoggedTurn] = []
    while first + UInt64(turns.count) <= last {
      let next = first + UInt64(turns.count)
      let more = try JournalStates.attempt { () throws(LogError) in try reader.read(from: next, byteLimit: 1 << 20) }
      if more.isEmpty { break }
      turns += more.prefix { $0.position <= last }
      if more.last.map({ $0.position > last }) == true { break }
    }
    return turns
  }

  private func schema(at position: UInt64) throws(ToolFailure) -> Schema {
    let schemas = try JournalStates.attempt { () throws(LogError) in try reader.schemas() }
    guard let schema = (schemas.last { $0.firstPosition <= position } ?? schemas.first)?.schema else {
      throw ToolFailure(.absent, "the journal has no schema")
    }
    return schema
  }

  /// Returns the turns before a position, newest first, with the actions that match a filter (`ActionFilter`); turns
  /// without any are left out. The words may be in an action, its client or its user.
  ///
  /// The loop continues meanwhile.
  func turns(before: UInt64?, count: Int, filter: String) async throws(ToolFailure) -> JSONValue {
    var next = min(before ?? .max, extent.tail &+ 1)
    var (found, scanned): ([JSONValue], Int) = ([], 0)
    let filter = ActionFilter(filter)
    var schema: (value: Schema, from: UInt64)?
    while found.count < count, next > extent.base + 1, scanned < Self.scanLimit {
      let first = max(extent.base + 1, next > 100 ? next - 100 : 1)
      for turn in try read(from: first, upTo: next - 1).reversed() {
        next = turn.position
        scanned += 1
        await breaks.takeIfDue()
        guard !turn.isEmpty else { continue }
        if schema == nil || schema?.from ?? 0 > turn.position {
          let changes = try JournalStates.attempt { () throws(LogError) in try reader.schemas() }
          let from = changes.last { $0.firstPosition <= turn.position }?.firstPosition ?? 0
          schema = (try self.schema(at: turn.position), from)
        }
        guard let schema else { continue }
        let text = TurnJSON(schema: schema.value)
        guard let actions = await actions(of: turn, text, matching: filter) else { continue }
        found.append(text.json(turn, actions.map { $0.json(isWhole: false) }, changes: nil))
        if found.count == count { break }
      }
      // The turns there may have been removed meanwhile.
      if found.count < count { next = first }
    }
    return ["turns": .array(found), "next": .integer(next), "isEnd": .bool(next <= extent.base + 1)]
  }

  /// Returns the first actions of a turn that match a filter, or nil if there are none.
  ///
  /// All actions are searched, whatever their number and length. Only those that are returned are made into lines.
  private func actions(of turn: LoggedTurn, _ text: TurnJSON, matching filter: ActionFilter) async -> [TurnJSON.Action]?
  {
    guard !filter.isEmpty else { return text.actions(turn, limit: Self.actionLimit) }
    var found: [TurnJSON.Action] = []
    for action in turn.decodedActions(text.schema) {
      await breaks.takeIfDue()
      guard text.matches(action, filter) else { continue }
      found.append(text.action(action))
      if found.count == Self.actionLimit { break }
    }
    return found.isEmpty ? nil : found
  }

  /// Returns a turn with its actions and the changes that they made.
  ///
  /// - Parameter step: 1 for the next turn, -1 for the previous turn, 0 for the turn itself. Turns that changed only
  ///   sessions are skipped; 0 skips backwards.
  func turn(at position: UInt64, step: Int) async throws(ToolFailure) -> JSONValue {
    let turn = try await self.turn(from: position, step)
    let before = try await state(at: turn.position - 1)
    let after = try await state(at: turn.position)
    let value = try JournalStates.converted(before.value, from: before.schema, to: after.schema)
    let changes = InspectorText(after.schema).changes(from: value, to: after.value, as: after.schema.state)
    let text = TurnJSON(schema: after.schema)
    let actions = text.actions(turn, limit: Self.actionLimit * 10)
    return text.json(turn, actions.map { $0.json(isWhole: true) }, changes: changes)
  }

  private func turn(from position: UInt64, _ step: Int) async throws(ToolFailure) -> LoggedTurn {
    var next = step > 0 ? position &+ 1 : step < 0 ? position &- 1 : position
    while next > extent.base, next <= extent.tail {
      let first = step > 0 ? next : max(extent.base + 1, next > 100 ? next - 100 : 1)
      let turns = try read(from: first, upTo: step > 0 ? min(next + 100, extent.tail) : next)
      let found = step > 0 ? turns.first { !$0.isEmpty } : turns.last { !$0.isEmpty }
      if let found { return found }
      guard !turns.isEmpty else { break }
      await breaks.takeIfDue()
      next = step > 0 ? next + UInt64(turns.count) : first - 1
    }
    throw ToolFailure(.absent, "the journal has no turn there")
  }

  /// Returns the differences between two revisions.
  func difference(from old: UInt64, to new: UInt64) async throws(ToolFailure) -> JSONValue {
    let (before, after) = (try await state(atRevision: old), try await state(atRevision: new))
    let value = try JournalStates.converted(before.value, from: before.schema, to: after.schema)
    return [
      "from": .integer(before.revision), "to": .integer(after.revision), "time": .integer(after.time),
      "changes": InspectorText(after.schema).changes(from: value, to: after.value, as: after.schema.state),
    ]
  }
}

extension LoggedTurn {
  /// True if only sessions changed.
  fileprivate nonisolated var isEmpty: Bool { baseRevision == revision && delta.isEmpty }
}

/// The turns as JSON for the inspector's page.
private struct TurnJSON {
  let schema: Schema

  struct Action {
    let name: String
    let values: String
    let whole: () -> String
    let client: String
    let user: String

    func json(isWhole: Bool) -> JSONValue {
      var members: [JSONValue.Member] = [
        .init("name", .string(name)), .init("values", .string(values)), .init("client", .string(client)),
        .init("user", .string(user)),
      ]
      if isWhole { members.append(.init("whole", .string(whole()))) }
      return .object(members)
    }
  }

  func actions(_ turn: LoggedTurn, limit: Int) -> [Action] {
    turn.decodedActions(schema, limit: limit).map { action($0) }
  }

  func action(_ action: LoggedAction) -> Action {
    let text = InspectorText(schema)
    let (client, user) = sender(action)
    guard let value = action.value else {
      return Action(
        name: LoggedAction.unreadable, values: "", whole: { "" }, client: client, user: user)
    }
    let whole = { String(self.whole(value).prefix(20_000)) }
    guard let parts = schema.parts(ofAction: value), let name = schema.name(ofAction: parts.path) else {
      return Action(
        name: text.line(value, schema.action, room: 80), values: "", whole: whole, client: client, user: user)
    }
    let change = schema.changeText(of: parts.values, name: name, limit: 4) { text.line($0, $1, room: 80) }
    if let change { return Action(name: name, values: change, whole: whole, client: client, user: user) }
    let values = parts.values.map { item in
      let label = item.payload.label.isEmpty || parts.values.count == 1 ? "" : "\(item.payload.label): "
      return label + text.line(item.value, item.payload.type, room: 80)
    }
    return Action(
      name: name, values: values.joined(separator: ", "), whole: whole, client: client, user: user)
  }

  /// Returns true if an action and its sender match a filter, also where the action's line is cut.
  func matches(_ action: LoggedAction, _ filter: ActionFilter) -> Bool {
    let shown = self.action(action)
    let whole = action.value.map { self.whole($0) } ?? ""
    return filter.matches([shown.name, shown.values, shown.client, shown.user, whole])
  }

  private func whole(_ action: CBORValue) -> String { "\(SchemaJSON(schema).json(of: action, as: schema.action))" }

  private func sender(_ action: LoggedAction) -> (client: String, user: String) {
    switch action.origin {
    case .hub: return ("the hub", "")
    case .effect: return ("an effect", "")
    case .session:
      guard let session = action.session else { return ("a client", "") }
      return (session.name, session.userName.isEmpty ? Users.name(session.user) : session.userName)
    }
  }

  func json(_ turn: LoggedTurn, _ actions: [JSONValue], changes: JSONValue?) -> JSONValue {
    [
      "position": .integer(turn.position), "revision": .integer(turn.revision), "from": .integer(turn.baseRevision),
      "time": .integer(turn.time), "actions": .array(actions), "changes": changes ?? .null,
    ]
  }
}
