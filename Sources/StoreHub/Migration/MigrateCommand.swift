internal import HubCore
internal import IssueReporting
internal import JSONText
internal import ProgramOptions
internal import Wire

/// The command `migrate` of every service.
struct MigrateCommand {
  private let check: MigrationCheck
  private let isJSON: Bool

  static let name = "migrate"
  /// The number of fields whose values are shown, and of characters of a value.
  private static let (limit, width) = (10, 120)

  /// Its options.
  static let declaration = ProgramOptions.Command(
    name, "show what this program would make of the state in a journal",
    options: [
      .init("check", "convert a copy in memory and report the changes; the hub itself migrates at its start"),
      .init(
        "state-dir", argument: "DIR", "the directory of the journal, which a hub may be writing", value: .file),
      .init("json", short: "j", "print the report as one JSON object"),
    ],
    details: [
      .text(
        """
        The report names both schemas by their fingerprints, the migrations that run, the fields that appear, disappear, \
        change or are renamed, examples of values, and whether clients of the earlier version can go on and send their \
        pending actions. Nothing is written. docs/MIGRATIONS.md describes how to write migrations.
        """),
      .text(
        "The exit status is 0 if the hub would start, 3 if it would refuse the state, 1 if the journal cannot be read, "
          + "and 2 for a wrong command line."),
    ])

  init(_ parsed: ParsedOptions) throws(UsageError) {
    guard parsed.flag("check") else {
      throw UsageError("migrate needs --check: the hub itself migrates, when it starts")
    }
    guard let directory = parsed.string("state-dir"), !directory.isEmpty else {
      throw UsageError("migrate needs --state-dir, the directory of a journal")
    }
    (check, isJSON) = (MigrationCheck(directory: directory), parsed.flag("json"))
  }

  /// Checks the journal, prints the report, and returns the exit status.
  func run<State, Action>(_ engine: FeatureEngine<State, Action>) -> Int32 {
    do {
      let report = try check.run(engine)
      if isJSON { print(Self.json(report)) } else { for line in Self.lines(report) { print(line) } }
      return report.refusal == nil ? 0 : 3
    } catch {
      printError("\(error)")
      return 1
    }
  }

  /// The report for people.
  static func lines(_ report: MigrationCheck.Report) -> [String] {
    guard report.isNeeded else {
      let reason = report.refusal.map { ["the hub would not start: \($0)"] }
      return reason ?? ["nothing to migrate: revision \(report.revision) has the schema \(report.to) of this program"]
    }
    var lines = ["from \(report.from), revision \(report.revision)", "to   \(report.to)"]
    if let refusal = report.refusal { lines.append("the hub would not start: \(refusal)") }
    if report.refusal == nil {
      lines += report.steps.isEmpty ? ["converted by name"] : report.steps.map { "step \($0)" }
    }
    lines += report.added.map { "added: \($0)" } + report.removed.map { "removed: \($0)" }
    lines += report.renamed.map { "renamed: \($0)" } + report.changed.map { "changed: \($0)" }
    for value in report.values.prefix(limit) {
      let former = value.formerName.map { " (was \($0))" } ?? ""
      lines.append("  \(value.name)\(former): stored \(text(value.stored)), now \(text(value.now))")
    }
    if report.values.count > limit { lines.append("  and \(counted(report.values.count - limit, "field"))") }
    lines.append(
      report.clientDifference.map { "clients of the earlier version are refused: \($0)" }
        ?? "clients of the earlier version continue")
    lines.append(
      report.actionDifference.map { "some of their pending actions cannot be sent: \($0)" }
        ?? "their pending actions can be sent")
    if report.droppedEffects > 0 {
      lines.append("\(counted(report.droppedEffects, "effect")) cannot be restarted: the action is missing")
    }
    return lines
  }

  /// The report as one JSON object.
  static func json(_ report: MigrationCheck.Report) -> JSONValue {
    func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    return [
      "from": .string("\(report.from)"), "to": .string("\(report.to)"), "revision": .integer(report.revision),
      "isNeeded": .bool(report.isNeeded), "refusal": report.refusal.map { .string($0) } ?? .null,
      "steps": list(report.steps), "added": list(report.added), "removed": list(report.removed),
      "renamed": list(report.renamed), "changed": list(report.changed),
      "values": .array(
        report.values.map { value -> JSONValue in
          [
            "name": .string(value.name), "formerName": value.formerName.map { .string($0) } ?? .null,
            "stored": value.stored ?? .null, "now": value.now ?? .null,
          ]
        }),
      "clientDifference": report.clientDifference.map { .string($0) } ?? .null,
      "actionDifference": report.actionDifference.map { .string($0) } ?? .null,
      "droppedEffects": .integer(UInt64(report.droppedEffects)),
    ]
  }

  private static func text(_ value: JSONValue?) -> String {
    guard let value else { return "nothing" }
    let text = "\(value)"
    return text.count > width ? text.prefix(width - 1) + "…" : text
  }
}
