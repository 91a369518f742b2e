internal import INIText
internal import Spelling

/// Reads plans from INI files.
public enum Scenario {
  private static let loadKeys = [
    "name", "connections", "depth", "rate", "ramp-to", "arrival", "actions", "duration", "warmup", "threads", "payload",
    "churn", "storm", "reconnect", "alone", "timeout", "seed",
  ]
  private static let watchKeys = ["count", "scope", "scopes", "slow", "slow-pause"]
  private static let actionKeys = ["send", "weight", "ids", "order", "sets", "counts", "creates", "removes"]
  private static let fillKeys = ["send", "path", "count"]

  /// Parses a scenario.
  ///
  /// - Throws: `LoadError.scenario` with the line of the first mistake.
  public static func plan(parsing text: String, name: String) throws(LoadError) -> Plan {
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
    return plan
  }

  private static func load(_ reader: SectionReader, into plan: inout Plan) throws(LoadError) {
    try reader.check(loadKeys)
    plan.name = reader["name"] ?? plan.name
    plan.connections = try reader.integer("connections", 1...100_000) ?? plan.connections
    plan.depth = try reader.integer("depth", 1...65_536)
    plan.rate = try reader.number("rate", 0.001...1e9)
    plan.rampTo = try reader.number("ramp-to", 0.001...1e9)
    if plan.rampTo != nil, plan.rate == nil { throw reader.mistake("ramp-to", "needs rate as well") }
    if let text = reader["arrival"] {
      guard let arrival = Plan.Arrival(rawValue: text) else { throw reader.mistake("arrival", "is even or poisson") }
      plan.arrival = arrival
    }
    plan.count = try reader.integer("actions", 1...Int(Int32.max))
    plan.duration = try reader.number("duration", 0.01...1e6)
    plan.warmup = try reader.number("warmup", 0...1e6) ?? 0
    plan.threads = try reader.integer("threads", 1...64) ?? 1
    plan.payload = try reader.integer("payload", 0...900_000) ?? 0
    plan.churn = try reader.number("churn", 0...1e6) ?? 0
    plan.storm = try reader.number("storm", 0...1e6) ?? 0
    plan.reconnects = try reader.answer("reconnect")
    plan.isAlone = try reader.answer("alone")
    plan.timeout = try reader.number("timeout", 0.1...1e6) ?? plan.timeout
    plan.seed = UInt64(try reader.integer("seed", 0...Int.max) ?? 1)
  }

  private static func watch(_ reader: SectionReader, into plan: inout Plan) throws(LoadError) {
    try reader.check(watchKeys)
    plan.watchers = try reader.integer("count", 0...100_000) ?? 0
    plan.scope = reader["scope"] ?? plan.scope
    plan.scopes = try reader.integer("scopes", 1...1_000_000) ?? plan.scopes
    plan.slowWatchers = try reader.integer("slow", 0...100_000) ?? 0
    plan.slowPause = try reader.number("slow-pause", 0.001...1e6) ?? plan.slowPause
  }

  private static func fill(_ reader: SectionReader, into plan: inout Plan) throws(LoadError) {
    try reader.check(fillKeys)
    guard let send = reader["send"], let path = reader["path"] else {
      throw reader.mistake(nil, "[fill] needs send and path")
    }
    plan.fill = Plan.Action(name: "fill", send: send)
    plan.fillPath = path
    plan.fillCount = try reader.integer("count", 0...100_000_000) ?? 0
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
    action.removes = try reader.answer("removes")
    return action
  }
}

private struct SectionReader {
  let section: INIText.Section
  let file: String

  subscript(key: String) -> String? { section[key] }

  func check(_ keys: [String]) throws(LoadError) {
    for value in section.values where !keys.contains(value.key) {
      let question = Spelling.question(Spelling.nearest(to: value.key, among: keys))
      throw .scenario("\(file), line \(value.line): [\(section.name)] has no '\(value.key)'\(question)")
    }
  }

  func mistake(_ key: String?, _ reason: String) -> LoadError {
    let line = section.values.first { $0.key == key }.map { ", line \($0.line)" } ?? ""
    return .scenario("\(file)\(line): \(key.map { "\($0) " } ?? "")\(reason)")
  }

  func answer(_ key: String) throws(LoadError) -> Bool {
    guard let text = section[key] else { return false }
    guard ["yes", "no"].contains(text) else { throw mistake(key, "is yes or no") }
    return text == "yes"
  }

  func integer(_ key: String, _ range: ClosedRange<Int>) throws(LoadError) -> Int? {
    guard let text = section[key] else { return nil }
    guard let value = Int(text.filter { $0 != "," && $0 != "_" }), range.contains(value) else {
      throw mistake(key, "needs a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return value
  }

  func number(_ key: String, _ range: ClosedRange<Double>) throws(LoadError) -> Double? {
    guard let text = section[key] else { return nil }
    guard let value = Double(text.filter { $0 != "," && $0 != "_" }), range.contains(value) else {
      throw mistake(key, "needs a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return value
  }
}
