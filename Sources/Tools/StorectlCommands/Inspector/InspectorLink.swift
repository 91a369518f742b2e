internal import EventLoop
internal import ReplicaCore
internal import Wire

/// The inspector's session with the hub. It reconnects after each failure.
final class InspectorLink {
  /// The measurements of one second.
  struct Sample {
    let time: Int64
    let rate: Double
    let latency: Duration
    let clients: Int
    /// The hub's own metrics; nil if they are unknown.
    let metrics: HubMetrics?
  }

  /// The feature's state and its schema.
  struct State {
    let value: CBORValue
    let revision: UInt64
    let schema: Schema
  }

  /// The status of the connection to the hub.
  enum Status: Equatable {
    case connecting
    case live
    /// The hub is unreachable, since a time in milliseconds since 1970.
    case away(reason: String, since: Int64)
  }

  private let tool: Tool
  private let onChange: () -> Void
  private(set) var status = Status.connecting
  private(set) var hubName = ""
  /// The feature's schema, also while the hub is unreachable.
  private(set) var schema: Schema? {
    didSet { schemaID = schema?.fingerprint.bytes.hexadecimal }
  }
  /// The comments of the feature's types.
  private(set) var documentation = SchemaDocumentation()
  /// The fingerprint of the schema.
  private(set) var schemaID: String?
  private(set) var samples: [Sample] = []
  /// The number of the oldest sample.
  private(set) var firstSample = 0
  private(set) var revision: UInt64 = 0
  private(set) var hub: HubConnection?
  private var clients: HubConnection.Scope?
  private var metricsMirror: TypedMirror<HubMetrics>?
  private var feature: HubConnection.Scope?
  /// The views of the feature; nil if it declares none, and while the hub is away.
  private(set) var views: InspectorViews?
  /// The last state before the connection to the hub was lost.
  private var last: State?
  private static let sampleLimit = 600

  init(_ tool: Tool, onChange: @escaping () -> Void) {
    (self.tool, self.onChange) = (tool, onChange)
  }

  /// The feature's state. The inspector subscribes to it only while `wantsState` is true.
  var state: State? {
    if let mirror = feature?.mirror, let value = mirror.value, let revision = mirror.revision, let schema {
      return State(value: value, revision: revision, schema: schema)
    }
    return last
  }

  /// True if the hub has refused the state to this user. It is requested again for the next page.
  private(set) var isRefused = false

  var clientsValue: CBORValue? { clients?.mirror.value }
  var metrics: HubMetrics? { metricsMirror?.part }

  /// True while the inspector subscribes to the feature's state.
  var wantsState = false {
    didSet {
      guard wantsState != oldValue else { return }
      if wantsState { return followState() }
      if let feature { hub?.unfollow(feature) }
      (feature, last, isRefused) = (nil, nil, false)
    }
  }

  /// Connects to the hub; throws the reason if this fails.
  func open() async throws(ToolFailure) {
    let hub = try await tool.connect(isWatched: true, isDocumented: true)
    self.hub = hub
    (hubName, schema, status) = (hub.hubName, hub.schema(of: .feature), .live)
    documentation = hub.documentation(of: .feature)
    views = try await hub.views().map { InspectorViews(hub, $0, onChange: onChange) }
    // Unknown to users without the right to read the hub's own state.
    clients = try await hub.subscribeIfPermitted(to: .hub, onChange: onChange)
    if clients != nil { metricsMirror = hub.followMetrics() }
    if wantsState { followState() }
    onChange()
  }

  /// Reconnects after failures until the tool is interrupted.
  func run(_ pause: (Duration) async -> Void) async {
    var wait = Duration.milliseconds(250)
    while !tool.isEnding {
      do throws(ToolFailure) {
        if hub == nil { try await open() }
        wait = .milliseconds(250)
        try await sample()
      } catch {
        // A hub closes the connection of a user who asks for more than the user may read.
        let mustAskForLess = error.status == .notPermitted && feature != nil && feature?.mirror.revision == nil
        lose(error.reason)
        if mustAskForLess {
          isRefused = true
          continue
        }
      }
      if tool.isEnding { return }
      await pause(wait)
      wait = min(wait * 2, .seconds(2))
    }
  }

  private func lose(_ reason: String) {
    last = state
    hub?.fail(.done, "")
    (hub, clients, metricsMirror, feature, views) = (nil, nil, nil, nil, nil)
    if case .away(_, let since) = status {
      status = .away(reason: reason, since: since)
    } else {
      status = .away(reason: reason, since: Moment.now)
    }
    onChange()
  }

  private func followState() {
    guard let hub, hub.failure == nil, !isRefused else { return }
    feature = hub.follow([], of: .feature) { [weak self] in
      // The old state is shown until the hub has sent the present one.
      if self?.feature?.mirror.revision != nil { self?.last = nil }
      self?.onChange()
    }
  }

  /// Takes a sample each second, until the session fails.
  private func sample() async throws(ToolFailure) {
    guard let hub else { return }
    var before = (time: tool.loop.preciseNow, revision: try await hub.ping().revision)
    while true {
      try await hub.sleep(.seconds(1))
      let (latency, revision) = try await hub.ping()
      let now = tool.loop.preciseNow
      let seconds = max((now - before.time) / .seconds(1), 0.001)
      let rate = Double(revision - min(before.revision, revision)) / seconds
      before = (now, revision)
      self.revision = revision
      samples.append(
        Sample(
          time: Moment.now, rate: rate, latency: latency, clients: Attendees(clientsValue).all.count, metrics: metrics))
      if samples.count > Self.sampleLimit {
        samples.removeFirst()
        firstSample += 1
      }
      onChange()
    }
  }
}
