/// The plan of a load test: the actions, their number and rate, and the other clients.
package struct Plan: Equatable, Sendable {
  /// The distribution of times in an open loop.
  package enum Arrival: String, CaseIterable, Sendable {
    /// Equal intervals.
    case even
    /// Random intervals, as from many independent users.
    case poisson
  }

  /// One kind of action.
  package struct Action: Equatable, Sendable {
    /// The name in reports.
    package var name: String
    /// The action's path and values, with placeholders.
    package var send: String
    /// Its frequency relative to the others.
    package var weight = 1
    /// The path of the collection for `{id}`.
    package var ids: String?
    /// True to choose elements at random and not in turn.
    package var isRandom = false
    /// A part of an element and its value after the action: `todos.todos[{id}].text "{text}"`.
    package var sets: String?
    /// A number or a collection, and the amount by which it grows: `counter.count 1`.
    package var counts: String?
    /// A collection, a field and the value by which the new element is recognised: `todos.todos text "{text}"`.
    package var creates: String?
    /// True if it removes its element.
    package var removes = false

    /// Creates a kind of action.
    package init(name: String, send: String) { (self.name, self.send) = (name, send) }
  }

  /// The name of the scenario.
  package var name = ""
  /// The kinds of actions.
  package var actions: [Action] = []
  /// An action that is sent before the measurement until a collection is long enough.
  package var fill: Action?
  /// The path of that collection.
  package var fillPath = ""
  /// Its length.
  package var fillCount = 0

  /// The number of connections that send.
  package var connections = 1
  /// The number of actions that each keeps in flight; in an open loop, the maximum.
  package var depth: Int?
  /// The number of actions per second; nil for a closed loop.
  package var rate: Double?
  /// The rate at the end of an open loop that starts with `rate`.
  package var rampTo: Double?
  /// The distribution of times in an open loop.
  package var arrival = Arrival.even
  /// The number of measured actions; nil if time ends the run.
  package var count: Int?
  /// The duration of the measurement in seconds.
  package var duration: Double?
  /// The duration of the warm-up in seconds.
  package var warmup = 0.0
  /// The number of generator threads.
  package var threads = 1
  /// The size of `{text}` in bytes.
  package var payload = 0

  /// The number of subscribers.
  package var watchers = 0
  /// The part of the state to which each subscribes; may contain `{id}`.
  package var scope = "."
  /// The number of elements over which the subscribers are spread, if the scope contains `{id}`.
  package var scopes = 1
  /// The number of subscribers that read only once per `slowPause`.
  package var slowWatchers = 0
  /// The time in seconds for which a slow subscriber does not read.
  package var slowPause = 1.0

  /// The number of sessions per second that are replaced by new ones.
  package var churn = 0.0
  /// The interval in seconds at which all connections are closed and resumed; 0 for never.
  package var storm = 0.0
  /// True if the run goes on when the hub closes connections: they are opened again and their sessions resumed.
  package var reconnects = false
  /// True if no other client acts and the feature sends itself no actions, so that the revision grows by this run alone.
  package var isAlone = false
  /// The time in seconds for which a generator thread polls without sleeping after activity; 0 for never.
  package var busyPoll = 0.0
  /// The time in seconds for which the hub may be silent.
  package var timeout = 10.0
  /// The seed of all random choices.
  package var seed: UInt64 = 1
  /// The largest state in bytes whose hash is compared at the end.
  package var hashLimit = 16 << 20

  /// Creates a plan without actions.
  package init() {}

  /// True if actions arrive at scheduled times, whatever the hub does.
  package var isOpenLoop: Bool { rate != nil }

  /// The maximum number of actions that a connection has in flight.
  package var flight: Int { depth ?? (isOpenLoop ? 4096 : 1) }

  /// The time in seconds over which the rate changes to `rampTo`: until the end of the run.
  var rampSeconds: Double {
    guard let rate, let rampTo else { return 0 }
    return warmup + (duration ?? 2 * Double(count ?? 0) / (rate + rampTo))
  }

  /// The plan as one line for reports.
  package var summary: String {
    var parts: [String] = []
    if let rate {
      let ramp = rampTo.map { " \($0 < rate ? "falling" : "rising") to \(Decimals.grouped($0))" } ?? ""
      parts.append(
        "open loop, \(Decimals.grouped(rate))\(ramp) actions/s (\(arrival.rawValue)), at most \(flight) in flight each")
    } else {
      parts.append("closed loop, \(flight) in flight each")
    }
    parts.append(
      "\(connections) connection\(connections == 1 ? "" : "s") on \(threads) thread\(threads == 1 ? "" : "s")")
    if watchers > 0 {
      let place = scope == "." ? "the whole state" : scope
      parts.append(
        "\(watchers) subscriber\(watchers == 1 ? "" : "s") to \(place)"
          + (scopes > 1 ? " in \(scopes) scopes" : "") + (slowWatchers > 0 ? ", \(slowWatchers) of them slow" : ""))
    }
    if churn > 0 { parts.append("\(Decimals.short(churn)) sessions/s replaced") }
    if storm > 0 { parts.append("all connections cut every \(Decimals.short(storm)) s") }
    if reconnects { parts.append("connections that the hub closes are opened again") }
    if busyPoll > 0 { parts.append("polling for \(Decimals.short(busyPoll * 1e6)) µs after activity") }
    if isAlone { parts.append("no other client") }
    if payload > 0 { parts.append("texts of \(payload) bytes") }
    if warmup > 0 { parts.append("\(Decimals.short(warmup)) s of warm-up") }
    return parts.joined(separator: "; ")
  }
}
