internal import FoundationEssentials
internal import Glibc
internal import Senders
internal import TurnLog
internal import Wire

/// The turns of an exported journal: the lines of `storectl journal export`.
///
/// Only an export for replays has the state before the first turn and the complete ids of sessions. Others, and those of
/// earlier versions, are replayed from the initial state of the program.
nonisolated final class ExportSource: ReplaySource {
  let tail: UInt64?
  let schemas: [(first: UInt64, schema: Schema)]
  let notes: [String]
  private let lines: LineFile
  private let first: ReplayedState?
  /// The position of the last turn that was read; nil before the first.
  private var position: UInt64?
  /// The first turn, if it was read before the others.
  private var next: LoggedTurn?
  private let decoder = JSONDecoder()

  /// The number of turns that are read at once.
  private static let batchCount = 1000

  init(_ path: String) throws(ExportError) {
    let lines = try LineFile(path)
    self.lines = lines
    guard let line = try lines.next() else { throw lines.error("is empty; write it with `\(Self.command)`") }
    let header: History = try lines.decode(line, JSONDecoder())
    guard (header.format ?? 1) <= 2 else {
      throw lines.error("has format \(header.format ?? 1), and this program reads formats 1 and 2; use a newer one")
    }
    var schemas: [(first: UInt64, schema: Schema)] = []
    for entry in header.schemas {
      let bytes = [UInt8](hexadecimal: entry.schema)
      guard let bytes, let schema = try? Schema(decoding: bytes.span.bytes) else {
        throw lines.error("line 1 has a schema that cannot be read")
      }
      schemas.append((entry.firstPosition, schema))
    }
    first = try header.state.map { state throws(ExportError) in
      guard let bytes = [UInt8](hexadecimal: state.bytes),
        let schema = schemas.first(where: { "\($0.schema.fingerprint)" == state.fingerprint })?.schema
      else { throw lines.error("line 1 has a state that cannot be read") }
      return ReplayedState(position: state.position, revision: state.revision, schema: schema, bytes: bytes)
    }
    (self.schemas, tail) = (schemas, header.position)
    notes =
      header.replayable == true
      ? []
      : [
        """
        \(path) has no complete ids of sessions\(header.format == nil ? " and no random numbers of effects" : ""), so \
        random numbers and numbers of sessions that the reducer reads are not those of the hub, and may show as \
        differences; write it with `\(Self.command)`
        """
      ]
  }

  private static let command = "storectl journal export --replayable"

  func state(upTo revision: UInt64?) throws -> ReplayedState? {
    if let first {
      guard revision ?? first.revision >= first.revision else {
        throw lines.error("begins with revision \(first.revision); begin later than \(revision ?? 0)")
      }
      return first
    }
    next = try readTurn()
    guard let next, next.position > 1 || next.baseRevision > 0 else { return nil }
    throw lines.error(
      "begins with revision \(next.baseRevision) and has no state for it; write it with `\(Self.command)`")
  }

  func turns(after position: UInt64) throws -> [LoggedTurn] {
    var turns: [LoggedTurn] = []
    while turns.count < Self.batchCount, let turn = try next.take() ?? readTurn() {
      if turn.position > position { turns.append(turn) }
    }
    return turns
  }

  /// Reads the next turn; returns nil after the last one.
  private func readTurn() throws(ExportError) -> LoggedTurn? {
    guard let line = try lines.next(), !line.starts(with: #"{"session":"#.utf8) else {
      // Also a line of a session follows the last turn.
      if let tail, (position ?? tail) < tail {
        throw lines.error("ends with turn \(position ?? 0) of \(tail); export the journal again")
      }
      return nil
    }
    let turn = try LoggedTurn(try lines.decode(line, decoder) as Turn, in: lines)
    guard turn.position == (position ?? turn.position - 1) + 1 else {
      throw lines.error("line \(lines.number) has turn \(turn.position), but turn \((position ?? 0) + 1) belongs there")
    }
    position = turn.position
    return turn
  }
}

/// An exported journal that cannot be read.
nonisolated struct ExportError: Error, CustomStringConvertible {
  /// The file, the problem, and the remedy.
  let description: String
}

