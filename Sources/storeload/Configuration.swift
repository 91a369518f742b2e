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
  /// The text of the scenario, if the program should only print it.
  var scenarioText: String?

  init(_ options: ParsedOptions) throws(UsageError) {
    path = try options.socketPath("socket", default: defaultSocketPath())
    let (plan, text) = try Self.scenario(options)
    self.plan = plan
    if options.flag("print-scenario") { scenarioText = text }
    try override(options)
    if options.flag("hub-pid") {
      process = Int32(try options.integer("hub-pid", in: 1...Int(Int32.max), default: 1))
    }
    form = options.flag("json") ? .json : options.flag("csv") ? .csv : .text
    report = options.string("report")
    isLive = options.flag("quiet") ? false : options.flag("live") ? true : nil
    searchLimit = try options.seconds("search")
    if let searchLimit, searchLimit <= 0 { throw UsageError("--search needs a time above 0") }
  }

  private static func scenario(_ options: ParsedOptions) throws(UsageError) -> (Plan, String) {
    if let action = options.string("action") {
      var plan = Plan()
      plan.name = action
      var kind = Plan.Action(name: "action", send: action)
      kind.ids = options.string("ids")
      plan.actions = [kind]
      return (plan, "[action action]\nsend = \(action)\n" + (kind.ids.map { "ids = \($0)\n" } ?? ""))
    }
    let words = ["increment", "add", "edit", "move", "delete", "toggle"]
    let workload = try options.choice("workload", of: words.map { ($0, $0) }, default: "increment")
    let name = options.string("scenario") ?? workload
    var text = ""
    if let builtIn = BuiltInScenario(rawValue: name) {
      text = builtIn.text
    } else if let content = File.read(name) {
      text = content
    } else {
      throw UsageError(
        "there is no file '\(name)', and no scenario of this name: there are counter, list, dashboards and team")
    }
    do throws(LoadError) {
      return (try Scenario.plan(parsing: text, name: name), text)
    } catch {
      throw UsageError(error.description)
    }
  }

  /// Replaces settings of the scenario by those of the command line.
  private mutating func override(_ options: ParsedOptions) throws(UsageError) {
    plan.connections = try options.integer("connections", in: 1...100_000, default: plan.connections)
    if options.flag("depth") { plan.depth = try options.integer("depth", in: 1...65_536, default: 1) }
    plan.rate = try options.number("rate", in: 0.001...1e9) ?? plan.rate
    plan.rampTo = try options.number("ramp-to", in: 0.001...1e9) ?? plan.rampTo
    if plan.rampTo != nil, plan.rate == nil { throw UsageError("--ramp-to needs --rate") }
    plan.arrival = try options.choice(
      "arrival", of: Plan.Arrival.allCases.map { ($0.rawValue, $0) }, default: plan.arrival)
    if options.flag("actions") {
      plan.count = try options.integer("actions", in: 1...Int(Int32.max), default: 1)
      plan.duration = nil
    }
    if let duration = try options.seconds("duration") {
      guard duration > 0 else { throw UsageError("--duration needs a time above 0") }
      guard !options.flag("actions") else { throw UsageError("--actions and --duration exclude each other") }
      (plan.duration, plan.count) = (duration, nil)
    }
    if plan.count == nil, plan.duration == nil { plan.count = 100_000 }
    plan.warmup = try options.seconds("warmup") ?? plan.warmup
    plan.threads = min(try options.integer("threads", in: 1...64, default: plan.threads), plan.connections)
    plan.payload = try options.integer("payload", in: 0...900_000, default: plan.payload)
    plan.fillCount = try options.integer("todos", in: 0...100_000_000, default: plan.fillCount)
    if plan.fillCount > 0, plan.fill == nil { throw UsageError("--todos needs a scenario with [fill]") }
    plan.watchers = try options.integer("watch", in: 0...100_000, default: plan.watchers)
    plan.scope = options.string("scope") ?? plan.scope
    plan.scopes = try options.integer("scopes", in: 1...1_000_000, default: plan.scopes)
    plan.slowWatchers = try options.integer("slow", in: 0...100_000, default: plan.slowWatchers)
    if plan.slowWatchers > plan.watchers {
      throw UsageError("--slow needs as many subscribers: --watch \(plan.slowWatchers)")
    }
    plan.churn = try options.number("churn", in: 0...1e6) ?? plan.churn
    plan.storm = try options.seconds("storm") ?? plan.storm
    if options.flag("reconnect") { plan.reconnects = true }
    if options.flag("alone") { plan.isAlone = true }
    plan.timeout = try options.seconds("timeout") ?? plan.timeout
    plan.seed = UInt64(try options.integer("seed", in: 0...Int.max, default: Int(plan.seed)))
  }
}
