package import Reducers
import Wire

// Actions that come from the hub's own program: from events, from the program itself, and from effects.

extension HubCore {
  /// Notifies the feature that the hub begins to serve, so that it starts its timers and streams, also after a
  /// recovery.
  package mutating func start() { notify(.started) }

  /// Applies the feature's actions in response to an event.
  mutating func notify(_ event: HubEvent) {
    for action in engine.actions(for: event) { send(action) }
  }

  /// Applies an action of the hub itself.
  package mutating func send(_ action: AnyAction) {
    let isApplied = applyOwn(action, isNearLimit: false) { engine in
      engine.apply(action)
      return true
    }
    guard isApplied else { return }
    noteUnrefusable()
    noteOwnAction(action)
  }

  /// Sets the receiver of the actions that the program sends to the engine.
  package func setReceiver(_ body: ((AnyAction) -> Void)?) { engine.onSend = body }

  /// Sets the answer to whether a turn has no time for further actions of a frame. Without it, only their number is
  /// limited.
  package func setLateness(_ body: (() -> Bool)?) { engine.isLate = body }

  // MARK: Effects

  /// Applies an action that an effect sent. Returns false if the effect was cancelled, or if the state would become too
  /// large or unreadable.
  ///
  /// - Parameter effect: The effect; nil for one that has ended.
  package mutating func apply(_ action: AnyAction, from effect: EffectID?) -> Bool {
    let isNearLimit = size.isNear()
    guard applyOwn(action, isNearLimit: isNearLimit, { $0.apply(action, from: effect) }) else { return false }
    if !isNearLimit { noteApplied(1, byteCount: 0) }
    noteOwnAction(action)
    return true
  }

  /// Removes an effect that has ended.
  package mutating func finish(_ effect: EffectID) { reacting { $0.finish(effect) } }

  /// Cancels the effects with an id that belong to a child or its descendants.
  package mutating func cancel(_ id: CancelID, within path: EffectPath) { reacting { $0.cancel(id, within: path) } }

  /// Dismisses the innermost presented child on a path. Returns false if there is none.
  package mutating func dismiss(_ path: EffectPath) -> Bool { reacting { $0.dismiss(path) } }
}
