import ClusterCore
import ClusterLink
import ClusterLog
import Configuration
import EtcdClient
import EtcdLogStore
import EventLoop
import Glibc
import Journal
import StoreHub
import TurnLog
import Wire

/// A hub's node of a cluster: gives `ClusterCore` etcd, links, the journal and the time, and the hub its events.
///
/// All of it runs on the loop. The methods of `TurnLog` are called there, too.
final class ClusterNode: ReplicatedLog {
  let request: ClusterRequest
  nonisolated let journal: Journal
  var core: ClusterCore
  /// The way to etcd; nil for a relay.
  let client: EtcdClient?
  let store: EtcdLogStore?
  private(set) var links: NodeLinks?
  private var timer: Timer?
  private var isDriving = false
  /// True until a node that may begin a log knows that its prefix overlaps with that of no other store.
  private var awaitsPrefix: Bool
  /// True while forwarded actions are left to the end of this turn of the loop.
  private var isForwarding = false
  private(set) var isReady = false
  private(set) var hasLeft = false
  /// The events since the journal was opened, until the hub takes them.
  private var waiting: [ReplicationEvent] = []
  /// The leader's turns that are not stored, oldest first.
  var unstored: [LoggedTurn] = []
  /// The turns of the last recorded entry, and the number of the last of them.
  var recorded: [LoggedTurn] = []
  var recordedTurn: UInt64
  /// The schema of the turns in the journal.
  var recordedSchema: SchemaFingerprint
  /// True once the operator was told that this node stands by.
  var hasToldStandBy = false
  /// The entries that the journal has not stored yet, with the number of the last turn up to each.
  var recording: [(position: UInt64, turn: UInt64)] = []
  /// The groups of this node's clients with open sessions.
  var groups: [ClusterSession: UInt32] = [:]
  /// The names of these clients.
  var names: [ClusterSession: String] = [:]
  /// The way on which the leader was told of the clients of this node; nil while there is none.
  var toldClients: ActionWay?
  /// The node that a relay follows, as of the last line of the log about it.
  var toldUpstream: NodeName?
  /// What clients have cancelled while there was no such leader.
  var cancellations: [(session: ClusterSession, number: UInt64)] = []
  /// The node that leads, as of the last line of the log about it.
  var toldLeader: NodeName?
  private var linkFailures = RepeatedFailures(patience: .seconds(1))
  var etcdFailures = RepeatedFailures(patience: .zero)
  private var expiryCheckAt = Duration.zero
  /// The clocks of the linked nodes that differ from this machine's.
  var clocks = ClockDifferences()
  /// The snapshot that is being given to other nodes, and the one that arrives.
  var (giving, taking) = (SnapshotsGiven(), SnapshotTaken())
  var snapshotsGiven: UInt64 = 0
  var askFailures = RepeatedFailures(patience: .seconds(3))
  /// How often this process has become the leader.
  var takeovers: UInt64 = 0
  /// The sessions of other nodes whose actions this hub performs.
  var remotes = RemoteSessions()

  let settings: ClusterSettings
  private let process: UInt64

  var onEvent: ((ReplicationEvent) -> Void)? {
    didSet {
      guard onEvent != nil else { return }
      let events = waiting
      waiting = []
      for event in events { deliver(event) }
    }
  }

  /// Joins a cluster.
  init(_ request: ClusterRequest) throws {
    (self.request, settings, self.journal) = (request, request.settings, request.journal)
    // 0 is that of no process: see `NodeRegistration.removal`.
    process = .random(in: 1 ... .max)
    var options = ClusterOptions(
      node: settings.node, process: process, members: settings.isRelay ? [] : Set(settings.nodes.keys),
      upstreams: settings.follow, schemas: request.schemas.map(\.fingerprint))
    options.relays = Set(settings.relays)
    options.takeoverAfter = settings.takeoverAfter
    options.beatInterval = min(options.beatInterval, settings.takeoverAfter / 4)
    (options.keptBytes, options.compacts) = (settings.keptBytes, settings.compacts)
    let start = try JournalPlace.journal(request.place, tail: request.tail)
    recordedSchema = options.schemas[0]
    (recordedTurn, awaitsPrefix) = (request.tail, start.history == nil && !settings.isRelay)
    // What a process has left that ended meanwhile.
    ArrivingBase.remove(in: request.directory)
    let loop = request.loop
    client =
      settings.isRelay
      ? nil : try EtcdClient(on: loop, EtcdSettings(endpoints: settings.endpoints, tls: settings.tlsFiles))
    let storeSettings = EtcdLogStore.Settings(prefix: settings.prefix)
    store = try client.map { try EtcdLogStore($0, on: loop, storeSettings) }
    core = ClusterCore(options, journal: start, now: Self.now)
    timer = try Timer(on: loop) { [weak self] in self?.advance() }
    links = try NodeLinks(
      on: loop, settings, now: { Self.now }, options: { [unowned self] in linkOptions },
      onEvent: { [weak self] in self?.handle($0) })
    let log = request.log
    if let warning = links?.nameWarning { log.write(.warning, warning) }
    client?.onFailure = { [weak self] endpoint, reason in
      guard self?.etcdFailures.note(reason, of: "\(endpoint)", at: Self.now) == true else { return }
      log.write(.warning, cause: Log.Cause("members of etcd"), "etcd at \(endpoint): \(reason)")
    }
    store?.onRemovedNodes = { [weak self] in self?.deliver(.statusChanged) }
    store?.onFailure = { log.write(.debug, "etcd: \($0)") }
    if settings.endpoints.count % 2 == 0, !settings.isRelay {
      let count = settings.endpoints.count
      let advice = count > 2 ? "give it \(count - 1) or \(count + 1)" : "give it 3"
      log.write(.warning, "etcd has \(count) members, and survives no more failures than with \(count - 1): \(advice)")
    }
    if awaitsPrefix { checkPrefix() } else { drive() }
  }

