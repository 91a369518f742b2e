package import EventLoop
internal import Glibc
internal import ProgramOptions
internal import ReplicaConnection
package import ReplicaCore
package import SchemaBrowser
internal import SchemaNames
package import Wire

/// The connection of a browser to a hub of any feature: it follows the parts that the screen shows, and sends actions.
///
/// It reconnects after a loss, also to a hub whose feature has changed, and without the parts that the hub refuses to
/// this user.
package final class HubLink {
  /// Called with what happens to the browser.
  package var onEvent: ((Browser.Action) -> Void)?
  /// Called when the outcome of an action is known, before who sent it learns it.
  package var onAnswer: (() -> Void)?
  /// Called when the state of the connection has changed.
  package var onConnectionChange: (() -> Void)?
  /// True while a state that is being received has grown.
  package private(set) var loadedByteCount = 0
  private let loop: EventLoop
  private let path: String
  private let options: ReplicaOptions
  private var link: ReplicaConnection
  private var parts: [String: FollowedPart] = [:]
  private var attendees: TypedMirror<HubState>?
  private var metrics: TypedMirror<HubMetrics>?
  private var wanted: [String] = []
  private var wantsHub = false
  private var refused: Set<String> = []
  /// True after a refusal, which does not say for which part it is: parts are then asked for one by one.
  private var isCareful = false
  private var rates = SenderRates()
  private var isWatched = true
  /// The last connection that was replaced. It is released when the next one is, outside of its own turn.
  private var retired: ReplicaConnection?

  /// A part to which the link has subscribed.
  private final class FollowedPart {
    var path: String
    var steps: [PathStep]
    let mirror = ValueMirror()
    /// True until the hub has sent it, of a window also after each move.
    var isAwaited = true
    init(_ path: String, _ steps: [PathStep]) { (self.path, self.steps) = (path, steps) }
  }

  /// A sent action whose outcome is awaited.
  private final class Sent {
    var continuation: CheckedContinuation<Void, any Error>?
  }

  /// A subscription to a state of the hub's own.
  private final class OwnState {}

  /// Creates a link that is not started yet.
  package init(on loop: EventLoop, to path: String, options: ReplicaOptions) throws(UVError) {
    (self.loop, self.path, self.options) = (loop, path, options)
    link = try ReplicaConnection(on: loop, to: path, schema: nil, options: options)
    attachHooks()
  }

  private func attachHooks() { link.onTurn = { [weak self] in self?.endTurn() } }

  /// Connects.
  package func start() {
    link.replica.start()
    endTurn()
  }

  /// Ends the connection.
  package func close() {
    onEvent = nil
    onAnswer = nil
    onConnectionChange = nil
    link.replica.close()
    endTurn()
  }

  package var connection: ConnectionState { link.replica.connection }
  package var isHubMissing: Bool { link.isHubMissing }
  package var goodbye: String? { link.replica.goodbye }
  package var hubStaleSince: Duration? { link.replica.hubStaleSince }
  package var hubName: String { link.replica.hubName }
  package var schema: Schema? { link.replica.schema }
  /// The documentation comments of the schema.
  package var documentation: SchemaDocumentation { link.replica.documentation }
  /// What this user may read and send; nil if everything, or if the hub does not say.
  package var rights: ClientRights? { link.replica.rights }
  /// The number of elements that all windows of this client may have; 0 if the hub serves none.
  package var windowLimit: Int { Int(clamping: link.replica.windowElements) }
  package var pendingActionCount: Int { link.replica.pendingActionCount }
  package var lossCount: Int { link.replica.lossCount }
  package var stateDirectory: String? { link.replica.hubStateDirectory }
  /// True if this user may read the list of clients and the metrics.
  package var mayReadHub: Bool { link.replica.ownStateRefusal == nil }
  /// The hub's revision, as far as it is known here.
  package var revision: UInt64 {
    max(link.replica.acknowledgedRevision, parts.values.compactMap(\.mirror.revision).max() ?? 0)
  }

  package func watch(_ isWatched: Bool) {
    self.isWatched = isWatched
    link.setProbing(isWatched)
    endTurn()
  }

  // MARK: Parts

  /// Follows exactly these parts of the state, and the hub's own state if it is wanted.
  package func follow(_ paths: [String], hub wantsHub: Bool) {
    (wanted, self.wantsHub) = (paths, wantsHub)
    update()
    endTurn()
  }

  private func update() {
    guard let schema, link.replica.phase == .open else { return }
    moveWindows(in: schema)
    for (path, part) in parts where !wanted.contains(path) {
      link.replica.unsubscribe(part.mirror)
      parts[path] = nil
      onEvent?(.released(path: path))
    }
    for path in wanted where parts[path] == nil && !refused.contains(path) {
      if isCareful, parts.values.contains(where: \.isAwaited) { break }
      guard let steps = (try? schema.part(named: path, allowsWindow: true))?.steps else { continue }
      let part = FollowedPart(path, steps)
      parts[path] = part
      link.replica.subscribe(part.mirror, to: steps, context: part)
    }
    if wantsHub, attendees == nil, mayReadHub {
      let (attendees, metrics) = (TypedMirror<HubState>(), TypedMirror<HubMetrics>())
      (self.attendees, self.metrics) = (attendees, metrics)
      link.replica.subscribe(attendees, to: [], of: .hub, context: OwnState())
      link.replica.subscribe(metrics, to: [], of: .metrics, context: OwnState())
    } else if !wantsHub, let attendees, let metrics {
      link.replica.unsubscribe(attendees)
      link.replica.unsubscribe(metrics)
      (self.attendees, self.metrics, rates) = (nil, nil, SenderRates())
    }
  }

  /// Moves windows of collections to where the screen is now: one request and one answer, until which the elements of
  /// before are shown.
  private func moveWindows(in schema: Schema) {
    for path in wanted where parts[path] == nil {
      guard let steps = (try? schema.part(named: path, allowsWindow: true))?.steps, steps.windowElements > 0,
        let (old, part) = parts.first(where: { old, part in
          !wanted.contains(old) && part.steps.windowElements == steps.windowElements
            && part.steps.dropLast() == steps.dropLast()
        })
      else { continue }
      parts[old] = nil
      parts[path] = part
      (part.path, part.steps, part.isAwaited) = (path, steps, true)
      link.replica.move(part.mirror, to: steps)
      onEvent?(.released(path: old))
    }
  }

  // MARK: Actions

  /// Sends an action, and waits until it has taken effect; throws the reason why it has not.
  package func send(_ action: CBORValue) async throws {
    let sent = Sent()
    _ = try link.send(context: sent) { action.encode(to: &$0) }
    try await withCheckedThrowingContinuation { sent.continuation = $0 }
  }

  // MARK: The turn

  private func endTurn() {
    guard link.endTurn(perform) else { return }
    let count = link.replica.loadedByteCount
    if count != loadedByteCount {
      loadedByteCount = count
      onEvent?(.loaded(byteCount: count))
      onConnectionChange?()
    }
  }

  private func perform(_ command: ReplicaCommand) {
    switch command {
    case .connect, .disconnect, .write: break  // The connection's.
    case .store: break  // Only with an outbox.
    case .changed(_, let context):
      if let part = context as? FollowedPart { changed(part) }
      if context is OwnState { figuresChanged() }
    case .diverged: break  // Only `verify` compares hashes.
    case .connectionChanged: connectionChanged()
    case .applied(_, let context): end(context) { $0.resume() }
    case .failed(_, let context, let error): end(context) { $0.resume(throwing: error) }
    }
  }

  private func end(_ context: AnyObject?, _ body: (CheckedContinuation<Void, any Error>) -> Void) {
    guard let sent = context as? Sent else { return }
    onAnswer?()
    if let continuation = sent.continuation.take() { body(continuation) }
  }

  private func changed(_ part: FollowedPart) {
    guard parts[part.path] === part, let revision = part.mirror.revision else { return }
    part.isAwaited = false
    // A window that the hub cannot serve is not a collection that does not exist. For a hub without any, the browser asks
    // for the whole.
    if let reason = link.replica.refusal(of: part.mirror) {
      if link.replica.refusalCode(of: part.mirror) == .tooManyScopes {
        // It stays subscribed, and is requested again when another part is released.
        onEvent?(.foundNoRoom(path: part.path, reason: reason))
        if isCareful { update() }
        return
      }
      if windowLimit > 0 { onEvent?(.refused(path: part.path, reason: reason)) }
      return
    }
    let window = part.mirror.window
    onEvent?(
      .received(
        path: part.path,
        ReceivedPart(
          value: window?.elements ?? part.mirror.value,
          window: window.map { .init(count: $0.count, start: $0.positions.lowerBound) }, revision: revision)))
    if isCareful { update() }
  }

  /// Notes that time has passed in which nobody may have sent actions.
  package func rest() {
    let before = rates.rates
    rates.rest(at: loop.preciseNow)
    if rates.rates != before { onEvent?(.figuresChanged(figures)) }
  }

  private func figuresChanged() {
    if let metrics = metrics?.part { rates.take(metrics, at: loop.preciseNow) }
    onEvent?(.figuresChanged(figures))
  }

  /// The figures of the hub.
  package var figures: HubFigures {
    var figures = HubFigures()
    (figures.attendees, figures.metrics) = (attendees?.part.map { Array($0.attendees) }, metrics?.part)
    (figures.rates, figures.socket, figures.revision) = (rates.rates, path, revision)
    figures.ownProcess = getpid()
    for client in figures.attendees ?? [] where figures.users[client.user] == nil {
      figures.users[client.user] = userName(client.user)
    }
    return figures
  }

  private func connectionChanged() {
    if case .refused(let reason) = connection {
      if let code = link.replica.refusalCode, [.notPermitted, .tooManyScopes].contains(code) {
        if refuseUnsentParts(code == .notPermitted ? nil : reason) { return }
      }
      // The hub came back with another feature, whose schema is then taken anew.
      if link.replica.isHubOfOtherFeature, connectAnew() {
        // What was refused were parts of the other feature.
        (refused, isCareful) = ([], false)
        return
      }
    }
    // After a loss, the rights may be others: each refused part is asked for once more.
    if case .stale = connection { refused = [] }
    if link.replica.phase == .open { update() }
    onConnectionChange?()
  }

  /// Connects again after the hub has refused one of the parts that it has not sent; returns false if there are none.
  private func refuseUnsentParts(_ reason: String?) -> Bool {
    let unsent = parts.values.filter(\.isAwaited)
    guard !unsent.isEmpty, connectAnew() else { return false }
    guard isCareful else {
      isCareful = true
      return true
    }
    for part in unsent {
      refused.insert(part.path)
      onEvent?(.refused(path: part.path, reason: reason))
    }
    return true
  }

  /// Replaces the connection by one that knows nothing of the hub; returns false if that fails.
  private func connectAnew() -> Bool {
    guard let next = try? ReplicaConnection(on: loop, to: path, schema: nil, options: options) else { return false }
    (parts, attendees, metrics) = ([:], nil, nil)
    retired = link
    link = next
    link.setProbing(isWatched)
    attachHooks()
    link.replica.start()
    return true
  }
}
