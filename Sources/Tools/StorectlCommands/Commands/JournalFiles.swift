internal import JSONText
internal import Journal
internal import ProgramOptions
internal import TurnLog
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let journal = Self(
    "journal", "check, repair or print the journal of a hub that is not running, or copy it without its users' words",
    arguments: [.init("ACTION", value: .words(["verify", "repair", "export", "anonymise"]))],
    options: [
      .directory,
      .init(
        "to", argument: "REV", "the last revision to keep; default: the last sound one", if: .argument("repair")),
      .init(
        "schema", argument: "FILE",
        "verify, repair: a schema in place of a damaged one, from --print-schema of the hub's program; - is standard input",
        value: .file),
      .init(
        "replayable",
        """
        print all that `HUBPROGRAM replay --export` needs: also the first state, and the ids of sessions, so keep it as \
        the journal itself
        """,
        if: .argument("export")),
      .init(
        "into", argument: "DIR", "the directory of the copy, which has no journal yet", value: .file,
        if: .argument("anonymise")),
      .init(
        "keep", argument: "FILE", "words that remain, separated by white space", value: .file,
        if: .argument("anonymise")),
    ],
    details: [
      .text(
        """
        verify reads everything, also the newest states as a hub that starts would, says what repair would discard, and \
        exits with 9 if something is damaged. repair copies the files, keeps the whole turns up to a revision and discards the rest; a signal ends it only before it has \
        changed anything. export prints the turns and the sessions, one JSON object per line, with the stored bytes; with --replayable a \
        program can replay them (docs/REPLAY.md).
        """),
      .text(
        """
        anonymise writes a copy in which the words that users have written, in actions and names, are replaced by others \
        of the same length, each always by the same. Other values, ids, times and the schema remain, so the copy can be \
        verified and replayed (docs/REPLAY.md). A hub may be running.
        """),
      .code(["storectl journal anonymise --state-dir /var/lib/storehub --into history"]),
    ])
}

extension Tool {
  /// Runs `journal verify|repair|export|anonymise`.
  func journal() async throws(ToolFailure) {
    switch options.arguments.first {
    case "verify": try await verifyJournal(in: try await stateDirectory())
    case "repair": try await repairJournal(in: try chosenStateDirectory())
    case "export":
      guard !options.flag("schema") else {
        throw ToolFailure(.usage, "--schema is for `journal verify` and `journal repair`, not for `journal export`")
      }
      try await exportJournal(in: try await stateDirectory(), isReplayable: options.flag("replayable"))
    case "anonymise": try await anonymiseJournal(in: try await stateDirectory())
    case let word: throw wrongWord(word, ["verify", "repair", "export", "anonymise"])
    }
  }

  private func verifyJournal(in directory: String) async throws(ToolFailure) {
    let schemas = try givenSchemas()
    let report = try await onAnotherThread { () throws(LogError) in
      try JournalTool.verify(directory, readsStates: true, schemas: schemas)
    }
    if isJSON { print(Self.json(report)) } else { print(lines(report)) }
    guard report.isSound else { throw ToolFailure(.damaged, "the journal in \(directory) is damaged") }
  }

  private func exportJournal(in directory: String, isReplayable: Bool) async throws(ToolFailure) {
    try await onAnotherThread { () async throws(LogError) in
      try await JournalTool.export(directory, isReplayable: isReplayable) { await self.printExported($0) }
    }
  }

  /// Copies a journal without the words of its users.
  private func anonymiseJournal(in directory: String) async throws(ToolFailure) {
    guard let target = options.string("into") else {
      throw ToolFailure(.usage, "journal anonymise needs --into, the directory of the copy")
    }
    let words = try options.string("keep").map { file throws(ToolFailure) in try contents(of: file).bytes } ?? []
    let kept = Set(String(decoding: words, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init))
    let copy = try await onAnotherThread { () throws(LogError) in
      try JournalTool.anonymise(directory, to: target, keeping: kept)
    }
    if isJSON {
      return print([
        "turns": .integer(copy.turns), "revision": .integer(copy.revision), "words": .integer(UInt64(copy.words)),
        "directory": .string(target),
      ])
    }
    let replaced = "\(counted(UInt64(copy.words), "word")) of users \(copy.words == 1 ? "is" : "are") replaced"
    print(["\(target) has \(counted(copy.turns, "turn")), up to revision \(copy.revision); \(replaced)"])
  }

  /// Prints lines, waits until they are written, and returns false if there is no use for more.
  private func printExported(_ lines: [String]) async -> Bool {
    for line in lines { output.line(line) }
    await output.finish()
    return !isInterrupted && output.end == nil
  }

