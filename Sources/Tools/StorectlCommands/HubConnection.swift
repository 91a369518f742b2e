internal import EventLoop
internal import ReplicaConnection
internal import ReplicaCore
internal import SchemaNames
internal import Wire

/// The session of one command with a hub of any feature. It is never reopened once it is lost.
///
/// Functions wait for the hub's answer. When the session fails, all of them throw the reason.
final class HubConnection {
  private let link: ReplicaConnection
  private let loop: EventLoop
  private let timeout: Duration
  private var waitTimer: Timer?
  private var isPaused = false
  private var isOpen = false
  private var waiting: Waiting?
  private(set) var failure: ToolFailure?
  /// Called at the end of each turn.
  var onTurn: (() -> Void)?
  /// Called once when the session has failed.
  var onFailure: (() -> Void)?

  private struct Waiting {
    var isForTransfer: Bool
    var condition: () -> Bool
    var continuation: CheckedContinuation<Void, Never>
  }

  /// A subscription to a part of a state.
  final class Scope {
    let mirror = ValueMirror()
    let onChange: () -> Void

    init(_ onChange: @escaping () -> Void) { self.onChange = onChange }

    /// The part at the steps within the value; nil if it is absent.
    func part(_ rest: [PartPath.Step]) -> (value: CBORValue, type: SchemaType)? {
      guard let value = mirror.value, let (schema, type) = mirror.type else { return nil }
      return SchemaValues(schema).part(at: rest, of: value, as: type)
    }
  }

  /// A subscription whose mirror belongs to the caller.
  private final class Observer {
    let onChange: () -> Void

    init(_ onChange: @escaping () -> Void) { self.onChange = onChange }
  }

  /// A sent action, and its outcome: the hub's revision when it acknowledged the action.
  final class Sent {
    var outcome: Result<UInt64, ActionError>?
  }

  /// - Parameters:
  ///   - name: The client's name among the hub's attendees.
  ///   - isWatched: True if a silent hub must be detected even while no answer is expected.
  ///   - isDocumented: True to request the documentation of the feature's schema.
  init(
    loop: EventLoop, path: String, name: String, timeout: Duration, isWatched: Bool, isDocumented: Bool = false
  ) throws(ToolFailure) {
    (self.loop, self.timeout) = (loop, timeout)
    var options = ReplicaOptions()
    (options.name, options.requestsDocumentation) = (name, isDocumented)
    // The timeouts of this class end first, and report the reason.
    options.timeout = timeout + .milliseconds(500)
    if isWatched { options.probeInterval = .seconds(2) }
    do throws(UVError) {
      link = try ReplicaConnection(on: loop, to: path, schema: nil, options: options)
      link.onTurn = { [weak self] in self?.endTurn() }
      link.onBytes = { [weak self] bytes in
        guard let self else { return }
        receive(bytes)
      }
      waitTimer = try Timer(on: loop) { [weak self] in self?.waitedTooLong() }
    } catch {
      throw ToolFailure(.failed, "\(error)")
    }
  }

  // MARK: What commands ask for

  var hubName: String { link.replica.hubName }

  /// True if this user may read the hub's own state. Only then may all parts of the feature's state be asked for: a
  /// hub closes the connection of who asks for one that is refused, and reports it to its operator.
  var mayReadHub: Bool { link.replica.ownStateRefusal == nil }

  /// What this user may attach and send; nil if everything, or if the hub does not say.
  var rights: ClientRights? { link.replica.rights }

  /// The hub's state directory; nil if it has none, or this user may not read it.
  var stateDirectory: String? { link.replica.hubStateDirectory }

  /// The number of bytes received of parts that are not complete yet.
  var loadedByteCount: Int { link.replica.loadedByteCount }

  /// Returns the schema of the feature, or of the hub's own state.
  func schema(of root: StateRoot) -> Schema {
    if let schema = ReplicaCore.schema(ofHubsOwn: root) { return schema }
    if root == .views, let views = link.replica.viewSchema { return views }
    guard let schema = link.replica.schema else { preconditionFailure("a session that is open has a schema") }
    return schema
  }

  /// Returns the comments of the schema of the feature, or of the hub's own state; none if they were not requested, or
  /// the hub has none.
  func documentation(of root: StateRoot) -> SchemaDocumentation {
    if root == .views { return link.replica.viewDocumentation }
    return ReplicaCore.documentation(ofHubsOwn: root) ?? link.replica.documentation
  }

  /// Requests the schema of the views that the hub's feature declares; nil if it declares none.
  func views() async throws(ToolFailure) -> Schema? {
    guard link.replica.hubDeclaresViews else { return nil }
    link.replica.wantViews()
    endTurn()
    try await wait { [weak self] in self?.link.replica.viewSchema != nil }
    return link.replica.viewSchema
  }

  /// Connects, and waits for the hub's schema.
  func open() async throws(ToolFailure) {
    link.replica.start()
    endTurn()
    try await wait { [weak self] in self?.link.replica.connection == .live }
    isOpen = true
  }

