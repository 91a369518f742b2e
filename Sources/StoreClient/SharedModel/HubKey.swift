internal import ConcurrencyExtras
internal import Dependencies
public import Sharing
public import Wire

nonisolated extension SharedReaderKey {
  /// A field of the model that a hub shares among processes.
  ///
  /// ```swift
  /// @Shared(.hub(\Planner.syncUps)) var syncUps: IdentifiedArrayOf<SyncUp> = []
  /// ```
  ///
  /// A change takes effect here immediately. It is sent to the hub as what it has changed, and not as the new value, so
  /// that processes that add, edit and remove different elements at the same time all keep their work; docs/SHARED-MODEL
  /// has the rules for each type. The reference has the hub's value with this process's unacknowledged changes.
  ///
  /// `isLoading` is true until the hub has sent the value, and while the connection is lost; `loadError` is then the
  /// reason. Changes made meanwhile are sent later, each exactly once. `save()` waits until the hub has stored all changes
  /// so far. If the hub refuses one, the reference returns to the hub's value, and `saveError` has the reason.
  ///
  /// The program names the hub at its start, with `SharedModels.add(_:)`. In tests and previews the key is in memory.
  ///
  /// - Parameter field: A stored, replicated field of the model.
  public static func hub<Model, Value>(_ field: KeyPath<Model, Value>) -> Self where Self == HubKey<Model, Value> {
    hub(Model.self) { $0[dynamicMember: field] }
  }

  /// A part of the model that a hub shares among processes.
  ///
  /// ```swift
  /// @SharedReader(.hub(Planner.self) { $0.syncUps[id: 3].title }) var title = ""
  /// ```
  ///
  /// - Parameters:
  ///   - model: The type of the model.
  ///   - part: The path of the part, which need not exist: then the reference has its initial value, and changes of it
  ///     have no effect.
  public static func hub<Model, Value>(
    _ model: Model.Type, _ part: (StatePath<Model, Model>) -> StatePath<Model, Value>
  ) -> Self where Self == HubKey<Model, Value> {
    HubKey(part(StatePath()).steps)
  }
}

/// A key of a part of the model that a hub shares among processes; see
/// ``Sharing/SharedReaderKey/hub(_:)``.
public nonisolated struct HubKey<Model: Replicated, Value: Replicated & Sendable>: SharedKey {
  private let path: [PathStep]
  private let place: Place

  /// The place of the model.
  private enum Place: Sendable {
    case hub(PartLink<Model, Value>, source: ObjectIdentifier)
    /// In tests and previews.
    case memory(InMemoryKey<Value>)
    case missing
  }

  init(_ path: [PathStep]) {
    @Dependency(\.sharedModels) var models
    @Dependency(\.context) var context
    self.path = path
    if let source = models.source(of: Model.self) {
      place = .hub(PartLink(path, of: source), source: source.id)
    } else {
      place = context == .live ? .missing : .memory(.inMemory("hub \(Model.self) \(path)"))
    }
  }

  /// The part, its type, and the hub or the memory in which it is.
  public var id: HubKeyID {
    switch place {
    case .hub(_, let source): HubKeyID(path: path, type: ObjectIdentifier(Value.self), source: source, memory: nil)
    case .memory(let key):
      HubKeyID(path: path, type: ObjectIdentifier(Value.self), source: nil, memory: key.id)
    case .missing: HubKeyID(path: path, type: ObjectIdentifier(Value.self), source: nil, memory: nil)
    }
  }

  /// On request, waits until the hub has sent the value.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    switch place {
    case .hub(let link, _): link.load(context, continuation)
    case .memory(let key): key.load(context: context, continuation: continuation)
    case .missing: continuation.resume(throwing: NoHubForModel(model: "\(Model.self)"))
    }
  }

  /// Follows the hub's value and the connection.
  public func subscribe(context: LoadContext<Value>, subscriber: SharedSubscriber<Value>) -> SharedSubscription {
    switch place {
    case .hub(let link, _): link.subscribe(subscriber)
    case .memory(let key): key.subscribe(context: context, subscriber: subscriber)
    case .missing: SharedSubscription {}
    }
  }
}

nonisolated extension HubKey: ChangeKey {
  package func save(from base: Value, to value: Value, context: SaveContext, continuation: SaveContinuation) {
    switch place {
    case .hub(let link, _): link.save(from: base, to: value, isRequest: context == .userInitiated, continuation)
    case .memory(let key):
      continuation.taken()
      key.save(value, context: context, continuation: continuation)
    case .missing:
      continuation.taken()
      continuation.resume(throwing: NoHubForModel(model: "\(Model.self)"))
    }
  }
}

nonisolated extension HubKey: CustomStringConvertible {
  /// The model and the path.
  public var description: String { ".hub(\(Model.self), \(path))" }
}

/// The identity of a part of a model.
public nonisolated struct HubKeyID: Hashable, Sendable {
  let path: [PathStep]
  let type: ObjectIdentifier
  let source: ObjectIdentifier?
  let memory: InMemoryKeyID?
}

/// The program has not said which hub shares a model.
public nonisolated struct NoHubForModel: Error, Equatable, CustomStringConvertible {
  /// The name of the model's type.
  public let model: String

  public var description: String {
    """
    no hub is known that shares \(model). Before the first '@Shared(.hub(…))', add one: \
    'prepareDependencies { $0.sharedModels.add(try StoreClient(sharing: \(model).self, loop: loop, path: path)) }'
    """
  }
}
