internal import Journal
internal import ProgramOptions
internal import TurnLog
internal import Wire

/// The subcommand `storehubd journal …`, which inspects and repairs a journal that no hub uses.
struct JournalCommand {
  private let program: String
  /// The schema of the service, which replaces a damaged one.
  private let schema: Schema

  /// Creates the command of a service.
  init(of program: String, _ schema: Schema) { (self.program, self.schema) = (program, schema) }

  private static let actions = [
    ("verify", "read everything, and print the last sound revision"),
    ("repair", "copy the damaged files, keep the turns up to a revision and discard the rest"),
    ("export", "print the turns and the sessions, one JSON object per line"),
  ]

  static let command = ProgramOptions.Command(
    "journal", "check, repair or print the journal of a hub that is not running",
    arguments: [.init("ACTION", value: .words(actions.map(\.0)))],
    options: [
      .init("state-dir", argument: "DIR", "the hub's state directory; required", value: .file),
      .init("to", argument: "REV", "the last revision to keep; default: the last sound one", if: .argument("repair")),
    ],
    details: [.terms(actions)])

  /// Runs the subcommand and returns the exit status: 0; 9 if the journal is damaged; 1 for another error.
  func run(_ parsed: ParsedOptions) throws(UsageError) -> Int32 {
    let (names, action) = (Self.actions.map(\.0), parsed.arguments.first ?? "")
    guard names.contains(action) else {
      throw UsageError("journal needs one of \(names.joined(separator: ", ")), not '\(action)'")
    }
    guard let directory = parsed.string("state-dir"), !directory.isEmpty else {
      throw UsageError("journal \(action) needs --state-dir")
    }
    let revision = try parsed.string("to").map { (text) throws(UsageError) in
      guard let revision = UInt64(text) else { throw UsageError("--to needs a revision, not '\(text)'") }
      return revision
    }
    do throws(LogError) {
      switch action {
      case "verify":
        return verify(try JournalTool.verify(directory, readsStates: true, schemas: [schema]), directory)
      case "repair":
        let repair = try JournalTool.repair(directory, to: revision, readsStates: true, schemas: [schema])
        guard let repair else {
          print("\(directory) is sound; nothing was changed")
          return 0
        }
        print("\(directory) now ends with revision \(repair.revision); discarded: \(repair.discarded)")
        print("the original files are in \(repair.copy)")
        if let revision, let end = repair.discardedTurnEnd {
          print("revision \(revision) is inside a turn that ends with revision \(end); only whole turns are kept")
        }
      default: try JournalTool.export(directory) { print($0) }
      }
      return 0
    } catch {
      printError("\(program): \(error)")
      return error.problem == .damaged ? Self.damaged : 1
    }
  }

  private func verify(_ report: JournalTool.Report, _ directory: String) -> Int32 {
    if report.epoch == nil {
      // Without the head, it is unknown where the turns begin.
      print("\(directory): an unknown number of turns in files of \(report.fileBytes) bytes")
    } else {
      let size = "\(counted(report.turns, "turn")) of \(report.turnBytes) bytes in files of \(report.fileBytes) bytes"
      let others = "\(counted(report.snapshots.count, "snapshot")), \(counted(report.sessions, "session"))"
      print("\(directory): \(size), \(others)")
    }
    if let revision = report.soundRevision { print("sound up to revision \(revision)") }
    for problem in report.problems { print("damaged: \(problem)") }
    for note in report.notes { print("note: \(note)") }
    guard !report.isSound else { return 0 }
    if let effect = report.repairEffect {
      print("`\(program) journal repair --state-dir \(directory)` \(effect)")
    } else if let remedy = report.remedy {
      print("no state can be recovered. \(remedy)")
    }
    return Self.damaged
  }

  /// The exit status for damage, which is also that of storectl.
  private static let damaged: Int32 = 9
}
