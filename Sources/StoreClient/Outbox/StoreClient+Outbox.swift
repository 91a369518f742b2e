public import ComposableCore
public import EventLoop
public import FoundationEssentials
public import ReplicaCore

extension StoreClient {
  /// Creates a client whose actions survive the end of its process.
  ///
  /// The session and the actions without an outcome are kept in a small file. When the process was killed, the next one
  /// with the same file sends again what the hub has not processed, and each action takes effect once. Their outcomes go
  /// to ``onRecoveredOutcome``.
  ///
  /// ```swift
  /// let client = try StoreClient<AppFeature.State, AppFeature.Action>(
  ///   loop: loop, path: path, outbox: URL(filePath: "/var/lib/importer/outbox"))
  /// client.onRecoveredOutcome = { outcome in … }
  /// client.start()
  /// ```
  ///
  /// An action is sent once it is in the file. The file has at most `ReplicaOptions.pendingActions` actions, and takes
  /// no further ones while they have `ReplicaOptions.outboxBytes`. docs/DURABILITY.md has the details, such as what a
  /// loss of power costs.
  ///
  /// - Parameters:
  ///   - loop: The loop of the client, which must outlive it.
  ///   - path: The path of the hub's socket.
  ///   - name: The client's name in the hub's log and among the attendees, in place of the options' name.
  ///   - options: The client's options.
  ///   - outbox: The file, which belongs to this client and this hub. It is created if there is none.
  /// - Throws: `OutboxError`, for example if another client uses the file; `UVError`.
  public convenience init(
    loop: EventLoop, path: String, name: String? = nil, options: ReplicaOptions = ReplicaOptions(), outbox: URL
  ) throws {
    try self.init(loop: loop, path: path, name: name, options: options)
    try open(outbox)
  }

  /// Creates a client whose actions take effect in `store` immediately, and survive the end of its process.
  ///
  /// The actions of an earlier process take effect in the store as well.
  ///
  /// - Parameters:
  ///   - loop: The loop of the client, which must outlive it.
  ///   - path: The path of the hub's socket.
  ///   - name: The client's name in the hub's log and among the attendees, in place of the options' name.
  ///   - options: The client's options, which must subscribe to the whole state.
  ///   - outbox: The file, which belongs to this client and this hub. It is created if there is none.
  ///   - reducer: The reducer of the hub's feature.
  ///   - prepareDependencies: Overrides dependencies for the reducer.
  /// - Throws: `OutboxError`, for example if another client uses the file; `UVError`.
  public convenience init<R: Reducer<State, Action>>(
    loop: EventLoop, path: String, name: String? = nil, options: ReplicaOptions = ReplicaOptions(), outbox: URL,
    predictingWith reducer: R, withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in }
  ) throws {
    try self.init(
      loop: loop, path: path, name: name, options: options, predictingWith: reducer,
      withDependencies: prepareDependencies)
    try open(outbox)
  }

  private func open(_ outbox: URL) throws(OutboxError) {
    guard outbox.isFileURL else { throw OutboxError(.foreign, "the outbox \(outbox) is not a file; name one") }
    try open(outbox.path(percentEncoded: false))
  }
}
