internal import Journal
internal import SchemaNames
internal import TurnLog
internal import Wire

/// The turns that a log shows.
struct LogFilter {
  let tool: Tool
  let user: UInt32?
  let path: String?

  /// Returns the text of a turn that has led to the present states; nil for one that is not shown.
  func entry(_ turn: LoggedTurn, _ before: CBORValue, _ states: JournalStates) -> (() -> [String])? {
    guard turn.baseRevision < turn.revision || !turn.delta.isEmpty else { return nil }
    let (schema, value) = (states.schema, states.value)
    if let user, !turn.decodedActions(schema).contains(where: { $0.session?.user == user }) { return nil }
    if let path, !tool.hasChanged(try? schema.part(named: path), before, states) { return nil }
    return { [tool] in
      let text = TurnText(tool: tool, schema: schema)
      let changes = SchemaValues(schema).differences(from: before, to: value, as: schema.state)
      return tool.isJSON ? ["\(text.json(turn, changes))"] : text.lines(turn, changes)
    }
  }
}

/// Prints the entries of a log as they arrive, at first only the last ones.
final class LogPrinter {
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
  ///   - state: A state that the entry retains until it is text, if any.
  ///   - entry: Returns the entry's lines.
  func add(_ state: CBORValue? = nil, _ entry: @escaping () -> [String]) {
    count += 1
    guard let limit else { return print(entry()) }
    var entry = entry
    if let state, state.plainListBytes > Self.keptBytes / limit {
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
