internal import ReplicaCore
internal import ReplicatedArchitecture
internal import Wire

/// The source of a shared model's parts.
@MainActor protocol ModelSource<Model>: AnyObject, Sendable {
  associatedtype Model: Replicated

  /// Identifies the client, whatever the number of sources that refer to it.
  nonisolated var id: ObjectIdentifier { get }
  /// Subscribes to a part, whose changes take effect in its store immediately.
  func attach<Part: Replicated>(to path: [PathStep], as type: Part.Type) -> Attachment<Part, PartChange<Model>>
  /// Ends a subscription.
  func detach<Part>(_ attachment: Attachment<Part, PartChange<Model>>)

  /// The state of the connection.
  var connection: ConnectionState { get }
  /// A sentence about the connection; nil while it is live or was not lost.
  var connectionNotice: String? { get }
  /// Calls a function whenever the connection has changed, until the observer is released.
  func observeConnection(_ observer: ConnectionObserver)
}

/// The observer of a connection.
@MainActor final class ConnectionObserver {
  let onChange: () -> Void

  init(_ onChange: @escaping () -> Void) { self.onChange = onChange }
}

/// The model of a client's hub.
@MainActor final class ClientSource<State: Replicated, Action: WireValue, Model: Replicated>: ModelSource {
  private let client: StoreClient<State, Action>
  /// The path of the model in the hub's state.
  private let path: [PathStep]
  private let action: (SharedChange<Model>) -> Action

  nonisolated var id: ObjectIdentifier { ObjectIdentifier(client) }

  init(
    _ client: StoreClient<State, Action>, at path: [PathStep], action: @escaping (SharedChange<Model>) -> Action
  ) {
    (self.client, self.path, self.action) = (client, path, action)
  }

  var connection: ConnectionState { client.connection }
  var connectionNotice: String? { client.connectionNotice }
  func observeConnection(_ observer: ConnectionObserver) { client.observeConnection(observer) }

  func attach<Part: Replicated>(to part: [PathStep], as type: Part.Type) -> Attachment<Part, PartChange<Model>> {
    let action = action
    // What the hub refuses has no effect here either.
    let prediction = Prediction<Part, PartChange<Model>> { try? $0.merge(change: $1.bytes.span.bytes) }
    return client.attach(to: path + part, action: { action($0.change) }, predictingBy: prediction)
  }

  func detach<Part>(_ attachment: Attachment<Part, PartChange<Model>>) { client.detach(attachment) }
}

/// A reference to an observer that does not retain it.
struct WeakConnectionObserver {
  weak var object: ConnectionObserver?
}
