package import FeatureCore
import Wire

// Actions that come from the hub's own program: from events, from the program itself, and from effects.

extension HubCore {
  /// Notifies the feature that the hub begins to serve, so that it starts its timers and streams, also after a
  /// recovery.
  package mutating func start() { notify(.started) }

  /// Applies the feature's actions in response to an event.
  mutating func notify(_ event: HubEvent) {
    let source = Interruption.Source(of: event)
    guard mark == nil || begin(source, event.identity.span) else { return }
    let actions = engine.actions(for: event)
    if mark != nil { end(source, event.identity.span) }
    for action in actions { send(action, from: source) }
  }

  /// Applies an action of the hub itself. It is skipped if earlier processes have ended at it.
  package mutating func send(_ action: AnyAction, from source: Interruption.Source = .program) {
    let encoded = encodedOwnAction(action)
    guard begin(source, encoded.span) else { return }
    let examined = examinedVersion
    let isApplied = applyOwn(action, isNearLimit: false) { engine in
      engine.apply(action)
      return true
    }
    if let examined { examine(since: examined) }
    end(source, encoded.span)
    guard isApplied else { return }
    noteUnrefusable()
    noteOwnAction(encoded)
  }

  /// The action as the log and the mark record it; empty if the hub has neither.
  private func encodedOwnAction(_ action: AnyAction) -> CBOREncoder {
    var encoder = CBOREncoder()
    guard turns != nil || mark != nil else { return encoder }
    engine.encode(action, to: &encoder)
    return encoder
  }

  /// Sets the receiver of the actions that the program sends to the engine.
  package func setReceiver(_ body: ((AnyAction) -> Void)?) { engine.onSend = body }

  /// Sets the answer to whether a turn has no time for further actions of a frame. Without it, only their number is
  /// limited.
  package func setLateness(_ body: (() -> Bool)?) { engine.isLate = body }

  // MARK: Effects

  /// Applies an action that an effect sent. Returns false if the effect was cancelled, if the state would become too
  /// large or unreadable, or if earlier processes have ended at the action.
  ///
  /// - Parameter effect: The effect; nil for one that has ended.
  package mutating func apply(_ action: AnyAction, from effect: EffectID?) -> Bool {
    let encoded = encodedOwnAction(action)
    guard begin(.effect, encoded.span) else { return false }
    let examined = examinedVersion
    let isNearLimit = size.isNear()
    let isApplied = applyOwn(action, isNearLimit: isNearLimit) { $0.apply(action, from: effect) }
    if let examined { examine(since: examined) }
    end(.effect, encoded.span)
    guard isApplied else { return false }
    if !isNearLimit { noteApplied(1, byteCount: 0) }
    noteOwnAction(encoded)
    return true
  }

  /// Removes an effect that has ended.
  package mutating func finish(_ effect: EffectID) { reacting { $0.finish(effect) } }

  /// Cancels the effects with an id that belong to a child or its descendants.
  package mutating func cancel(_ id: CancelID, within path: EffectPath) { reacting { $0.cancel(id, within: path) } }

  /// Dismisses the innermost presented child on a path. Returns false if there is none.
  package mutating func dismiss(_ path: EffectPath) -> Bool { reacting { $0.dismiss(path) } }
}
