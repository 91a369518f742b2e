internal import FeatureCore
internal import Glibc
internal import HubCore
internal import IssueReporting
internal import JSONText
internal import ProgramOptions
internal import Wire

/// The command `replay` of every service.
struct ReplayCommand {
  private let place: Place
  private let from: UInt64?
  private let to: UInt64?
  private let findsAll: Bool
  private let isJSON: Bool

  /// Where the turns are.
  private enum Place {
    case journal(String)
    case export(String)
  }

  static let name = "replay"

  /// Its options.
  static let declaration = ProgramOptions.Command(
    name, "run the stored actions of a journal through this program's reducer, and compare the results",
    options: [
      .init(
        "state-dir", argument: "DIR", "the directory of the journal, which a hub may be writing", value: .file),
      .init(
        "export", argument: "FILE", "the output of `storectl journal export --replayable`, in place of a journal",
        value: .file),
      .init("from", argument: "REVISION", "begin after this revision; default the oldest snapshot"),
      .init("to", argument: "REVISION", "end with this revision; default the last one"),
      .init("all", "go on after a difference, and count them"),
      .init("json", short: "j", "print each difference, and the figures, as one JSON object"),
    ],
    details: [
      .text(
        """
        Each turn of the journal is compared with the result of its actions: an action that has another result than at \
        the time when it was stored is a difference. The reducer reads the stored senders, times and random numbers. \
        Effects are not run; what they have sent is in the journal. docs/REPLAY.md describes how to replay a journal for \
        each change of a feature.
        """),
      .text(
        "The exit status is 0 without differences, 3 with any, 1 if the journal cannot be read or has no turn to "
          + "compare, and 2 for a wrong command line."),
    ])

  init(_ parsed: ParsedOptions) throws(UsageError) {
    let (directory, file) = (parsed.string("state-dir") ?? "", parsed.string("export") ?? "")
    switch (directory.isEmpty, file.isEmpty) {
    case (false, true): place = .journal(directory)
    case (true, false): place = .export(file)
    default:
      throw UsageError("replay needs either --state-dir, the directory of a journal, or --export, an exported one")
    }
    func revision(_ name: String) throws(UsageError) -> UInt64? {
      guard parsed.flag(name) else { return nil }
      return UInt64(try parsed.integer(name, in: 0...Int.max, default: 0))
    }
    (from, to, findsAll) = (try revision("from"), try revision("to"), parsed.flag("all"))
    if let from, let to, to < from { throw UsageError("--to \(to) is before --from \(from)") }
    isJSON = parsed.flag("json")
  }

  /// A bar of 40 characters that shows how much is done, and the percentage.
  static func bar(_ done: UInt64, of total: UInt64) -> String {
    // A hub may have stored more since the replay has begun.
    let (width, share) = (40, min(Double(done) / Double(total), 1))
    let filled = Int(share * Double(width))
    return "replaying [\(String(repeating: "#", count: filled))\(String(repeating: ".", count: width - filled))] "
      + "\(Int(share * 100)) %"
  }

  private func source() throws -> any ReplaySource {
    switch place {
    case .journal(let directory): try JournalSource(directory)
    case .export(let file): try ExportSource(file)
    }
  }

  /// Replays the journal, prints the result, and returns the exit status.
  func run<State, Action>(_ engine: FeatureEngine<State, Action>) -> Int32 {
    let text = ReplayText(schema: Schema(state: State.self, action: Action.self))
    let isTerminal = isatty(STDERR_FILENO) == 1
    do {
      var replay = JournalReplay(source: try source(), from: from, to: to, findsAll: findsAll)
      for note in replay.source.notes { printError(note) }
      // The issues that reducers report are not those of the replay.
      let summary = try withIssueReporters([]) {
        try replay.run(engine) { difference in
          if isJSON { print(text.json(difference)) } else { for line in text.lines(difference) { print(line) } }
        } onProgress: { done, total in
          if isTerminal, total > 0 { writeToStandardError("\r\(Self.bar(done, of: total))") }
        }
      }
      if isTerminal { writeToStandardError("\r\u{1b}[K") }
      print(isJSON ? "\(text.json(summary))" : text.line(summary))
      return summary.differences == 0 ? 0 : 3
    } catch {
      if isTerminal { writeToStandardError("\r\u{1b}[K") }
      printError("\(error)")
      return 1
    }
  }
}

private func writeToStandardError(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
