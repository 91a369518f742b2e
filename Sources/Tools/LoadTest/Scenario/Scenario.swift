internal import INIText
internal import Spelling

/// Reads plans from INI files.
package enum Scenario {
  private static let loadKeys = [
    "name", "connections", "depth", "rate", "ramp-to", "arrival", "actions", "duration", "warmup", "threads", "payload",
    "churn", "storm", "reconnect", "alone", "timeout", "seed", "busy-poll",
  ]
  private static let watchKeys = ["count", "scope", "scopes", "slow", "slow-pause"]
  private static let actionKeys = ["send", "weight", "ids", "order", "sets", "counts", "creates", "removes"]
  private static let fillKeys = ["send", "path", "count"]
  /// The options of the command line that replace keys of other sections.
  private static let optionKeys: [String: (section: String, key: String)] = [
    "todos": ("fill", "count"), "watch": ("watch", "count"), "scope": ("watch", "scope"), "scopes": ("watch", "scopes"),
    "slow": ("watch", "slow"),
  ]

  /// The options of the command line that replace settings of a scenario.
  package static let options = loadKeys.filter { $0 != "name" } + optionKeys.keys.sorted()

  fileprivate static func place(of option: String) -> (section: String, key: String) {
    optionKeys[option] ?? ("load", option)
  }

  fileprivate static func option(_ section: String, _ key: String) -> String {
    optionKeys.first { $0.value == (section, key) }?.key ?? key
  }

  /// Parses a scenario.
  ///
  /// - Parameter options: Values by the names of options, which replace settings of the scenario; times in seconds.
  /// - Throws: `LoadError.scenario` with the line or the option of the first mistake.
  package static func plan(
    parsing text: String, name: String, options: [String: String] = [:]
  ) throws(LoadError) -> Plan {
    let file: INIText
    do throws(INIError) {
      file = try INIText(parsing: text)
    } catch {
      throw .scenario("\(name), \(error)")
    }
    var plan = Plan()
    plan.name = name
    for section in file.sections {
      let words = section.name.split(separator: " ", maxSplits: 1).map(String.init)
      let reader = SectionReader(section: section, file: name)
      switch words.first {
      case "load": try load(reader, into: &plan)
      case "watch": try watch(reader, into: &plan)
      case "fill": try fill(reader, into: &plan)
      case "action" where words.count == 2: plan.actions.append(try action(words[1], reader))
      default:
        throw .scenario(
          "\(name): there is no section [\(section.name)]; there are [load], [fill], [watch] and [action NAME]")
      }
    }
    guard !plan.actions.isEmpty else { throw .scenario("\(name) has no section [action NAME]") }
    return try complete(plan, options)
  }

  /// Returns a plan with one kind of action.
  package static func plan(
    sending action: String, ids: String?, options: [String: String]
  ) throws(LoadError) -> Plan {
    var plan = Plan()
    plan.name = action
    plan.actions = [Plan.Action(name: "action", send: action)]
    plan.actions[0].ids = ids
    return try complete(plan, options)
  }

  private static func replace(_ options: [String: String], in plan: inout Plan) throws(LoadError) {
    if options["actions"] != nil { plan.duration = nil }
    if options["duration"] != nil { plan.count = nil }
    try load(SectionReader(section: "load", options: options), into: &plan)
    try watch(SectionReader(section: "watch", options: options), into: &plan)
    let count = try SectionReader(section: "fill", options: options).integer("count", countRange)
    guard let count else { return }
    guard plan.fill != nil || count == 0 else { throw .scenario("--todos needs a scenario with [fill]") }
    plan.fillCount = count
  }

  /// Replaces settings by options, checks those that depend on others, and sets the default ones.
  private static func complete(_ plan: Plan, _ options: [String: String]) throws(LoadError) -> Plan {
    var plan = plan
    try replace(options, in: &plan)
    if plan.rampTo != nil, plan.rate == nil { throw .scenario("ramp-to needs rate as well") }
    guard plan.count == nil || plan.duration == nil else { throw .scenario("actions and duration exclude each other") }
    if plan.count == nil, plan.duration == nil { plan.count = 100_000 }
    guard plan.slowWatchers <= plan.watchers else {
      throw .scenario(
        "the scenario has \(plan.watchers) subscribers (--watch), but \(plan.slowWatchers) slow ones (--slow)")
    }
    plan.threads = min(plan.threads, plan.connections)
    return plan
  }

  private static let countRange = 0...100_000_000

  private static func load(_ reader: SectionReader, into plan: inout Plan) throws(LoadError) {
    try reader.check(loadKeys)
    plan.name = reader["name"] ?? plan.name
    plan.connections = try reader.integer("connections", 1...100_000) ?? plan.connections
    plan.depth = try reader.integer("depth", 1...65_536) ?? plan.depth
    plan.rate = try reader.number("rate", 0.001...1e9) ?? plan.rate
    plan.rampTo = try reader.number("ramp-to", 0.001...1e9) ?? plan.rampTo
    if let text = reader["arrival"] {
      guard let arrival = Plan.Arrival(rawValue: text) else { throw reader.mistake("arrival", "is even or poisson") }
      plan.arrival = arrival
    }
    plan.count = try reader.integer("actions", 1...Int(Int32.max)) ?? plan.count
    plan.duration = try reader.number("duration", 0.01...1e6) ?? plan.duration
    plan.warmup = try reader.number("warmup", 0...1e6) ?? plan.warmup
    plan.threads = try reader.integer("threads", 1...64) ?? plan.threads
    plan.payload = try reader.integer("payload", 0...900_000) ?? plan.payload
    plan.churn = try reader.number("churn", 0...1e6) ?? plan.churn
    plan.storm = try reader.number("storm", 0...1e6) ?? plan.storm
    plan.reconnects = try reader.answer("reconnect") ?? plan.reconnects
    plan.isAlone = try reader.answer("alone") ?? plan.isAlone
    plan.busyPoll = try reader.number("busy-poll", 0...0.01) ?? plan.busyPoll
    plan.timeout = try reader.number("timeout", 0.1...1e6) ?? plan.timeout
    plan.seed = try reader.integer("seed", 0...Int.max).map { UInt64($0) } ?? plan.seed
  }

  private static func watch(_ reader: SectionReader, into plan: inout Plan) throws(LoadError) {
    try reader.check(watchKeys)
    plan.watchers = try reader.integer("count", 0...100_000) ?? plan.watchers
    plan.scope = reader["scope"] ?? plan.scope
    plan.scopes = try reader.integer("scopes", 1...1_000_000) ?? plan.scopes
    plan.slowWatchers = try reader.integer("slow", 0...100_000) ?? plan.slowWatchers
    plan.slowPause = try reader.number("slow-pause", 0.001...1e6) ?? plan.slowPause
  }

  private static func fill(_ reader: SectionReader, into plan: inout Plan) throws(LoadError) {
    try reader.check(fillKeys)
    guard let send = reader["send"], let path = reader["path"] else {
      throw reader.mistake(nil, "[fill] needs send and path")
    }
    plan.fill = Plan.Action(name: "fill", send: send)
    plan.fillPath = path
    plan.fillCount = try reader.integer("count", countRange) ?? 0
  }

  private static func action(_ name: String, _ reader: SectionReader) throws(LoadError) -> Plan.Action {
    try reader.check(actionKeys)
    guard let send = reader["send"] else { throw reader.mistake(nil, "[action \(name)] needs send") }
    var action = Plan.Action(name: name, send: send)
    action.weight = try reader.integer("weight", 0...10_000) ?? 1
    action.ids = reader["ids"]
    if let order = reader["order"] {
      guard ["stride", "random"].contains(order) else { throw reader.mistake("order", "is stride or random") }
      action.isRandom = order == "random"
    }
    (action.sets, action.counts, action.creates) = (reader["sets"], reader["counts"], reader["creates"])
    action.removes = try reader.answer("removes") ?? false
    return action
  }
}