/// The lines of a file.
nonisolated private final class LineFile {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>
  private var buffer: UnsafeMutablePointer<CChar>?
  private var capacity = 0
  /// The number of the last line.
  private(set) var number = 0

  init(_ path: String) throws(ExportError) {
    guard let file = fopen(path, "re") else {
      throw ExportError(description: "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    (self.path, self.file) = (path, file)
  }

  deinit {
    free(buffer)
    fclose(file)
  }

  /// Returns the next line; nil at the end.
  func next() throws(ExportError) -> Data? {
    let count = getline(&buffer, &capacity, file)
    guard count > 0, let buffer else {
      if ferror(file) != 0 { throw error("cannot be read: \(String(cString: strerror(errno)))") }
      return nil
    }
    number += 1
    return Data(bytes: buffer, count: count)
  }

  func decode<Line: Decodable>(_ line: Data, _ decoder: JSONDecoder) throws(ExportError) -> Line {
    do { return try decoder.decode(Line.self, from: line) } catch {
      throw self.error("line \(number) is not a line of an exported journal")
    }
  }

  func error(_ problem: String) -> ExportError { ExportError(description: "\(path) \(problem)") }
}

// MARK: Lines

nonisolated private struct History: Decodable {
  struct SchemaChange: Decodable {
    let firstPosition: UInt64
    let schema: String

    enum CodingKeys: String, CodingKey { case firstPosition = "first_position", schema }
  }

  struct State: Decodable {
    let position: UInt64
    let revision: UInt64
    let fingerprint: String
    let bytes: String
  }

  let schemas: [SchemaChange]
  let format: Int?
  let position: UInt64?
  let replayable: Bool?
  let state: State?
}

nonisolated private struct Turn: Decodable {
  struct Run: Decodable {
    let origin: String
    let first: UInt64?
    let connection: UInt64?
    let count: UInt64
    let actions: String
    let seed: String?
  }

  struct Session: Decodable {
    let id: String
    let user: UInt32
    let process: Int32
    let name: String
    let processed: UInt64
    let connection: UInt64?
    let userName: String?
    let groups: [UInt32]?
    let hasEnded: Bool

    enum CodingKeys: String, CodingKey {
      case id, user, process, name, processed, connection, groups
      case userName = "user_name"
      case hasEnded = "has_ended"
    }
  }

  struct Region: Decodable {
    let calendar: String?
    let timeZone: String?
    let locale: String?

    enum CodingKeys: String, CodingKey { case calendar, locale, timeZone = "time_zone" }
  }

  let position: UInt64
  let baseRevision: UInt64
  let revision: UInt64
  let time: Int64
  let actions: [Run]
  let delta: String
  let sessions: [Session]
  let region: Region?

  enum CodingKeys: String, CodingKey {
    case position, revision, actions, delta, sessions, region
    case baseRevision = "base_revision"
    case time = "time_ms"
  }
}

nonisolated extension LoggedTurn {
  /// The turn of a line, without what a replay does not need: rejections, and the effects that have begun or ended.
  fileprivate init(_ line: Turn, in file: LineFile) throws(ExportError) {
    func bytes(_ text: String) throws(ExportError) -> [UInt8] {
      guard let bytes = [UInt8](hexadecimal: text) else {
        throw file.error("line \(file.number) has '\(text.prefix(20))' in place of hexadecimal digits")
      }
      return bytes
    }
    self.init(
      position: line.position, baseRevision: line.baseRevision, revision: line.revision, time: line.time,
      delta: try bytes(line.delta))
    for run in line.actions {
      let origin: LoggedActions.Origin
      switch (run.origin, run.first) {
      case ("hub", _): origin = .hub
      case ("effect", _): origin = .effect
      case (let id, let first?):
        origin = .session(try SessionID(id, try bytes(id), in: file), first: first, connection: run.connection ?? 0)
      case (let other, nil): throw file.error("line \(file.number) has the unknown origin '\(other)'")
      }
      let seed = try run.seed.map { seed throws(ExportError) in try bytes(seed) }
      actions += LoggedActions(origin: origin, count: run.count, actions: try bytes(run.actions), seed: seed).encoded()
    }
    for session in line.sessions {
      sessions.append(
        LoggedSession(
          id: try SessionID(session.id, try bytes(session.id), in: file), user: session.user, process: session.process,
          name: session.name, processed: session.processed, hasEnded: session.hasEnded,
          connection: session.connection ?? 0, userName: session.userName ?? "", groups: session.groups ?? []))
    }
    if let other = line.region {
      let standard = RegionalSettings.standard
      region = RegionalSettings(
        calendar: other.calendar ?? standard.calendar, timeZone: other.timeZone ?? standard.timeZone,
        locale: other.locale ?? standard.locale)
    }
  }
}

nonisolated extension SessionID {
  /// Reads all 16 bytes, or the first four of an export without complete ids.
  fileprivate init(_ text: String, _ bytes: [UInt8], in file: LineFile) throws(ExportError) {
    guard bytes.count == 16 || bytes.count == 4 else {
      throw file.error("line \(file.number) has '\(text.prefix(40))' in place of the id of a session")
    }
    let padded = bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(padded[..<8]), low: word(padded[8...]))
  }
}
