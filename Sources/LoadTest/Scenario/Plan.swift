/// What a load test does: which actions, how many, how fast, and with which other clients.
public struct Plan: Equatable, Sendable {
  /// How the times of an open loop are chosen.
  public enum Arrival: String, CaseIterable, Sendable {
    /// At equal distances.
    case even
    /// At random, as from many independent users.
    case poisson
  }

  /// One kind of action.
  public struct Action: Equatable, Sendable {
    /// The name in reports.
    public var name: String
    /// The action's path and values, with placeholders.
    public var send: String
    /// How often it is sent, relative to the others.
    public var weight = 1
    /// The path of the collection whose elements `{id}` stands for.
    public var ids: String?
    /// Whether elements come at random and not each in turn.
    public var isRandom = false
    /// A part of an element and its value afterwards: `todos.todos[{id}].text "{text}"`.
    public var sets: String?
    /// A number, or a collection, and by how much it grows: `counter.count 1`.
    public var counts: String?
    /// A collection, a field and the value by which the new element is recognised: `todos.todos text "{text}"`.
    public var creates: String?
    /// Whether it removes its element.
    public var removes = false

    /// Creates a kind of action.
    public init(name: String, send: String) { (self.name, self.send) = (name, send) }
  }

  /// The name of the scenario.
  public var name = ""
  /// The kinds of actions.
  public var actions: [Action] = []
  /// An action that is sent until a collection is long enough, before the clock starts.
  public var fill: Action?
  /// The path of that collection.
  public var fillPath = ""
  /// Its length.
  public var fillCount = 0

  /// How many connections send.
  public var connections = 1
  /// How many actions each keeps in flight; in an open loop, the most it may have.
  public var depth: Int?
  /// How many actions arrive in a second; nil for a closed loop.
  public var rate: Double?
  /// The rate at the end of an open loop that begins with `rate`.
  public var rampTo: Double?
  /// How the times of an open loop are chosen.
  public var arrival = Arrival.even
  /// How many actions are measured; nil if time ends the run.
  public var count: Int?
  /// How long is measured, in seconds.
  public var duration: Double?
  /// How long is sent before the measurement begins, in seconds.
  public var warmup = 0.0
  /// How many threads send.
  public var threads = 1
  /// The size of `{text}` in bytes.
  public var payload = 0

  /// How many subscribers there are.
  public var watchers = 0
  /// The part of the state that each subscribes to; may have `{id}`.
  public var scope = "."
  /// Over how many elements the subscribers are spread, if the scope has `{id}`.
  public var scopes = 1
  /// How many of the subscribers read only once in `slowPause`.
  public var slowWatchers = 0
  /// How long a slow subscriber does not read, in seconds.
  public var slowPause = 1.0

  /// How many sessions a second leave, and are followed by new ones.
  public var churn = 0.0
  /// The time between two moments at which all connections are cut and resumed, in seconds; 0 for never.
  public var storm = 0.0
  /// How long the hub may be silent, in seconds.
  public var timeout = 10.0
  /// The seed of everything random.
  public var seed: UInt64 = 1
  /// The largest state whose hash is compared at the end, in bytes.
  public var hashLimit = 16 << 20

  /// Creates a plan without actions.
  public init() {}

  /// Whether actions arrive at their own times, whatever the hub does.
  public var isOpenLoop: Bool { rate != nil }

  /// The most actions that a connection has in flight.
  public var flight: Int { depth ?? (isOpenLoop ? 4096 : 1) }

  /// One line for reports.
  public var summary: String {
    var parts: [String] = []
    if let rate {
      let ramp = rampTo.map { " rising to \(Decimals.grouped($0))" } ?? ""
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
    if payload > 0 { parts.append("texts of \(payload) bytes") }
    if warmup > 0 { parts.append("\(Decimals.short(warmup)) s of warm-up") }
    return parts.joined(separator: "; ")
  }
}
