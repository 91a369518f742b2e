import CSQLite
import Dispatch
import Glibc
import Journal
import Synchronization
import Testing
import TurnLog
import Wire

/// A directory for one test, removed when the value is released.
final class Scratch {
  let path: String

  /// - Parameter isInMemory: True if the files need not be on a disk, where creating and removing files is slow.
  init(isInMemory: Bool = false) {
    let parent = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/journal-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(mkdtemp).map { String(cString: $0) } ?? "" }
  }

  deinit { remove(path) }

  /// The files of a directory.
  static func files(_ directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Copies the files of a directory into a new one.
  static func copy(_ directory: String, to other: String) {
    mkdir(other, 0o700)
    for name in files(directory) { write(read("\(directory)/\(name)"), to: "\(other)/\(name)") }
  }

  func remove(_ directory: String) {
    for name in Self.files(directory) where unlink("\(directory)/\(name)") != 0 { remove("\(directory)/\(name)") }
    rmdir(directory)
  }

  static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    precondition(file >= 0, path)
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    precondition(Glibc.read(file, &bytes, bytes.count) == bytes.count)
    return bytes
  }

  static func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    precondition(file >= 0, path)
    defer { close(file) }
    precondition(Glibc.write(file, bytes, bytes.count) == bytes.count)
  }
}

/// The events that a journal has reported.
final class Events: Sendable {
  private let state = Mutex<[LogEvent]>([])
  private let changes = DispatchSemaphore(value: 0)

  var handler: @Sendable (LogEvent) -> Void {
    { [self] event in
      state.withLock { $0.append(event) }
      changes.signal()
    }
  }

  var all: [LogEvent] { state.withLock { $0 } }

  /// The position of the last stored turn.
  var stored: UInt64 {
    all.reduce(0) { last, event in if case .stored(let position) = event { position } else { last } }
  }

  var failures: [LogError] { all.compactMap { if case .failed(let error) = $0 { error } else { nil } } }

  /// Waits until a condition on the reported events is true.
  func wait(until condition: ([LogEvent]) -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    while !condition(all) {
      guard changes.wait(timeout: .now() + 60) == .success else {
        Issue.record("only reported: \(all)", sourceLocation: sourceLocation)
        return
      }
    }
  }

  /// Waits until a turn is stored or the journal has failed.
  func waitForStored(_ position: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
    wait(
      until: { _ in stored >= position || !failures.isEmpty }, sourceLocation: sourceLocation)
  }
}

/// Changes a journal's tables from outside.
func execute(_ sql: String, in directory: String, sourceLocation: SourceLocation = #_sourceLocation) {
  var database: OpaquePointer?
  defer { sqlite3_close(database) }
  #expect(sqlite3_open(directory + "/journal.db", &database) == SQLITE_OK, sourceLocation: sourceLocation)
  #expect(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK, "\(sql)", sourceLocation: sourceLocation)
}

let schema = Schema(state: Int.self, action: String.self)
let newerSchema = Schema(state: [Int].self, action: String.self)

/// Returns the turn at a position: even ones change the state, odd ones begin or end an effect, and each changes one of
/// three sessions.
func turn(_ position: UInt64, time: Int64? = nil, bytes: Int = 10) -> LoggedTurn {
  let session = sampleSession(position % 3, processed: position)
  let actions = LoggedActions(
    origin: .session(session.id, first: position), count: 1, actions: [UInt8](repeating: 7, count: bytes))
  return LoggedTurn(
    position: position, baseRevision: (position - 1) / 2, revision: position / 2,
    time: time ?? 1_000_000 + Int64(position), actions: actions.encoded(),
    delta: position.isMultiple(of: 2) ? [UInt8](repeating: UInt8(truncatingIfNeeded: position), count: bytes) : [],
    sessions: [session], effects: effectChanges(at: position))
}