  private func checkPrefix() {
    store?.readOverlaps { [weak self] found in
      guard let self, !hasLeft else { return }
      guard let found else { return checkPrefix() }
      if let other = found.first {
        return finishStart(.refused(EtcdLogStore.overlapText(of: settings.prefix, with: other)))
      }
      awaitsPrefix = false
      update()
      drive()
    }
  }

  /// A clock that also runs while the machine sleeps.
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  var linkOptions: LinkOptions {
    let members = settings.isRelay ? Set(settings.follow) : Set(settings.nodes.keys)
    var options = LinkOptions(node: settings.node, process: process, members: members)
    options.relays = Set(settings.relays)
    (options.history, options.sharesUsers) = (core.history, settings.userRanges.isEmpty)
    options.userRanges = settings.userRanges
    for node in settings.userRanges.keys {
      var ceiling = NodeCeiling.default
      ceiling.users = settings.users(of: node)
      ceiling.groups = settings.userRanges[node].map { [$0] } ?? []
      options.ceilings[node] = ceiling
    }
    return options
  }

  // MARK: The core

  /// Executes all commands of the core, and what follows from them.
  func drive() {
    guard !isDriving, !hasLeft, !awaitsPrefix else { return }
    isDriving = true
    defer { isDriving = false }
    while true {
      let commands = core.takeCommands()
      guard !commands.isEmpty else { break }
      for command in commands where !hasLeft { execute(command) }
    }
    guard !hasLeft else { return }
    tellClients()
    tellUpstream()
    becomeReady()
    if case .current(leads: false) = core.standing, let leader = core.point.leader?.node, leader != toldLeader {
      tellLeader()
    }
    let next = [core.nextTime, links?.nextTime, remotes.nextTime, snapshotTime].compactMap(\.self).min()
    if let next { timer?.start(after: max(next - Self.now, .milliseconds(1))) }
  }

  private func advance() {
    let now = Self.now
    core.advance(to: now)
    links?.advance(to: now)
    warnOfExpiry(at: now)
    tendSnapshots(at: now)
    for session in remotes.takeLost(at: now) { left(session) }
    drive()
  }

  /// Warns of the end of the certificate's validity at the start, and once a day.
  private func warnOfExpiry(at now: Duration) {
    guard now >= expiryCheckAt else { return }
    expiryCheckAt = now + .seconds(86_400)
    // A relay has no client of etcd.
    if let warning = links?.expiryWarning(at: Int64(time(nil))) { request.log.write(.warning, warning) }
  }

  /// Tells the core the time before it gets an event.
  func update() { core.advance(to: Self.now) }

  func deliver(_ event: ReplicationEvent) {
    if let onEvent { onEvent(event) } else { waiting.append(event) }
  }

  private func becomeReady() {
    guard !isReady else { return }
    switch core.standing {
    case .starting: return
    case .refused(let refusal): finishStart(.refused("\(refusal)"))
    case .current, .waiting, .storeFull:
      if core.options.standsBy { tellStandBy() } else if core.history != nil { finishStart(.ready) }
    }
  }

  private func finishStart(_ outcome: ClusterOutcome) {
    isReady = true
    request.onReady(outcome)
  }

  /// Ends this node's part: the hub begins again, with the snapshot that has arrived, or with a log of its own schema.
  func finishAgain(_ outcome: ClusterOutcome) {
    hasLeft = true
    finishStart(outcome)
  }

  // MARK: Links