  /// Subscribes to a part of a state, and waits until the hub has sent it.
  func subscribe(
    to path: [PathStep], of root: StateRoot, onChange: @escaping () -> Void = {}
  ) async throws(ToolFailure) -> Scope {
    let scope = Scope(onChange)
    if root == .views {
      try subscribe(scope, toViewAt: path)
    } else {
      link.replica.subscribe(scope.mirror, to: path, of: root, context: scope)
    }
    endTurn()
    // After a refusal, the replica reconnects without the hub's own state.
    try await wait(atMost: timeout, isForTransfer: true) { [weak self] in
      scope.mirror.revision != nil && self?.link.replica.phase == .open
    }
    if root == .hub || root == .metrics, let refusal = link.replica.ownStateRefusal {
      throw ToolFailure(.notPermitted, refusal)
    }
    if let refusal = link.replica.refusal(of: scope.mirror) { throw ToolFailure(.failed, refusal) }
    return scope
  }

  /// Subscribes to a part of a view, whose schema is known.
  private func subscribe(_ scope: Scope, toViewAt path: [PathStep]) throws(ToolFailure) {
    let (view, steps): (ViewReference, [PathStep])
    do throws(SchemaPathError) { (view, steps) = try schema(of: .views).view(at: path) } catch {
      throw ToolFailure(.unknownName, "\(error)")
    }
    guard rights?.permitAttachingView(path) ?? true else {
      throw ToolFailure(.notPermitted, "this user may not read \(view); the hub's operator can grant it")
    }
    link.replica.subscribe(scope.mirror, to: view, at: steps, schema: nil, context: scope)
  }

  /// Subscribes to a state of the hub's own, and waits until the hub has sent it; nil if this user may not read it.
  func subscribeIfPermitted(
    to root: StateRoot, onChange: @escaping () -> Void = {}
  ) async throws(ToolFailure) -> Scope? {
    do throws(ToolFailure) {
      return try await subscribe(to: [], of: root, onChange: onChange)
    } catch {
      guard failure == nil else { throw error }
      return nil
    }
  }

  /// Subscribes to a part of a state without waiting for it.
  func follow(_ path: [PathStep], of root: StateRoot, onChange: @escaping () -> Void) -> Scope {
    let scope = Scope(onChange)
    link.replica.subscribe(scope.mirror, to: path, of: root, context: scope)
    endTurn()
    return scope
  }

  /// Subscribes to a part of a view, whose schema is known, without waiting for it; nil if this user may not read it.
  func followView(_ path: [PathStep], onChange: @escaping () -> Void) -> Scope? {
    let scope = Scope(onChange)
    do throws(ToolFailure) { try subscribe(scope, toViewAt: path) } catch { return nil }
    endTurn()
    return scope
  }

  /// Subscribes to the hub's metrics without waiting for them. There are none for users who may not read them.
  func followMetrics(onChange: @escaping () -> Void = {}) -> TypedMirror<HubMetrics> {
    let mirror = TypedMirror<HubMetrics>()
    link.replica.subscribe(mirror, to: [], of: .metrics, context: Observer(onChange))
    endTurn()
    return mirror
  }

  /// Tells the hub to pass the leadership of its cluster on to a node, or to any if the name is empty.
  func transferLeadership(to node: String) {
    link.replica.transferLeadership(to: node)
    endTurn()
  }

  /// Ends a subscription.
  func unfollow(_ scope: Scope) {
    link.replica.unsubscribe(scope.mirror)
    endTurn()
  }

  /// Sends an action without waiting for its outcome.
  func send(_ action: CBORValue) throws(ToolFailure) -> Sent {
    let sent = Sent()
    do throws(ActionError) {
      try link.replica.send(context: sent) { action.encode(to: &$0) }
    } catch {
      throw failure ?? ToolFailure(.failed, "\(error)")
    }
    return sent
  }

  /// Waits until the hub has reported the outcome of an action, and returns its revision at that moment.
  func outcome(of sent: Sent) async throws(ToolFailure) -> UInt64 {
    do throws(ToolFailure) {
      try await wait { sent.outcome != nil }
    } catch {
      // A connection that was lost afterwards does not change the outcome.
      guard case .success? = sent.outcome else { throw error }
    }
    guard let outcome = sent.outcome else { preconditionFailure("the wait ends with an outcome") }
    do throws(ActionError) { return try outcome.get() } catch { throw Self.failure(error) }
  }

  /// Returns the failure of a command whose action has failed.
  static func failure(_ error: ActionError) -> ToolFailure {
    guard case .rejected(let code, _) = error, RejectionCode(rawValue: code) == .notPermitted else {
      return ToolFailure(.failed, "\(error)")
    }
    return ToolFailure(.notPermitted, "\(error)")
  }

  /// Waits until the socket has accepted all output.
  func flush() async throws(ToolFailure) {
    endTurn()
    try await wait { [weak self] in self?.link.isFlushed == true }
    if let writeFailure = link.writeFailure { throw ToolFailure(.hubWentAway, "\(writeFailure)") }
  }

