public import ReplicaCore
public import Senders
public import Wire

/// A client of a hub for programs that `await`, on any executor.
///
/// ```swift
/// let hub = AsyncClient<AppFeature.State, AppFeature.Action>(path: "/run/storehub/hub.sock")
/// async let connection: Void = hub.run()
/// try await hub.send(.todos(.addButtonTapped("oat milk")))
/// for await todos in hub.values(of: \.todos) { print(todos.todos.count) }
/// try await connection
/// ```
///
/// It works while ``run(grace:)`` does: it connects, connects again whenever the connection ends, resumes its session, and
/// sends each action so that it takes effect once. When the task of `run` is cancelled, the client waits for the answers
/// to its actions, and leaves. Before `run`, and while the hub is away, actions and iterations wait.
///
/// A value of this type may be used by any number of tasks. What it does runs on a queue of its own, neither on the main
/// thread nor in the caller's executor. For a program with a loop and stores there is `StoreClient`.
public struct AsyncClient<State: Replicated, Action: WireValue>: Sendable {
  private let link: AsyncConnection
  /// True if the hub may not be able to read what the action's type writes.
  private let mustReadBack = !ReadingRisks(of: Action.self).isEmpty

  /// Creates a client that does nothing before ``run(grace:)``.
  ///
  /// - Parameters:
  ///   - path: The path of the hub's socket.
  ///   - name: The client's name in the hub's log and among the attendees, in place of the options' name.
  ///   - options: The client's options. `pendingActions` is the number of actions without an outcome from which on a
  ///     further one waits; `subscribesToWholeState` has no effect.
  ///   - pendingBytes: The number of bytes of such actions from which on a further one waits.
  ///   - onDivergence: Called if a part differs from the hub's value because of a defect of the hub or the client; the
  ///     hub's value replaces it. Without it, an issue is reported.
  public init(
    path: String, name: String? = nil, options: ReplicaOptions = ReplicaOptions(), pendingBytes: Int = 64 << 20,
    onDivergence: (@Sendable (Divergence) -> Void)? = nil
  ) {
    var options = options
    options.name = name ?? options.name
    link = AsyncConnection(
      to: path, schema: Schema(state: State.self, action: Action.self), options: options, pendingBytes: pendingBytes,
      onDivergence: onDivergence)
  }

  /// Connects, and serves the connection until the task is cancelled.
  ///
  /// It then takes no further action, waits for the outcomes of those that were taken, ends the session, and returns.
  ///
  /// - Parameter grace: How long it waits for these outcomes at most. An action without one by then fails: it may or may
  ///   not have taken effect if it was sent, and has none otherwise.
  /// - Throws: `HubRefusal` if the hub and this program do not fit, so that there are no further attempts.
  /// - Precondition: It is called once.
  public func run(grace: Duration = .seconds(2)) async throws(HubRefusal) {
    await link.run(grace: grace)
    guard case .refused(let reason) = await link.connection else { return }
    throw HubRefusal(reason: reason, isOfOtherFeature: await link.isHubOfOtherFeature)
  }

  // MARK: Actions

  /// Sends an action, and returns when the hub has applied it, and has stored it if it has a journal.
  ///
  /// Actions of one task take effect in their order. While too many are pending, it waits.
  ///
  /// - Throws: `ActionError`, which says why the action has no effect, or that its outcome is unknown. If the task is
  ///   cancelled first, `CancellationError`: an action that was sent is not taken back.
  public func send(_ action: Action) async throws { try await begin(action).applied() }

  /// Takes an action, and returns before the hub has it, so that many are on their way at once.
  ///
  /// Actions take effect in the order in which they were taken. While too many are pending, it waits.
  ///
  /// - Throws: `ActionError`, or `CancellationError`; the action then has no effect.
  public func begin(_ action: Action) async throws -> SentAction {
    let bytes = action.encoded()
    if mustReadBack {
      do throws(WireError) { _ = try Action(decoding: bytes.span.bytes) } catch {
        throw ActionError.unreadable(reason: error.problem.description)
      }
    }
    return try await link.begin(bytes)
  }

