public import ComposableArchitecture
public import EventLoop
internal import IssueReporting
public import ReplicaCore
public import Wire

/// Attaches to a hub and gives its state, or parts of it, as stores.
///
/// ```swift
/// let client = try StoreClient<AppFeature.State, AppFeature.Action>(loop: loop, path: "/run/user/1000/storehub/hub.sock")
/// client.onConnectionChange = { print(client.connection) }
/// client.onStore = { store in
///   store.send(.counter(.incrementButtonTapped))
/// }
/// client.start()
/// loop.run()
/// ```
///
/// The store stays the same for the life of the client: when the hub is away it shows the last state, keeps what is
/// sent, and catches up when the hub is back. All of it happens on the loop's thread.
public final class StoreClient<State: Replicated, Action: WireValue> {
  private var replica: ReplicaCore<State, Action>
  private let loop: EventLoop
  private let path: String
  private var stream: PipeStream?
  private var hooks: TurnHooks?
  private var deadlineTimer: Timer?
  private var armedDeadline: Duration?
  private var waiting: [(ticket: ActionTicket, completion: StoreTask.Completion)] = []
  private var attachments: [MirrorID: any AnyAttachment] = [:]
  private var whole: Attachment<State, Action>?
  private var changes = MirroredChanges()
  private var isPerforming = false

  /// The hub's whole state as a store; nil until the first snapshot has come, and when it is not followed.
  public var store: Store<State, Action>? { whole?.store }
  /// Called once, with the store, when the first snapshot has come.
  public var onStore: ((Store<State, Action>) -> Void)?
  /// Called when `connection` has changed.
  public var onConnectionChange: (() -> Void)?
  /// Called when a part was found to be another than the hub's, which no sound hub and client let happen; it is
  /// replaced by the hub's. Without it, an issue is reported.
  public var onDivergence: ((Divergence) -> Void)?

  /// Creates a client that has not begun.
  ///
  /// - Parameters:
  ///   - loop: The loop to live on, which must outlive the client.
  ///   - path: The hub's socket.
  ///   - options: How the client behaves.
  public init(loop: EventLoop, path: String, options: ReplicaOptions = ReplicaOptions()) throws(UVError) {
    self.loop = loop
    self.path = path
    replica = ReplicaCore(options: options)
    hooks = try TurnHooks(on: loop) { [weak self] in self?.endTurn() }
    deadlineTimer = try Timer(on: loop) { [weak self] in self?.deadlinePassed() }
    whole = replica.whole.map { add($0) { $0 } }
  }

  /// How the client stands with the hub.
  public var connection: ConnectionState { replica.connection }

  /// The revision of the state that the store shows.
  public var revision: UInt64 { replica.revision }

  /// What the hub calls itself; empty before the first welcome.
  public var hubName: String { replica.hubName }

  /// How many actions the hub has not answered.
  public var unansweredCount: Int { replica.unansweredCount }

  /// Connects, and goes on trying until `close`.
  public func start() {
    replica.start()
    endTurn()
  }

  /// Ends the session for good; actions that the hub has not answered fail. The store keeps the last state for as
  /// long as somebody holds it.
  public func close() {
    replica.close()
    endTurn()
    (whole, attachments) = (nil, [:])
    hooks = nil
    deadlineTimer = nil
  }

  // MARK: Parts

  /// Follows a part of the hub's state: only what changes there comes over the socket.
  ///
  /// - Parameters:
  ///   - path: The way to the part, which need not be there: `{ $0.todos[id: 3] }`.
  ///   - action: Makes an action of the hub's feature of one of the part's.
  /// - Returns: The attachment, which follows until it is given to `detach`.
  public func attach<Part, PartAction>(
    to path: (StatePath<State, State>) -> StatePath<State, Part>, action: @escaping (PartAction) -> Action
  ) -> Attachment<Part, PartAction> {
    add(replica.follow(path(StatePath())), action)
  }

  /// Follows a part of what the hub tells of itself, such as who is attached.
  public func attachToHub<Part>(
    _ path: (StatePath<HubState, HubState>) -> StatePath<HubState, Part>
  ) -> Attachment<Part, Never> {
    add(replica.followHub(path(StatePath()))) { (never: Never) -> Action in }
  }

  /// Ends following a part. Its store shows what it was last.
  public func detach<Part, PartAction>(_ attachment: Attachment<Part, PartAction>) {
    attachments[attachment.id] = nil
    replica.unfollow(attachment.mirror)
  }

  /// Asks the hub whether what is here of a part is what it has; `onDivergence` is called if not.
  public func verify<Part, PartAction>(_ attachment: Attachment<Part, PartAction>) {
    replica.verify(attachment.mirror)
    endTurn()
  }

