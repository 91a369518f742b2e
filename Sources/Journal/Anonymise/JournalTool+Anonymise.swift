internal import SQLite
public import TurnLog
internal import Wire

extension JournalTool {
  /// The figures of an anonymised journal.
  public struct Anonymised: Equatable, Sendable {
    /// The number of turns.
    public var turns: UInt64 = 0
    /// The revision after the last one.
    public var revision: UInt64 = 0
    /// The number of different words that were replaced.
    public var words = 0
  }

  /// Writes a copy of a journal in which the words of its users are replaced by others of the same length.
  ///
  /// The words of users are those in actions, in the names of users and clients, and in the first state, unless that is
  /// the initial one of the program; wherever they occur, they are replaced by the same ones. In the reasons of refused
  /// actions, words that occur nowhere else are replaced, too. What remains: the lengths of texts, all between words, words of less than three letters,
  /// words that only the program has written, all other values, the schema, and the ids and times of sessions. So a
  /// replay of the copy has the same result, unless the reducer looks into texts, or writes a word itself that a user
  /// has written. Such words can be kept.
  ///
  /// The copy begins with the oldest snapshot, after which its positions count from 1. A hub may write the original
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - source: The directory of the journal.
  ///   - target: A directory without a journal. It is created if it is missing, but its parents are not.
  ///   - kept: The words that are not replaced.
  /// - Throws: The errors of `JournalReader`; `storage` if the journal is empty, or the copy cannot be written.
  /// - Complexity: O(journal), twice; the words are kept in memory.
  public static func anonymise(
    _ source: String, to target: String, keeping kept: Set<String> = []
  ) throws(LogError) -> Anonymised {
    let original = try OriginalJournal(source)
    let words = AnonymousWords(keeping: kept)
    let author: AnonymousWords.Author = original.beginsWithWordsOfUsers ? .users : .program
    var ofSnapshot = TextMapping(
      ofUsers: { $0 }, ofStates: { words.collected($0, of: author) }, ofReasons: { $0 })
    _ = try original.state(&ofSnapshot)
    var collecting = TextMapping(
      ofUsers: { words.collected($0, of: .users) }, ofStates: { words.collected($0, of: .program) },
      ofReasons: { words.collected($0, of: .programForSender) })
    try original.forEachTurn(&collecting) { (_, _) in }
    let replacements = words.replacements()
    let replace: @Sendable (String) -> String = { AnonymousWords.replace($0, replacements.everywhere) }
    var replacing = TextMapping(
      ofUsers: replace, ofStates: replace, ofReasons: { AnonymousWords.replace($0, replacements.inReasons) })
    let directory = StateDirectory(path: target, user: .tool)
    var result = Anonymised(words: replacements.inReasons.count)
    try directory.createJournal { (file) throws(LogError) in
      let copy = try JournalCopy(file, in: directory, of: original, state: try original.state(&replacing))
      try original.forEachTurn(&replacing) { (turn, schema) throws(LogError) in
        try copy.append(turn, schema)
        result.turns += 1
      }
      let head = try copy.commit()
      result.revision = head.revision
      return head
    } complete: { (head) throws(LogError) in
      try directory.recordEnd(head)
    }
    return result
  }
}

/// A journal from its oldest snapshot on.
private struct OriginalJournal {
  let reader: JournalReader
  let snapshot: JournalHistory.Snapshot
  /// The time of the first state, in milliseconds since 1970.
  let time: Int64
  private let tail: UInt64
  private let schemas: [JournalHistory.SchemaChange]

  init(_ directory: String) throws(LogError) {
    reader = try JournalReader(directory)
    guard let place = try reader.snapshots().first, let snapshot = try reader.snapshot(upTo: place.position) else {
      throw LogError(.storage, "the journal in \(directory) is empty")
    }
    (self.snapshot, time) = (snapshot, place.time)
    (tail, schemas) = (try reader.extent().tail, try reader.schemas())
  }

  /// True if the first state is not the initial one of the program, which has revision 0: one that was imported or copied
  /// when the history began, or from later in the history.
  var beginsWithWordsOfUsers: Bool { snapshot.position > 0 || snapshot.revision > 0 }

  /// The first state, with other texts.
  func state(_ mapping: inout TextMapping) throws(LogError) -> [UInt8] {
    do throws(WireError) { return try mapping.state(snapshot.bytes, snapshot.schema) } catch {
      throw LogError(.damaged, "the state of revision \(snapshot.revision) cannot be read: \(error)")
    }
  }

  /// Passes on each turn after the first state, with other texts.
  func forEachTurn(
    _ mapping: inout TextMapping, _ body: (LoggedTurn, Schema) throws(LogError) -> Void
  ) throws(LogError) {
    var position = snapshot.position
    while position < tail {
      for turn in try reader.read(from: position + 1, byteLimit: 1 << 20) where turn.position <= tail {
        position = turn.position
        let schema = schemas.last { $0.firstPosition <= turn.position }?.schema ?? snapshot.schema
        let mapped: LoggedTurn
        do throws(WireError) { mapped = try mapping.turn(turn, schema) } catch {
          throw LogError(.damaged, "turn \(turn.position) cannot be read with its schema: \(error)")
        }
        try body(mapped, schema)
      }
    }
  }
}

/// A new journal that is written in one transaction.
private final class JournalCopy {
  private let directory: StateDirectory
  private let database: Database
  private let start: UInt64
  private var head: Head
  private var schemas = SchemaRows()
  private var insertion: TurnInsertion

  init(_ file: String, in directory: StateDirectory, of original: OriginalJournal, state: [UInt8]) throws(LogError) {
    self.directory = directory
    let snapshot = original.snapshot
    start = snapshot.position
    (database, head, schemas, insertion) = try directory.attempt { () throws(SQLiteError) in
      let database = try Database.creating(file)
      let (head, schemas) = try database.beginJournal(
        schema: snapshot.schema, state: state, revision: snapshot.revision, time: original.time)
      return (database, head, schemas, try TurnInsertion(database))
    }
  }

  func append(_ turn: LoggedTurn, _ schema: Schema) throws(LogError) {
    var turn = turn
    turn.position -= start
    try directory.attempt { () throws(SQLiteError) in
      if schemas.rows.last?.schema != schema { try schemas.append(schema, at: turn.position, to: database) }
      try insertion.insert(turn, at: turn.time, movingTailOf: &head)
    }
  }

  /// Commits everything, and returns the head.
  func commit() throws(LogError) -> Head {
    (head.schemaCount, head.schemaChecksum) = (UInt64(schemas.rows.count), schemas.checksum)
    return try directory.attempt { () throws(SQLiteError) in
      try head.store(with: database.prepare(Head.write, for: "store the head of the journal"))
      try database.run("COMMIT", for: "commit")
      database.close()
      return head
    }
  }
}
