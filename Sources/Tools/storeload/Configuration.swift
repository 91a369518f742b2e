import LoadTest
import ProgramOptions

/// The settings of a run.
struct Configuration {
  /// The format of the printed result.
  enum Form {
    case text, json, csv
  }

  var path: String
  var plan: Plan
  var process: Int32?
  var form = Form.text
  var report: String?
  var isLive: Bool?
  /// The p99 limit in seconds for which the highest rate is searched.
  var searchLimit: Double?
  /// True if the program should only print the plan.
  var isPrinted: Bool

  init(_ options: ParsedOptions) throws(UsageError) {
    try options.checkAlternatives(Self.alternatives)
    path = try options.socketPath("socket", default: defaultSocketPath())
    plan = try Self.plan(options)
    isPrinted = options.flag("print-scenario")
    if options.flag("hub-pid") {
      process = Int32(try options.integer("hub-pid", in: 1...Int(Int32.max), default: 1))
    }
    form = options.flag("json") ? .json : options.flag("csv") ? .csv : .text
    report = options.string("report")
    isLive = options.flag("quiet") ? false : options.flag("live") ? true : nil
    searchLimit = try options.seconds("search")
    if let searchLimit, searchLimit <= 0 { throw UsageError("--search needs a time above 0") }
    try checkEffects(of: options)
  }

  /// Refuses options that would be ignored.
  ///
  /// The table of options cannot require --watch and --rate, because a scenario may contain the same settings, and a
  /// search sets the rate.
  private func checkEffects(of options: ParsedOptions) throws(UsageError) {
    for name in ["scope", "scopes"] where options.flag(name) && plan.watchers == 0 {
      throw UsageError("--\(name) has no effect without --watch")
    }
    guard !options.flag("arrival") || plan.isOpenLoop || searchLimit != nil else {
      throw UsageError("--arrival has no effect without --rate")
    }
  }

  /// The options of which only one can be given.
  private static let alternatives = [
    ["action", "scenario", "workload"], ["actions", "duration"], ["search", "actions"], ["json", "csv"],
    ["quiet", "live"],
  ]

  /// Returns the plan of the scenario, with settings replaced by those of the command line.
  private static func plan(_ options: ParsedOptions) throws(UsageError) -> Plan {
    var values: [String: String] = [:]
    for name in Scenario.options where options.flag(name) {
      switch name {
      case "reconnect", "alone": values[name] = "yes"
      case "busy-poll": values[name] = try options.busyPoll().map { "\($0.inSeconds)" }
      case "duration", "warmup", "storm", "timeout": values[name] = try options.seconds(name).map { "\($0)" }
      default: values[name] = options.string(name)
      }
    }
    do throws(LoadError) {
      if let action = options.string("action") {
        return try Scenario.plan(sending: action, ids: options.string("ids"), options: values)
      }
      let (name, text) = try scenario(options)
      return try Scenario.plan(parsing: text, name: name, options: values)
    } catch {
      throw UsageError(error.description)
    }
  }

  /// Returns the name and the text of the scenario.
  private static func scenario(_ options: ParsedOptions) throws(LoadError) -> (String, String) {
    let words = ["increment", "add", "edit", "move", "delete", "toggle"]
    let workload = options.string("workload") ?? "increment"
    guard words.contains(workload) else {
      throw .scenario("--workload must be one of \(words.joined(separator: ", ")), not '\(workload)'")
    }
    let name = options.string("scenario") ?? workload
    if let scenario = BuiltInScenario(rawValue: name) { return (name, scenario.text) }
    do throws(File.Failure) { return (name, try File.read(name)) } catch {
      guard error.isMissing else { throw .scenario("cannot read '\(name)': \(error)") }
      throw .scenario(
        "there is no file '\(name)', and no scenario of this name: there are counter, list, dashboards and team")
    }
  }
}