  /// The number of actions without an outcome.
  public var pendingActionCount: Int { get async { await link.pendingActionCount } }

  // MARK: Parts

  /// The values of a part of the hub's state, from the one of now; nothing while it does not exist.
  ///
  /// ```swift
  /// for await todo in hub.values(of: { $0.todos.todos[id: 3] }) { print(todo.text) }
  /// ```
  ///
  /// A slow iteration gets the newest value, and not those between. It ends when its task is cancelled, and when the
  /// client has ended.
  public func values<Part: Replicated & Sendable>(
    of path: (StatePath<State, State>) -> StatePath<State, Part>
  ) -> some AsyncSequence<Part, Never> & Sendable {
    updates(of: path).compactMap { $0.value }
  }

  /// Like `values(of:)`, with absences and revisions.
  public func updates<Part: Replicated & Sendable>(
    of path: (StatePath<State, State>) -> StatePath<State, Part>
  ) -> PartUpdates<Part> {
    PartUpdates(link, path(StatePath()).steps, of: .feature)
  }

  /// The value of a part now; nil if it does not exist. Waits for the hub.
  ///
  /// - Throws: `ActionError.notConnected` if the client has ended, `CancellationError` if the task is cancelled.
  public func value<Part: Replicated & Sendable>(
    of path: (StatePath<State, State>) -> StatePath<State, Part>
  ) async throws -> Part? {
    for await update in updates(of: path) { return update.value }
    try Task.checkCancellation()
    throw ActionError.notConnected(reason: "the client has ended")
  }

  /// The values of a view that the hub's feature declares, from the one of now.
  ///
  /// ```swift
  /// for await open in hub.values(of: ViewName<IdentifiedArrayOf<Todo.State>>("active")) { print(open.count) }
  /// ```
  public func values<Value: Replicated & Sendable>(
    of view: ViewName<Value>
  ) -> some AsyncSequence<Value, Never> & Sendable {
    updates(of: view).compactMap { $0.value }
  }

  /// Like `values(of:)`, with revisions, and with the reason if the hub does not serve the view.
  public func updates<Value: Replicated & Sendable>(of view: ViewName<Value>) -> PartUpdates<Value> {
    updates(of: view) { $0 }
  }

  /// The values of a part of a view, such as a window of its elements.
  public func updates<Value: Replicated, Part: Replicated & Sendable>(
    of view: ViewName<Value>, at path: (StatePath<Value, Value>) -> StatePath<Value, Part>
  ) -> PartUpdates<Part> {
    PartUpdates(link, path(StatePath()).steps, in: view)
  }

  /// A part of the hub's own state, such as the list of attached clients, `\.attendees`.
  public func hubUpdates<Part: Replicated & Sendable>(
    of path: (StatePath<HubState, HubState>) -> StatePath<HubState, Part>
  ) -> PartUpdates<Part> {
    PartUpdates(link, path(StatePath()).steps, of: .hub)
  }

  // MARK: The connection

  /// The state of the connection.
  public var connection: ConnectionState { get async { await link.connection } }

  /// The states of the connection, from the one of now; if several follow quickly, only the last. It ends with the client.
  public var connections: AsyncStream<ConnectionState> { link.states() }

  /// The hub's name; empty before the first welcome.
  public var hubName: String { get async { await link.hubName } }

  /// This client as the hub's reducer sees it; nil before the hub has opened a session.
  public var identity: HubClient? { get async { await link.identity } }
}

/// The reason why a hub and a client do not fit; there are no further attempts to connect.
public struct HubRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason, as a sentence without a full stop.
  public let reason: String
  /// True if the hub runs another feature, or another version of it that does not fit.
  public let isOfOtherFeature: Bool

  /// The reason, and who refused.
  public var description: String { "the hub and this client do not fit: \(reason)" }
}
