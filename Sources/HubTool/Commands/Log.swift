internal import EventLoop
internal import Glibc
internal import Journal
internal import ProgramOptions
internal import TurnLog
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let log = Self(
    "log", "print the turns of the journal: their actions and changes",
    options: [
      .init("follow", short: "f", "also print the turns that the hub stores from now on"),
      .init("path", short: "p", argument: "PATH", "only turns that changed the part at a path", value: .path),
      .init("uid", short: "u", argument: "USER", "only turns with an action of a user, by number or name"),
      .init("since", argument: "REV|TIME", "only turns after a revision or a time"),
      .init("count", short: "n", argument: "N", "of the turns before now, only the last N"), .directory,
    ],
    details: [
      .readsJournal,
      .text(
        """
        A turn of the hub consists of the actions that took effect together, usually one; all of them are printed, and \
        their changes follow the last of them. With --json there is one object per turn: revision, from, time, actions (name, action, origin, user, process, client, \
        sequence) and changes (path, old, new).
        """),
    ])
}

extension Tool {
  /// Opens the journal that the options name.
  func openJournal() throws(ToolFailure) -> JournalReader {
    let directory = try stateDirectory()
    return try JournalStates.attempt { () throws(LogError) in try JournalReader(directory) }
  }

  /// Returns the state directory from the options or the environment.
  func stateDirectory() throws(ToolFailure) -> String {
    let variable = getenv("STOREHUB_STATE_DIR").map { String(cString: $0) }
    guard let directory = options.string("state-dir") ?? variable, !directory.isEmpty else {
      throw ToolFailure(
        .usage, "\(options.command ?? "") needs --state-dir or STOREHUB_STATE_DIR, the state directory of the hub")
    }
    return directory
  }

  /// Returns the position of the last turn at or before a moment.
  ///
  /// - Parameters:
  ///   - text: The moment as the user wrote it.
  ///   - isStart: True for the position before the first turn, if the moment is before a complete history.
  private func position(
    of moment: Moment, written text: String, isStart: Bool = false, in reader: JournalReader
  ) throws(ToolFailure) -> UInt64 {
    let extent = try JournalStates.attempt { () throws(LogError) in try reader.extent() }
    switch moment {
    case .time(let time):
      // The clock may have gone backwards since the last turn.
      guard time == .max || time <= max(Moment.now, extent.time) else {
        let remedy = Moment.hasDate(text) ? "" : "; for a time of an earlier day, add the date"
        throw ToolFailure(.absent, "\(text) is in the future: the last revision is \(extent.revision)\(remedy)")
      }
      let first = try JournalStates.attempt { () throws(LogError) in try reader.snapshots().first }
      // The initial state of a feature has no time.
      let start = first.flatMap { $0.time > 0 ? $0.time : nil } ?? extent.created
      if isStart, extent.base == 0, first?.position ?? 0 == 0, time < start { return 0 }
      guard time >= start else {
        throw ToolFailure(
          .absent, "the journal goes back only to \(Moment.text(start)), with revision \(first?.revision ?? 0)")
      }
      return try JournalStates.attempt { () throws(LogError) in try reader.position(at: time) }
    case .revision(let revision):
      guard revision <= extent.revision else {
        throw ToolFailure(.absent, "there is no revision \(revision) yet: the last one is \(extent.revision)")
      }
      let position = try JournalStates.attempt { () throws(LogError) in try reader.position(of: revision) }
      guard let position else { throw ToolFailure(.absent, "the journal does not go back to revision \(revision)") }
      return position
    }
  }

  /// Returns the state at a moment.
  ///
  /// The actions of one turn take effect together: a revision inside a turn has the state of the turn's end, and a note
  /// says so.
  func states(at text: String, in reader: JournalReader) async throws(ToolFailure) -> JournalStates {
    let moment = try Moment(text)
    let states = try await states(at: try position(of: moment, written: text, in: reader), in: reader)
    if case .revision(let revision) = moment, states.revision < revision, try states.next() != nil {
      note("revision \(revision) is inside a turn; this is the state at \(states.revision), the end of the turn")
    }
    return states
  }

  /// Returns the state after a turn.
  private func states(at position: UInt64, in reader: JournalReader) async throws(ToolFailure) -> JournalStates {
    let states = try JournalStates(reader, upTo: position)
    while states.position < position, try states.next() != nil { try await continueScan() }
    return states
  }