/// The settings of a section of a file, or of the options that replace them.
private struct SectionReader {
  private let section: String
  private let texts: [String: String]
  /// The file and its lines; nil for options.
  private let file: (name: String, values: [INIText.Value])?

  init(section: INIText.Section, file: String) {
    (self.section, self.file) = (section.name, (file, section.values))
    texts = Dictionary(section.values.map { ($0.key, $0.text) }) { first, _ in first }
  }

  init(section: String, options: [String: String]) {
    (self.section, file) = (section, nil)
    texts = Dictionary(
      options.compactMap { option, text in
        let (place, key) = Scenario.place(of: option)
        return place == section ? (key, text) : nil
      }
    ) { first, _ in first }
  }

  subscript(key: String) -> String? { texts[key] }

  func check(_ keys: [String]) throws(LoadError) {
    guard let file, let value = file.values.first(where: { !keys.contains($0.key) }) else { return }
    let question = Spelling.question(Spelling.nearest(to: value.key, among: keys))
    throw .scenario("\(file.name), line \(value.line): [\(section)] has no '\(value.key)'\(question)")
  }

  func mistake(_ key: String?, _ reason: String) -> LoadError {
    guard let file else { return .scenario("--\(Scenario.option(section, key ?? "")) \(reason)") }
    let line = file.values.first { $0.key == key }.map { ", line \($0.line)" } ?? ""
    return .scenario("\(file.name)\(line): \(key.map { "\($0) " } ?? "")\(reason)")
  }

  func answer(_ key: String) throws(LoadError) -> Bool? {
    guard let text = texts[key] else { return nil }
    guard ["yes", "no"].contains(text) else { throw mistake(key, "is yes or no") }
    return text == "yes"
  }

  func integer(_ key: String, _ range: ClosedRange<Int>) throws(LoadError) -> Int? {
    guard let text = texts[key] else { return nil }
    guard let value = Int(text.filter { $0 != "," && $0 != "_" }), range.contains(value) else {
      throw mistake(key, "needs a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return value
  }

  func number(_ key: String, _ range: ClosedRange<Double>) throws(LoadError) -> Double? {
    guard let text = texts[key] else { return nil }
    guard let value = Double(text.filter { $0 != "," && $0 != "_" }), range.contains(value) else {
      let bounds = [range.lowerBound, range.upperBound].map { Int(exactly: $0).map { "\($0)" } ?? "\($0)" }
      throw mistake(key, "needs a number from \(bounds[0]) to \(bounds[1]), not '\(text)'")
    }
    return value
  }
}