  /// Measures the hub's response time, and returns it with the hub's revision.
  func ping() async throws(ToolFailure) -> (latency: Duration, revision: UInt64) {
    let start = loop.preciseNow
    guard let number = link.replica.ping(at: loop.now) else { throw failure ?? ToolFailure(.hubWentAway, "no session") }
    endTurn()
    var end = start
    try await wait { [weak self] in
      guard let self, (link.replica.lastPong?.number ?? 0) >= number else { return false }
      end = loop.preciseNow
      return true
    }
    return (end - start, link.replica.lastPong?.revision ?? 0)
  }

  /// Requests the hub's hash of a part and compares it; nil if the part has no value.
  func verify(_ scope: Scope) async throws(ToolFailure) -> HashComparison? {
    guard scope.mirror.value != nil else { return nil }
    link.replica.verify(scope.mirror)
    endTurn()
    try await wait { scope.mirror.lastComparison != nil || scope.mirror.value == nil }
    return scope.mirror.lastComparison
  }

  /// Waits for a duration.
  func sleep(_ duration: Duration) async throws(ToolFailure) {
    let end = loop.now + duration
    let timer: Timer
    do throws(UVError) {
      // The condition is checked at the end of the turn in which the timer fires.
      timer = try Timer(on: loop) {}
    } catch {
      throw ToolFailure(.failed, "\(error)")
    }
    timer.start(after: duration)
    try await wait(atMost: nil) { [loop] in loop.now >= end }
    timer.stop()
  }

  /// Pauses or resumes reading. After a pause the hub sends one delta.
  func pause(_ pauses: Bool) {
    guard isPaused != pauses, failure == nil else { return }
    isPaused = pauses
    if pauses { return link.stopReading() }
    do throws(UVError) {
      try link.resumeReading(grace: timeout)
    } catch {
      fail(.hubWentAway, "\(error)")
    }
  }

  /// Ends the session because of an error in the tool.
  func fail(_ status: ExitStatus, _ reason: String) {
    guard failure == nil else { return }
    failure = ToolFailure(status, reason)
    link.replica.close()
    endTurn()
    waiting.take()?.continuation.resume()
    onFailure?()
  }

  /// Waits until a condition is true, which is checked at the end of each turn.
  func wait(until condition: @escaping () -> Bool) async throws(ToolFailure) {
    try await wait(atMost: timeout, until: condition)
  }

  /// - Parameters:
  ///   - limit: The longest time.
  ///   - isForTransfer: True if the time begins anew whenever bytes arrive.
  private func wait(
    atMost limit: Duration?, isForTransfer: Bool = false, until condition: @escaping () -> Bool
  ) async throws(ToolFailure) {
    if failure == nil, !condition() {
      precondition(waiting == nil, "a command waits for one thing at a time")
      if let limit { waitTimer?.start(after: limit) }
      await withCheckedContinuation {
        waiting = Waiting(isForTransfer: isForTransfer, condition: condition, continuation: $0)
      }
      waitTimer?.stop()
    }
    if let failure { throw failure }
  }

  /// Waits until the session fails.
  func waitForFailure() async -> ToolFailure {
    do throws(ToolFailure) {
      try await wait(atMost: nil) { false }
    } catch {
      return error
    }
    return ToolFailure(.failed, "")
  }

  private func waitedTooLong() {
    let seconds = "\(timeout)".replacing(" seconds", with: " s")
    if isOpen {
      fail(.timedOut, "the hub has not answered for \(seconds)")
    } else {
      fail(.timedOut, "the hub at \(link.path) has not answered for \(seconds)")
    }
  }

  // MARK: Events

  private func receive(_ bytes: RawSpan) {
    // A large state may take longer than the hub may be silent.
    if waiting?.isForTransfer == true { waitTimer?.start(after: timeout) }
    link.received(bytes)
  }

  private func endTurn() {
    guard link.endTurn(perform) else { return }
    onTurn?()
    guard let waiting, waiting.condition() else { return }
    self.waiting = nil
    waiting.continuation.resume()
  }

  private func perform(_ command: ReplicaCommand) {
    switch command {
    case .connect, .disconnect, .write: break  // The connection's.
    case .store: break  // Only with an outbox.
    case .changed(_, let context):
      (context as? Scope)?.onChange()
      (context as? Observer)?.onChange()
    case .diverged: break  // Only `verify` compares hashes.
    case .connectionChanged: connectionChanged()
    case .applied(_, let context): (context as? Sent)?.outcome = .success(link.replica.acknowledgedRevision)
    case .failed(_, let context, let error): (context as? Sent)?.outcome = .failure(error)
    }
  }

  private func connectionChanged() {
    switch link.replica.connection {
    case .connecting(_, let failure?): fail(isOpen ? .hubWentAway : .unreachable, failure)
    case .stale(_, _, let reason): fail(.hubWentAway, reason)
    case .refused(let reason): fail(link.replica.refusalCode == .notPermitted ? .notPermitted : .failed, reason)
    case .connecting, .live, .closed: break
    }
  }
}
