internal import CasePaths
internal import CombineSchedulers
internal import ConcurrencyExtras
internal import Dependencies
internal import FeatureCore
internal import IssueReporting
internal import ReplicaCore
internal import Wire

/// The hub of a composed store: the attachments whose states are parts of its state.
///
/// Reducers run on the main actor with their store, so that their functions, which are not isolated, may access it.
final class MirroredHub {
  /// The attachments and the parts, by the types of the hub's state and actions.
  private var attachments: [ObjectIdentifier: AnyObject] = [:]
  private var parts: [ObjectIdentifier: Any] = [:]
  /// The actions that the running `send` has sent to the hub; nil while none is running, for those of effects.
  var forwarded: [StoreTask]?

  private static func key<State: Replicated, Action>(_: State.Type, _: Action.Type) -> ObjectIdentifier {
    ObjectIdentifier(Attachment<State, Action>.self)
  }

  /// All parts; each is a `HubPart` of the feature's types.
  var allParts: some Sequence<Any> { parts.values }

  /// The part in which an attachment is shown.
  func part<State, Action>(of attachment: Attachment<State, Action>) -> Any? {
    parts[Self.key(State.self, Action.self)]
  }

  func add<State, Action>(_ attachment: Attachment<State, Action>) {
    let key = Self.key(State.self, Action.self)
    if let earlier = attachments[key] as? Attachment<State, Action>, earlier !== attachment { earlier.composed = nil }
    attachments[key] = attachment
  }

  private func attachment<State: Replicated, Action>(_: State.Type, _: Action.Type) -> Attachment<State, Action>? {
    attachments[Self.key(State.self, Action.self)] as? Attachment<State, Action>
  }

  // MARK: For reducers

  /// Declares a part of the feature's state.
  nonisolated func declare<State, Action, HubState, HubAction>(_ part: HubPart<State, Action, HubState, HubAction>) {
    // Unchecked: it stays on the main actor.
    let part = UncheckedSendable(part)
    MainActor.assumeIsolated { parts[Self.key(HubState.self, HubAction.self)] = part.value }
  }

  /// What the store shows of a part; nil if it is unknown, or does not exist.
  nonisolated func shown<State: Replicated, Action>(_ state: State.Type, _ action: Action.Type) -> State? {
    // Unchecked: it stays on the main actor.
    MainActor.assumeIsolated { UncheckedSendable(attachment(state, action)?.value) }.value
  }

  /// The effect that sends an action to the hub, and ends with its outcome.
  nonisolated func forward<State, Action, HubState, HubAction>(
    _ action: HubAction, _ part: HubPart<State, Action, HubState, HubAction>, _ site: CompositionSite
  ) -> Effect<Action> {
    // Unchecked: both stay on the main actor.
    let (action, part) = (UncheckedSendable(action), UncheckedSendable(part))
    return Effect(
      tree: .run(
        EffectOperation(
          EffectSubscription { deliver, finish in
            guard let attachment = self.attachment(HubState.self, HubAction.self) else {
              reportIssue(
                """
                An action was sent to a part of a hub that is not attached. Attach it, and show it in this store with \
                'show(in:)': \(HubState.self)
                """, fileID: site.location.fileID, filePath: site.location.filePath, line: site.location.line,
                column: site.location.column)
              finish(nil)
              return AnyCancellable {}
            }
            let task = attachment.send(action.value)
            self.forwarded?.append(task)
            let waiting = Task { @MainActor in
              do {
                try await task.taken()
              } catch let error as ActionError {
                if let event = part.value.event { deliver(event.embed(.failed(action.value, error))) }
              } catch {
                // The wait was cancelled. The action is not recalled.
              }
              finish(nil)
            }
            return AnyCancellable { waiting.cancel() }
          })))
  }
}

nonisolated extension DependencyValues {
  /// The hub of the store that is being created; nil for a store without one.
  var mirroredHub: MirroredHub? {
    get { self[MirroredHubKey.self] }
    set { self[MirroredHubKey.self] = newValue }
  }
}

private nonisolated enum MirroredHubKey: DependencyKey {
  static let isReproducible = true
  static var liveValue: MirroredHub? { nil }
  static var testValue: MirroredHub? { nil }
}
