public import Dependencies
public import ReplicatedArchitecture
public import Wire

/// The hubs whose models this process shares with others, by the types of the models.
///
/// ```swift
/// let planner = try StoreClient(sharing: Planner.self, loop: loop, path: path)
/// prepareDependencies { $0.sharedModels.add(planner) }
/// planner.start()
/// loop.run()
/// ```
///
/// Then `@Shared(.hub(\Planner.syncUps))` has the hub's value in every feature of the process.
public nonisolated struct SharedModels: Sendable {
  private var sources: [ObjectIdentifier: any ModelSource] = [:]

  /// Creates an empty table.
  public init() {}

  /// Adds a hub whose state is a model of its own.
  ///
  /// The table retains the client. A later call for the same model replaces it.
  @MainActor public mutating func add<Model>(_ client: StoreClient<Model, SharedChange<Model>>) {
    add(client, at: { $0 }, action: { $0 })
  }

  /// Adds a hub whose feature contains a model.
  ///
  /// - Parameters:
  ///   - client: The client of the hub.
  ///   - path: The path of the model in the feature's state.
  ///   - action: Converts a change of the model to an action of the hub's feature.
  @MainActor public mutating func add<State, Action, Model>(
    _ client: StoreClient<State, Action>, at path: (StatePath<State, State>) -> StatePath<State, Model>,
    action: @escaping (SharedChange<Model>) -> Action
  ) {
    sources[ObjectIdentifier(Model.self)] = ClientSource(client, at: path(StatePath()).steps, action: action)
  }

  func source<Model>(of model: Model.Type) -> (any ModelSource<Model>)? {
    sources[ObjectIdentifier(model)] as? any ModelSource<Model>
  }
}

nonisolated extension DependencyValues {
  /// The hubs of `@Shared(.hub(…))`. Without one, its values are in memory in tests and previews.
  public var sharedModels: SharedModels {
    get { self[SharedModelsKey.self] }
    set { self[SharedModelsKey.self] = newValue }
  }
}

private nonisolated enum SharedModelsKey: DependencyKey {
  static let liveValue = SharedModels()
  static var testValue: SharedModels { SharedModels() }
}

extension StoreClient {
  /// Creates a client of a hub whose state is a shared model. It subscribes to the parts that `@Shared(.hub(…))` uses.
  ///
  /// - Parameters:
  ///   - model: The type of the hub's state.
  ///   - loop: The loop of the client, which must outlive it.
  ///   - path: The path of the hub's socket.
  ///   - name: The client's name in the hub's log and among the attendees, in place of the options' name.
  ///   - options: The client's options.
  public convenience init(
    sharing model: State.Type, loop: EventLoop, path: String, name: String? = nil,
    options: ReplicaOptions = ReplicaOptions()
  ) throws(UVError) where Action == SharedChange<State> {
    var options = options
    options.subscribesToWholeState = false
    try self.init(loop: loop, path: path, name: name, options: options)
  }
}
