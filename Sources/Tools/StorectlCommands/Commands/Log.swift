internal import EventLoop
internal import Journal
internal import ProgramOptions
internal import SchemaNames
internal import TurnLog
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let log = Self(
    "log", "print the turns of the journal: their actions and changes",
    options: [
      .init("follow", short: "f", "also print the turns that the hub stores from now on"),
      .init("path", short: "p", argument: "PATH", "only turns that changed the part at a path", value: .path),
      .init(
        "uid", short: "u", argument: "USER", "only turns with an action of a user, by number or name", value: .user),
      .init("since", argument: "REV|TIME", "only turns after a revision or a time"),
      .init("until", argument: "REV|TIME", "only turns up to a revision or a time"),
      .init("reverse", short: "r", "print the newest turn first"),
      .init("count", short: "n", argument: "N", "of the turns before now, only the last N"), .directory,
    ],
    details: [
      .readsJournal,
      .text(
        """
        A turn of the hub consists of the actions that took effect together, usually one; all of them are printed, and \
        their changes follow the last of them. A turn without actions changed the state when the hub began, such as one \
        whose feature has another schema than before. With --json there is one object per turn: revision, from, time, actions (name, action, origin, user, process, client, \
        sequence) and changes (path, old, new; see JSON in storectl(1)).
        """),
      .code([
        "storectl log --since yesterday --until today", "storectl log --reverse -n 5 --uid alice",
        "storectl log --since 'monday 9:00' --path 'todos.todos[3]'",
      ]),
    ])
}

extension Tool {
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
    if case .revision(let revision) = moment, states.revision < revision, try states.advance() != nil {
      note("revision \(revision) is inside a turn; this is the state at \(states.revision), the end of the turn")
    }
    return states
  }

  /// Returns the state after a turn.
  private func states(at position: UInt64, in reader: JournalReader) async throws(ToolFailure) -> JournalStates {
    let states = try JournalStates.begin(reader, upTo: position)
    while states.position < position, try states.advance() != nil { try await continueScan() }
    return states
  }

  func log() async throws(ToolFailure) {
    let (follows, isReversed) = (options.flag("follow"), options.flag("reverse"))
    for option in ["until", "reverse"] where follows && options.string(option) != nil {
      throw ToolFailure(.usage, "--follow prints what is to come, for which there is no --\(option)")
    }
    let reader = try await openJournal()
    let user: UInt32? = if let name = options.string("uid") { try Users.number(name) } else { nil }
    let extent = try JournalStates.attempt { () throws(LogError) in try reader.extent() }
    var start = extent.base
    let since = options.string("since")
    if let since { start = try position(of: try Moment(since), written: since, isStart: true, in: reader) }
    let end = try options.string("until").map { (text) throws(ToolFailure) in try lastPosition(text, in: reader) }
    let places = try JournalStates.attempt { () throws(LogError) in try reader.snapshots() }
    let first = places.first
    if since != nil, let first, start < first.position {
      throw ToolFailure(.absent, "the journal's states go back only to revision \(first.revision)")
    }
    start = max(start, first?.position ?? 0)
    let states = try await states(at: start, in: reader)
    let begin = states.revision
    let name = options.string("path")
    if let name { try check(name, in: states.schemas) }
    let limit = options.string("count").flatMap { Int($0) }
    let filter = LogFilter(tool: self, user: user, path: name)
    let count: Int
    if isReversed {
      let bounds = start..<max(start, end ?? extent.tail)
      count = try await printReversed(filter, bounds, places.map(\.position), limit: limit, in: reader)
    } else {
      let printer = LogPrinter(self, limit: limit, pageRows: isJSON || follows ? nil : pageRows)
      while true {
        while states.position < end ?? .max, let (turn, before) = try states.advance() {
          try await continueScan()
          guard let entry = filter.entry(turn, before, states) else { continue }
          printer.add(before, entry)
          if printer.isFull { await output.finish() }
        }
        try await printer.end()
        guard follows, output.end == nil else { break }
        try await pause(.milliseconds(200))
        guard !reader.isReplaced else {
          throw ToolFailure(.failed, "the journal was replaced, as by a repair: it has another history now")
        }
      }
      count = printer.count
    }
    if count == 0, output.end == nil {
      if end == nil, extent.revision == first?.revision {
        throw ToolFailure(.absent, "the journal has no actions, only the state of revision \(extent.revision)")
      }
      let reason = begin == first?.revision ? ", with which its states begin" : ""
      let until = options.string("until").map { "\(reason.isEmpty ? "" : ",") until \($0)" } ?? ""
      throw ToolFailure(.absent, "the journal has no such action since revision \(begin)\(reason)\(until)")
    }
  }

  /// Prints the turns after the lower bound up to the upper one, the newest first, and returns their number.
  ///
  /// - Parameter snapshots: The positions of the snapshots: it reads backwards from one to the next, since users mostly
  ///   look for recent turns.
  private func printReversed(
    _ filter: LogFilter, _ bounds: Range<UInt64>, _ snapshots: [UInt64], limit: Int?, in reader: JournalReader
  ) async throws(ToolFailure) -> Int {
    let printer = LogPrinter(self, limit: nil, pageRows: isJSON ? nil : pageRows)
    var end = bounds.upperBound
    for place in snapshots.reversed() where place < end && printer.count < limit ?? .max {
      let states = try await states(at: max(place, bounds.lowerBound), in: reader)
      var entries: [[String]] = []
      while states.position < end, let (turn, before) = try states.advance() {
        try await continueScan()
        // As text, since the states would occupy more.
        if let entry = filter.entry(turn, before, states) { entries.append(entry()) }
      }
      for entry in entries.reversed().prefix((limit ?? .max) - printer.count) {
        printer.add { entry }
        if printer.isFull { await output.finish() }
      }
      end = max(place, bounds.lowerBound)
      if place <= bounds.lowerBound { break }
    }
    try await printer.end()
    return printer.count
  }

  /// Returns the position of the last turn until a moment: the one with a revision, or at a time.
  private func lastPosition(_ text: String, in reader: JournalReader) throws(ToolFailure) -> UInt64 {
    let moment = try Moment(text)
    let extent = try JournalStates.attempt { () throws(LogError) in try reader.extent() }
    switch moment {
    case .time(let time) where time > extent.time: return extent.tail
    case .revision(let revision) where revision >= extent.revision: return extent.tail
    case .time: return try position(of: moment, written: text, isStart: true, in: reader)
    case .revision(let revision):
      let position = try position(of: moment, written: text, in: reader)
      let last = try JournalStates.attempt { () throws(LogError) in
        try reader.read(from: position, byteLimit: 1).first
      }
      // Also the turn inside which the revision is.
      return last.map { $0.revision < revision } == true ? position + 1 : position
    }
  }

  /// Checks that a path exists in at least one schema of a journal. In the others, nothing is there.
  func check(_ name: String, in schemas: [Schema]) throws(ToolFailure) {
    guard !schemas.contains(where: { (try? $0.part(named: name)) != nil }), let newest = schemas.last else { return }
    _ = try part(name, in: newest)
  }

  /// Returns true if a turn has changed the part at a path.
  ///
  /// - Parameter path: The path; nil if the schema does not have it.
  func hasChanged(_ path: PartPath?, _ before: CBORValue, _ states: JournalStates) -> Bool {
    guard let path else { return false }
    let values = SchemaValues(states.schema)
    return values.part(at: path, of: before)?.value != values.part(at: path, of: states.value)?.value
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