  private func handle(_ event: NodeLinks.Event) {
    guard !hasLeft else { return }
    update()
    switch event {
    case .opened(let node, let version):
      linkFailures.succeeded("node \(node)")
      request.log.write(.info, cause: Log.Cause("links"), "linked with node \(node)")
      core.linkOpened(
        node, givesSnapshots: version >= LinkVersion.withSnapshots, knowsRelays: version >= LinkVersion.withRelays)
    case .closed(let node, let reason):
      request.log.write(.warning, cause: Log.Cause("links"), "the link with node \(node) has ended: \(reason)")
      remotes.closed(node, at: Self.now)
      clocks.unlinked(node)
      snapshotLinkClosed(node)
      core.linkClosed(node)
    case .failed(let node, let reason):
      let address = node.flatMap { settings.nodes[$0] }
      let subject = node.map { "node \($0)" } ?? "a node that has connected"
      guard linkFailures.note(reason, of: subject, at: Self.now) else { return }
      request.log.write(
        .warning, cause: Log.Cause("failed links"),
        "no link with \(subject)\(address.map { " at \($0)" } ?? ""): \(reason)")
    case .happened(let node, .message(let message)):
      if case .actions(let term, let session, _, _) = message, term == core.point.leader?.term {
        remotes.add(session, of: node)
      }
      core.received(message, from: node)
    case .happened(let node, .snapshot(let event)): handle(event, from: node)
    case .happened(let node, .sessionEnded(let session)):
      if remotes.remove(session, of: node) { left(session) }
    case .happened(_, .cancelled(let term, let session, let action)): cancelled(action, of: session, inTerm: term)
    case .happened(let node, .sessionRefused(let session, let refusal)):
      request.log.write(
        .warning, cause: Log.Cause("refused sessions"),
        "\(node) performs no actions of user \(session.user): \(refusal)")
      links?.refuse(session, refusal)
    case .happened(let node, .clockRead(let difference)): noteClock(of: node, difference)
    case .happened(_, .opened), .happened(_, .ended): break
    }
    drive()
  }

  // MARK: The hub

  var historyID: UInt64 { core.history?.id ?? 0 }

  var forwardedByteCount: Int { core.heldByteCount }

  func session(_ session: ForwardedSession) -> ClusterSession {
    ClusterSession(node: settings.node, user: session.user, id: session.id)
  }

  func forward(_ actions: [[UInt8]], of session: ForwardedSession) {
    if !isForwarding {
      isForwarding = true
      update()
      // The actions of a frame, and of all frames of a turn of the loop, go to the leader together.
      Task { [weak self] in self?.sendForwarded() }
    }
    core.act(self.session(session), actions)
  }

  /// Sends what was forwarded in this turn of the loop.
  func sendForwarded() {
    guard isForwarding else { return }
    isForwarding = false
    drive()
  }

  func journalStored(upTo turn: UInt64) {
    let count = recording.prefix { $0.turn <= turn }.count
    guard count > 0 else { return }
    let position = recording[count - 1].position
    recording.removeFirst(count)
    core.journalStored(upTo: position)
    drive()
  }

  func handOver(to name: String?) throws(HandOverError) {
    update()
    guard core.leadingTerm != nil else { throw .doesNotLead(leader: status.leader) }
    guard name != "\(settings.node)" else { throw .leads("\(settings.node)") }
    guard core.successor == nil else { return }
    let successor = name.map { name in core.linkedNodes.first { "\($0)" == name } } ?? core.bestSuccessor
    guard let successor, core.transfer(to: successor) else { throw .notLinked(name) }
    request.log.write(.info, "this node hands the leadership over to \(successor)")
    drive()
  }

  func reload() throws -> Bool {
    guard settings.tlsFiles != nil else { return false }
    try links?.reload()
    try client?.reload()
    expiryCheckAt = .zero
    advance()
    return true
  }

  func leave() {
    hasLeft = true
    onEvent = nil
    timer = nil
    links?.close()
    store?.close()
    client?.close()
  }

  // MARK: TurnLog

  nonisolated func append(_ turns: [LoggedTurn]) {
    MainActor.assumeIsolated {
      // Turns of a leadership that has ended are discarded.
      guard core.leadingTerm != nil else { return }
      update()
      guard core.leadingTerm != nil else { return }
      unstored += turns
      let actionCount = turns.reduce(0) { $0 + Int(clamping: $1.revision - $1.baseRevision) }
      core.append(turns.map { $0.encoded() }, actionCount: actionCount)
      drive()
    }
  }

  nonisolated func save(_ snapshot: LogSnapshot) { journal.save(snapshot) }

  nonisolated var tail: UInt64 { journal.tail }

  nonisolated func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] {
    try journal.read(from: position, byteLimit: byteLimit)
  }

  nonisolated func trim(before position: UInt64) { journal.trim(before: position) }
}