/// The effects that the turn at a position begins or ends: 1 begins one, 3 ends it, 5 begins another.
func effectChanges(at position: UInt64) -> EffectChanges {
  switch position % 4 {
  case 1: EffectChanges(begun: [UnfinishedEffect(number: position, action: [0x18, UInt8(position & 127 | 32)])])
  case 3: EffectChanges(ended: [position - 2])
  default: EffectChanges()
  }
}

/// The effects in flight after the turn at a position.
func effects(at position: UInt64) -> EffectsInFlight {
  var effects = EffectsInFlight()
  for position in 0...position { effects.apply(effectChanges(at: position)) }
  return effects
}

func turns(_ range: ClosedRange<UInt64>) -> [LoggedTurn] { range.map { turn($0) } }

/// The sessions after some turns, least recently active first.
func lastSessions(_ turns: [LoggedTurn]) -> [LoggedSession] {
  var last: [LoggedSession] = []
  for session in turns.flatMap(\.sessions) {
    last.removeAll { $0.id == session.id }
    last.append(session)
  }
  return last
}

func sampleSession(_ number: UInt64, processed: UInt64) -> LoggedSession {
  LoggedSession(
    id: SessionID(high: number, low: ~number), user: 1000, process: 42, name: "client \"\(number)\"",
    processed: processed,
    rejections: processed.isMultiple(of: 5) ? [Rejected(sequence: processed, code: .unknownAction, reason: "no")] : [])
}

/// Returns a snapshot with a state of `count` bytes.
func snapshot(at position: UInt64, count: Int = 100_000) -> LogSnapshot {
  LogSnapshot(position: position, revision: position / 2, effects: effects(at: position)) {
    var left = stateBytes(at: position, count: count)[...]
    return { limit in
      guard !left.isEmpty else { return nil }
      defer { left = left.dropFirst(limit) }
      return Array(left.prefix(limit))
    }
  }
}

func stateBytes(at position: UInt64, count: Int = 100_000) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: UInt64($0) &* 31 &+ position) }
}

/// An open journal with its reported events.
struct Opened {
  let journal: Journal
  let history: JournalHistory
  let events: Events

  init(_ directory: String, _ configure: (inout JournalOptions) -> Void = { _ in }) throws(LogError) {
    var options = JournalOptions()
    configure(&options)
    events = Events()
    (journal, history) = try Journal.open(directory: directory, options: options, onEvent: events.handler)
    journal.begin(schema: schema)
  }

  /// Appends turns and waits until they are stored.
  func store(_ range: ClosedRange<UInt64>) {
    journal.append(turns(range))
    events.waitForStored(range.upperBound)
  }

  /// Saves a snapshot and waits until it is complete.
  func save(_ snapshot: LogSnapshot) {
    let count = events.all.count
    journal.save(snapshot)
    events.wait { events in
      events.dropFirst(count).contains {
        switch $0 {
        case .saved, .snapshotFailed: true
        default: false
        }
      }
    }
  }
}

extension JournalHistory {
  /// Reads all turns.
  func rest() throws(LogError) -> [Turn] {
    var turns: [Turn] = []
    while let turn = try next() { turns.append(turn) }
    return turns
  }
}

extension JournalHistory.Turn {
  func isSame(as turn: LoggedTurn) -> Bool {
    position == turn.position && baseRevision == turn.baseRevision && revision == turn.revision && time == turn.time
      && delta == turn.delta && effects == turn.effects
  }
}

extension Scratch {
  /// Writes turns and snapshots; the delta of turn 8 is a text.
  func makeJournal() throws {
    let opened = try Opened(path)
    opened.save(snapshot(at: 0))
    opened.store(1...4)
    opened.save(snapshot(at: 4))
    opened.store(5...7)
    var marked = turn(8)
    marked.delta = Array("the delta of turn eight".utf8)
    opened.journal.append([marked] + turns(9...12))
    opened.journal.close()
  }
}