  /// Repairs a journal. A signal ends that only before anything is changed.
  private func repairJournal(in directory: String) async throws(ToolFailure) {
    let revision = options.string("to").flatMap { UInt64($0) }
    let schemas = try givenSchemas()
    let cancellation = RepairCancellation()
    let repair: JournalTool.Repair?
    do throws(ToolFailure) {
      repair = try await onAnotherThread(
        { () throws(LogError) in
          try JournalTool.repair(
            directory, to: revision, readsStates: true, schemas: schemas, cancellation: cancellation)
        },
        onInterrupt: {
          guard self.isInterrupted, !cancellation.cancel() else { return }
          self.note("the repair has begun to change files, and ends when it is complete")
        })
    } catch {
      guard isInterrupted, cancellation.cancel() else { throw error }
      note("interrupted; nothing was changed in \(directory)")
      throw ToolFailure(interruption, "interrupted")
    }
    effect = repair.map { "the journal was repaired; the original files are in \($0.copy)" }
    print(repair)
    if let revision, let end = repair?.discardedTurnEnd {
      note("revision \(revision) is inside a turn that ends with revision \(end), and a repair keeps only whole turns")
    }
    try checkInterruption()
  }

  private func print(_ repair: JournalTool.Repair?) {
    guard let repair else {
      if isJSON { return print(["changed": .bool(false)]) }
      return print(["the journal is sound; nothing was changed"])
    }
    if isJSON {
      return print([
        "changed": .bool(true), "revision": .integer(repair.revision),
        "lastRevision": repair.lastRevision.map { .integer($0) } ?? .null, "copy": .string(repair.copy),
      ])
    }
    print([
      "the journal now ends with revision \(repair.revision); discarded: \(repair.discarded)",
      "the original files are in \(repair.copy)",
    ])
  }

  /// The schema of --schema, if it is given.
  private func givenSchemas() throws(ToolFailure) -> [Schema] {
    guard let file = options.string("schema") else { return [] }
    let (name, bytes) = try contents(of: file)
    let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard let encoded = [UInt8](hexadecimal: text), let schema = try? Schema(decoding: encoded.span.bytes) else {
      throw ToolFailure(.failed, "\(name) is not a schema as `storehubd --print-schema` prints it")
    }
    return [schema]
  }

  /// Works on another thread, so that the loop receives signals.
  ///
  /// - Parameter onInterrupt: Called when a signal arrives or the output has lost its reader, if the work must end
  ///   first; without it, the wait ends at once, and with it the program.
  func onAnotherThread<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(LogError) -> Value, onInterrupt: (() -> Void)? = nil
  ) async throws(ToolFailure) -> Value {
    var result: Result<Value, LogError>?
    var waiting: CheckedContinuation<Void, Never>?
    Task {
      result = await Task.detached {
        do throws(LogError) { return .success(try await work()) } catch { return .failure(error) }
      }.value
      waiting.take()?.resume()
    }
    self.onInterrupt = onInterrupt ?? { waiting.take()?.resume() }
    defer { self.onInterrupt = nil }
    if isEnding { self.onInterrupt?() }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      if result != nil || onInterrupt == nil && isEnding { continuation.resume() } else { waiting = continuation }
    }
    guard let result else {
      try checkInterruption()
      preconditionFailure("only an interruption ends the wait before the work")
    }
    return try JournalStates.attempt { () throws(LogError) in try result.get() }
  }

  private static func json(_ report: JournalTool.Report) -> JSONValue {
    [
      "sound": .bool(report.isSound), "soundRevision": report.soundRevision.map { .integer($0) } ?? .null,
      "lastRevision": report.lastRevision.map { .integer($0) } ?? .null, "turns": .integer(report.turns),
      "snapshots": .array(report.snapshots.map { .integer($0) }), "sessions": .integer(report.sessions),
      "effects": .integer(report.effects), "fileBytes": .integer(report.fileBytes),
      "problems": .array(report.problems.map { .string($0) }),
      "notes": .array(report.notes.map { .string($0) }),
    ]
  }

  private func lines(_ report: JournalTool.Report) -> [String] {
    // Without the head, it is unknown where the turns begin.
    let counts =
      report.epoch == nil
      ? []
      : [
        counted(UInt64(report.turns), "turn"), counted(UInt64(report.snapshots.count), "snapshot"),
        counted(UInt64(report.sessions), "session"),
      ] + (report.effects > 0 ? [counted(UInt64(report.effects), "effect") + " in flight"] : [])
    let repair = "storectl journal repair" + (options.string("schema").map { " --schema \($0)" } ?? "")
    let advice = report.repairEffect.map { ["`\(repair)` \($0)"] } ?? report.remedy.map { [$0] } ?? []
    return [
      (counts + [Figures.bytes(UInt64(report.fileBytes))]).joined(separator: ", "),
      report.soundRevision.map { "sound up to revision \($0)" } ?? "no state can be recovered",
    ] + report.problems.map { palette.bad("damaged") + ": \($0)" } + report.notes.map { "note: \($0)" }
      + advice
  }
}
