internal import ComposableCore
internal import FeatureCore
internal import ReplicaCore

/// A composed store, whatever its types.
protocol ComposedStore: AnyObject {
  /// Shows the present state of an attachment.
  func update<HubState, HubAction>(_ attachment: Attachment<HubState, HubAction>)
}

/// The core of a store whose state is reduced here, except for the parts that are a hub's.
final class ComposedCore<State, Action>: StoreCore {
  private let root: RootCore<State, Action>
  let hub: MirroredHub
  /// Kept, so that the client calls it as long as the store exists.
  var connectionObserver: ConnectionObserver?

  init(_ root: RootCore<State, Action>, _ hub: MirroredHub) { (self.root, self.hub) = (root, hub) }

  var isAlive: Bool { true }
  /// Not all actions: a binding of the hub's part is handled in the hub.
  var reducesHere: Bool { false }
  var observers: StoreObservers { root.observers }

  func read<Result>(_ body: (State) -> Result) -> Result { root.read(body) }

  func send(_ action: Action) -> StoreTask {
    let outer = hub.forwarded
    hub.forwarded = []
    let task = root.send(action)
    let forwarded = hub.forwarded ?? []
    hub.forwarded = outer
    return forwarded.isEmpty ? task : Self.joined(task, forwarded)
  }

  /// A task that ends with the effects of an action, which end with the outcomes of the actions that they have sent to
  /// the hub, and fails if one of these has failed.
  private static func joined(_ task: StoreTask, _ forwarded: [StoreTask]) -> StoreTask {
    let completion = StoreTask.Completion()
    Task {
      await task.finish()
      do {
        for task in forwarded {
          guard task.isOver else { throw CancellationError() }
          try await task.taken()
        }
        completion.complete(.success(()))
      } catch {
        completion.complete(.failure(error))
      }
    }
    let effects = ForwardedEffects(forwarded)
    completion.setRemote(effects, number: 0)
    return StoreTask(completion: completion) {
      task.cancel()
      effects.cancelEffects(ofAction: 0)
    }
  }
}

/// The effects in the hub of all actions that one action has sent there. The task of that action keeps them.
private final class ForwardedEffects: RemoteEffects {
  private let tasks: [StoreTask]

  init(_ tasks: [StoreTask]) { self.tasks = tasks }

  func cancelEffects(ofAction _: UInt64) {
    for task in tasks { task.cancel() }
  }

  func whenReleased(_: UInt64, _ body: @escaping @MainActor () -> Void) {
    for task in tasks { task.whenReleased(body) }
  }
}

extension ComposedCore: ComposedStore {
  func update<HubState, HubAction>(_ attachment: Attachment<HubState, HubAction>) {
    guard let part = hub.part(of: attachment) as? HubPart<State, Action, HubState, HubAction> else { return }
    if let event = part.event {
      _ = send(event.embed(.changed))
      guard root.lastRefusal != nil else { return }
      // A feature cannot refuse what the hub has.
      let value = attachment.value
      root.update { part.write(&$0, value) }
    } else {
      let value = attachment.value
      root.update { part.write(&$0, value) }
    }
  }

  /// Tells the feature about the connection.
  func connectionChanged(_ connection: ConnectionState) {
    for part in hub.allParts {
      guard let part = part as? any ConnectedPart<Action>, let action = part.action(for: connection) else { continue }
      _ = send(action)
    }
  }
}