  func log() async throws(ToolFailure) {
    let reader = try openJournal()
    let user: UInt32? = if let name = options.string("uid") { try Users.number(name) } else { nil }
    let extent = try JournalStates.attempt { () throws(LogError) in try reader.extent() }
    var start = extent.base
    let since = options.string("since")
    if let since { start = try position(of: try Moment(since), written: since, isStart: true, in: reader) }
    let first = try JournalStates.attempt { () throws(LogError) in try reader.snapshots().first }
    if since != nil, let first, start < first.position {
      throw ToolFailure(.absent, "the journal's states go back only to revision \(first.revision)")
    }
    let states = try await states(at: max(start, first?.position ?? 0), in: reader)
    let begin = states.revision
    let name = options.string("path")
    if let name { try check(name, in: states.schemas) }
    var (schema, path) = (states.schema, name.flatMap { try? states.schema.path(named: $0) })
    let limit = options.string("count").flatMap { Int($0) }
    let follows = options.flag("follow")
    let printer = LogPrinter(self, limit: limit, pageRows: isJSON || follows ? nil : pageRows)
    while true {
      while let (turn, before) = try states.next() {
        try await continueScan()
        guard turn.baseRevision < turn.revision || !turn.delta.isEmpty else { continue }
        if states.schema != schema {
          schema = states.schema
          path = name.flatMap { try? schema.path(named: $0) }
        }
        let text = TurnText(tool: self, schema: schema)
        if let user, !turn.decodedActions(schema).contains(where: { $0.session?.user == user }) { continue }
        if name != nil, !hasChanged(path, before, states) { continue }
        printer.add(before) { [self, value = states.value, schema] in
          let changes = SchemaValues(schema).differences(from: before, to: value, as: schema.state)
          return isJSON ? ["\(text.json(turn, changes))"] : text.lines(turn, changes)
        }
        if printer.isFull { await output.finish() }
      }
      try await printer.end()
      guard follows, output.end == nil else { break }
      try await pause(.milliseconds(200))
      guard !reader.isReplaced else {
        throw ToolFailure(.failed, "the journal was replaced, as by a repair: it has another history now")
      }
    }
    if printer.count == 0, output.end == nil {
      if states.revision == first?.revision {
        throw ToolFailure(.absent, "the journal has no actions, only the state of revision \(states.revision)")
      }
      let reason = begin == first?.revision ? ", with which its states begin" : ""
      throw ToolFailure(.absent, "the journal has no such action since revision \(begin)\(reason)")
    }
  }

  /// Checks that a path exists in at least one schema of a journal. In the others, nothing is there.
  func check(_ name: String, in schemas: [Schema]) throws(ToolFailure) {
    guard !schemas.contains(where: { (try? $0.path(named: name)) != nil }), let newest = schemas.last else { return }
    _ = try path(name, in: newest)
  }

  /// Returns true if a turn has changed the part at a path.
  ///
  /// - Parameter path: The path; nil if the schema does not have it.
  func hasChanged(_ path: [PathStep]?, _ before: CBORValue, _ states: JournalStates) -> Bool {
    guard let path else { return false }
    let values = SchemaValues(states.schema)
    return values.part(at: path, of: before, as: states.schema.state)?.value
      != values.part(at: path, of: states.value, as: states.schema.state)?.value
  }

  /// Lets the loop run at intervals during a scan, and throws if the scan should end.
  func continueScan() async throws(ToolFailure) {
    await breaks.takeIfDue()
    try checkInterruption()
  }

  /// Throws if a signal has interrupted the command or the output has lost its reader.
  func checkInterruption() throws(ToolFailure) {
    if isInterrupted { throw ToolFailure(interruption, "interrupted") }
    if hasLostReader { throw ToolFailure(.done, "") }
  }

  /// Waits for a duration.
  func pause(_ duration: Duration) async throws(ToolFailure) {
    var timer: Timer?
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      let end = { waiting.take()?.resume() ?? () }
      timer = try? Timer(on: loop) { end() }
      timer?.start(after: duration)
      onInterrupt = end
      if timer == nil || isInterrupted { end() }
    }
    onInterrupt = nil
    timer?.stop()
    try checkInterruption()
  }
}

/// Prints the entries of a log as they arrive, at first only the last ones.
private final class LogPrinter {
  private let tool: Tool
  /// The number of entries to keep until the first call of `end`; nil for all of them.
  private var limit: Int?
  /// The entries to print at the end. Most are never made into text.
  private var kept: [() -> [String]] = []
  private var first = 0
  private(set) var count = 0
  private var sinceFlush = 0
  /// The number of lines from which on a pager shows them; nil after it was started.
  private var pageRows: Int?
  /// The lines so far, which may turn out to need no pager.
  private var page: [String] = []

  init(_ tool: Tool, limit: Int?, pageRows: Int?) {
    (self.tool, self.limit, self.pageRows) = (tool, limit, pageRows)
  }

  /// True if the output should be written before more entries are printed.
  var isFull: Bool {
    guard sinceFlush >= 500 else { return false }
    sinceFlush = 0
    return true
  }

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - state: A state that the entry retains until it is text.
  ///   - entry: Returns the entry's lines.
  func add(_ state: CBORValue, _ entry: @escaping () -> [String]) {
    count += 1
    guard let limit else { return print(entry()) }
    var entry = entry
    if state.plainListBytes > Self.keptBytes / limit {
      let lines = entry()
      entry = { lines }
    }
    guard kept.count == limit else { return kept.append(entry) }
    kept[first] = entry
    first = (first + 1) % limit
  }

  private func print(_ lines: [String]) {
    sinceFlush += 1
    guard let pageRows else {
      for line in lines { tool.output.line(line) }
      return
    }
    page += lines
    if page.count >= pageRows { printPage() }
  }

  private func printPage() {
    tool.print(page)
    (page, pageRows) = ([], nil)
  }

  /// Prints the kept entries. Later ones are printed as they arrive.
  func end() async throws(ToolFailure) {
    let entries = kept[first...] + kept[..<first]
    (kept, first, limit) = ([], 0, nil)
    for entry in entries {
      print(entry())
      if isFull { await tool.output.finish() }
      try await tool.continueScan()
    }
    printPage()
  }

  /// The memory for the states of kept entries.
  private static let keptBytes = 128 << 20
}