  private func add<Part, PartAction>(
    _ mirror: Mirror<Part>, _ toAction: @escaping (PartAction) -> Action
  ) -> Attachment<Part, PartAction> {
    let attachment = Attachment<Part, PartAction>(mirror: mirror) { [weak self] action in
      self?.send(toAction(action)) ?? StoreTask()
    }
    attachments[attachment.id] = attachment
    return attachment
  }

  private func send(_ action: Action) -> StoreTask {
    let completion = StoreTask.Completion()
    do throws(ActionError) {
      waiting.append((try replica.send(action), completion))
    } catch {
      completion.complete(.failure(error))
    }
    return StoreTask(completion: completion, onCancel: {})
  }

  // MARK: Events

  private func connect() {
    do throws(UVError) {
      let stream = try PipeStream(on: loop)
      try stream.connect(to: path) { [weak self] in self?.connectionAttemptEnded($0) }
      self.stream = consume stream
    } catch {
      replica.disconnected(reason: Self.sentence(error), at: loop.now)
    }
  }

  private func connectionAttemptEnded(_ error: UVError?) {
    do throws(UVError) {
      if let error { throw error }
      try stream?.startReading(
        onBytes: { [weak self] bytes in
          guard let self else { return }
          receive(bytes)
        },
        onEnd: { [weak self] error in self?.readingEnded(error) })
      stream?.onDrained { [weak self] in self?.replica.drained() }
      replica.connected(at: loop.now)
    } catch {
      stream = nil
      replica.disconnected(reason: Self.sentence(error), at: loop.now)
    }
  }

  private func receive(_ bytes: RawSpan) {
    // Taken out, since what changes is in the replica.
    var changes = self.changes
    changes.collect { replica.received(bytes, at: loop.now) }
    self.changes = changes
  }

  private static func sentence(_ error: UVError) -> String {
    error.connectionAdvice.isEmpty ? "\(error)." : "\(error). \(error.connectionAdvice)"
  }

  private func readingEnded(_ error: UVError?) {
    stream = nil
    replica.disconnected(reason: error.map { "\($0)" } ?? "the hub closed the connection", at: loop.now)
  }

  private func deadlinePassed() {
    armedDeadline = nil
    replica.expire(at: loop.now)
  }

  // MARK: Commands

  private func endTurn() {
    // A callback may close the client, or ask for something: that is carried out behind what was before it.
    guard !isPerforming else { return }
    replica.endTurn(at: loop.now)
    let hadStore = store != nil
    var changed: [any AnyAttachment] = []
    performCommands(&changed)
    armDeadline()
    guard !changed.isEmpty else { return }
    let others = changed.filter { $0.updateStore() }
    if !hadStore, let store { onStore?(store) }
    for attachment in others { attachment.storeChanged() }
    var changes = self.changes
    self.changes = MirroredChanges()
    changes.tell { for attachment in changed { attachment.tell() } }
  }

  private func performCommands(_ changed: inout [any AnyAttachment]) {
    isPerforming = true
    defer { isPerforming = false }
    var next = 0
    // Carrying out a command may add more.
    while next < replica.commands.count {
      perform(replica.commands[next], &changed)
      next += 1
    }
    if next > 0 { replica.clear() }
  }

  private func perform(_ command: ReplicaCommand, _ changed: inout [any AnyAttachment]) {
    switch command {
    case .connect:
      connect()
    case .disconnect:
      disconnect()
    case .write(let range):
      do throws(UVError) {
        if let isOut = try stream?.write(replica.output.span(range)), !isOut { replica.isBusy(true) }
      } catch {
        // The end of reading tells what became of the connection.
      }
    case .changed(let id):
      guard let attachment = attachments[id], !changed.contains(where: { $0 === attachment }) else { return }
      changed.append(attachment)
    case .diverged(_, let divergence):
      guard let onDivergence else { return reportIssue("\(divergence)") }
      onDivergence(divergence)
    case .connectionChanged:
      onConnectionChange?()
    case .applied(let ticket):
      // Tickets stand in order, and what was refused before is not among them any more.
      let count = waiting.firstIndex { $0.ticket > ticket } ?? waiting.count
      for entry in waiting[..<count] { entry.completion.complete(.success(())) }
      waiting.removeFirst(count)
    case .failed(let ticket, let error):
      guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
      waiting.remove(at: index).completion.complete(.failure(error))
    }
  }

  /// Lets go of the stream; what was written already still goes out.
  private func disconnect() {
    guard let old = stream.take() else { return }
    let closing = ClosingStream(old)
    closing.stream.finishWriting { _ = closing }
  }

  private func armDeadline() {
    guard let deadline = replica.deadline, deadline != armedDeadline else { return }
    armedDeadline = deadline
    deadlineTimer?.start(after: deadline - loop.now)
  }
}

/// Keeps a stream open until its last bytes are out.
private final class ClosingStream {
  let stream: PipeStream

  init(_ stream: consuming PipeStream) {
    self.stream = stream
  }
}
