extension Scenario {
  /// Returns a plan as the text of a scenario.
  ///
  /// - Throws: `LoadError.scenario` if a value cannot be written, such as one that is longer than a line.
  package static func text(of plan: Plan) throws(LoadError) -> String {
    var sections = [("load", loadValues(plan))]
    if let fill = plan.fill {
      sections.append(("fill", [("send", fill.send), ("path", plan.fillPath), ("count", "\(plan.fillCount)")]))
    }
    if plan.watchers > 0 {
      sections.append(
        (
          "watch",
          [
            ("count", "\(plan.watchers)"), ("scope", plan.scope), ("scopes", "\(plan.scopes)"),
            ("slow", "\(plan.slowWatchers)"), ("slow-pause", "\(plan.slowPause)"),
          ]
        ))
    }
    for action in plan.actions { sections.append(("action \(action.name)", values(action))) }
    let text = sections.map { name, values in
      (["[\(name)]"] + values.compactMap { key, text in text.map { "\(key) = \($0)" } }).joined(separator: "\n")
    }.joined(separator: "\n\n")

    var wanted = plan
    if plan.watchers == 0 { (wanted.scope, wanted.scopes, wanted.slowPause) = (Plan().scope, 1, Plan().slowPause) }
    guard try Self.plan(parsing: text, name: plan.name) == wanted else {
      throw .scenario("this plan cannot be written as a file, because a value contains ' ;' or spaces at an end")
    }
    return text
  }

  private static func loadValues(_ plan: Plan) -> [(String, String?)] {
    [
      ("name", plan.name), ("connections", "\(plan.connections)"), ("depth", plan.depth.map { "\($0)" }),
      ("rate", plan.rate.map { "\($0)" }), ("ramp-to", plan.rampTo.map { "\($0)" }),
      ("arrival", plan.arrival.rawValue), ("actions", plan.count.map { "\($0)" }),
      ("duration", plan.duration.map { "\($0)" }), ("warmup", "\(plan.warmup)"), ("threads", "\(plan.threads)"),
      ("payload", "\(plan.payload)"), ("churn", "\(plan.churn)"), ("storm", "\(plan.storm)"),
      ("reconnect", plan.reconnects ? "yes" : "no"), ("alone", plan.isAlone ? "yes" : "no"),
      ("timeout", "\(plan.timeout)"), ("seed", "\(plan.seed)"), ("busy-poll", "\(plan.busyPoll)"),
    ]
  }

  private static func values(_ action: Plan.Action) -> [(String, String?)] {
    [
      ("send", action.send), ("weight", "\(action.weight)"), ("ids", action.ids),
      ("order", action.isRandom ? "random" : "stride"), ("sets", action.sets), ("counts", action.counts),
      ("creates", action.creates), ("removes", action.removes ? "yes" : "no"),
    ]
  }
}
