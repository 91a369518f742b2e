package import Dependencies
package import FeatureCore
import TurnLog
package import Wire

// Actions that come from the hub's own program: from events, from the program itself, and from effects. While the log
// is behind, they wait in order, as clients' frames do.

extension HubCore {
  /// Notifies the feature that the hub begins to serve, so that it starts its timers and streams, also after a
  /// recovery. Then the actions are sent that restart the effects which the previous process has not ended.
  package mutating func start() {
    notify(.started)
    restartEffects()
  }

  /// Applies the feature's actions in response to an event.
  mutating func notify(_ event: HubEvent) { performOrPostpone(.event(event)) }

  /// Applies an action of the hub itself. It is skipped if earlier processes have ended at it.
  package mutating func send(_ action: AnyAction) { performOrPostpone(.action(action, from: .program)) }

  private mutating func handle(_ event: HubEvent) {
    let source = Interruption.Source(of: event)
    guard mark == nil || begin(source, event.identity.span) else { return }
    let actions = engine.actions(for: event)
    if mark != nil { end(source, event.identity.span) }
    for action in actions { applyOwn(action, from: source) }
  }

  /// Applies an action. Returns false if it was skipped; true also if it was taken back.
  @discardableResult
  mutating func applyOwn(_ action: AnyAction, from source: Interruption.Source) -> Bool {
    let encoded = encodedOwnAction(action)
    surroundings.beginAction()
    guard begin(source, encoded.span) else { return false }
    let examined = examinedVersion
    let isApplied = applyOwn(action, isNearLimit: false) { engine in
      engine.apply(action)
      return true
    }
    if let examined { examine(since: examined) }
    end(source, encoded.span)
    guard isApplied else { return true }
    noteUnrefusable()
    noteOwnAction(encoded, from: .hub)
    return true
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

  /// Sets the clock of the reducer's `\.date`, in milliseconds since 1970. It is read at most once in a turn. Without it,
  /// the reducer reads the machine's time itself.
  package func setClock(_ body: (() -> Int64)?) { surroundings.clock = body }

  /// Sets the calendar, the time zone and the locale of the reducer. Call it before `start`.
  package func setRegion(_ settings: RegionalSettings) throws(UnknownRegion) {
    surroundings.setRegion(settings, try RegionalValues(settings))
  }

  /// Sets the source of the hub's part in its cluster, for the metrics.
  package mutating func setClusterStatus(_ body: (() -> ClusterStatus)?) {
    clusterStatus = body
    attendance.node = body?().node ?? ""
  }

  /// Sets the receiver of what the reducer reads that is not reproducible: a line for the log, once for each key.
  package func setIrreproducibleReadReport(_ body: ((String) -> Void)?) { surroundings.onIrreproducibleRead = body }

  // MARK: Effects

  /// Applies an action that an effect sent. Returns false if the effect was cancelled, if the state would become too
  /// large or unreadable, or if earlier processes have ended at the action; true if it was applied or waits for the log.
  ///
  /// - Parameter effect: The effect; nil for one that has ended.
  package mutating func apply(_ action: AnyAction, from effect: EffectID?) -> Bool {
    performOrPostpone(.effectAction(action, from: effect))
  }

  private mutating func applyNow(_ action: AnyAction, from effect: EffectID?) -> Bool {
    let encoded = encodedOwnAction(action)
    surroundings.beginAction()
    guard begin(.effect, encoded.span) else { return false }
    let examined = examinedVersion
    let isNearLimit = size.isNear()
    let isApplied = applyOwn(action, isNearLimit: isNearLimit) { $0.apply(action, from: effect) }
    if let examined { examine(since: examined) }
    end(.effect, encoded.span)
    guard isApplied else { return false }
    if !isNearLimit { noteApplied(1, byteCount: 0) }
    noteOwnAction(encoded, from: .effect)
    return true
  }

  /// Removes an effect that has ended.
  package mutating func finish(_ effect: EffectID) { performOrPostpone(.end(effect)) }

  /// Cancels the effects with an id that belong to a child or its descendants.
  package mutating func cancel(_ id: CancelID, within path: EffectPath) {
    performOrPostpone(.cancellation(id, within: path))
  }

  /// Dismisses the innermost presented child on a path. Returns false if there is none; true if it was dismissed or the
  /// request waits for the log.
  package mutating func dismiss(_ path: EffectPath) -> Bool { performOrPostpone(.dismissal(path)) }

  // MARK: Waiting for the log

  /// The number of the hub's own actions and ends of effects that wait for the log.
  package var postponedCount: Int { turns?.postponed.count ?? 0 }

  /// True if all further work must wait: the log is behind, or work that arrived earlier still waits.
  var postponesWork: Bool {
    guard let turns else { return false }
    return isLogBehind || !turns.postponed.isEmpty
  }

  /// Performs work now, or later if the log is behind. Returns false if it was performed and had no effect.
  @discardableResult
  mutating func performOrPostpone(_ work: OwnWork) -> Bool {
    // The hub that leads has the events of its own program, and runs the effects.
    guard !isFollowing else { return false }
    guard postponesWork, !isShuttingDown else { return perform(work) }
    turns?.postponed.append(work)
    return true
  }

  @discardableResult
  private mutating func perform(_ work: OwnWork) -> Bool {
    let outer = surroundings.begin(ownActionsOf: work.isOfEffect ? .effect : .hub)
    defer { surroundings.end(outer) }
    switch work {
    case .event(let event): handle(event)
    case .action(let action, let source): applyOwn(action, from: source)
    case .restart(let effect): restart(effect)
    case .effectAction(let action, let effect): return applyNow(action, from: effect)
    case .end(let effect): reacting { $0.finish(effect) }
    case .cancellation(let id, let path): reacting { $0.cancel(id, within: path) }
    case .dismissal(let path): return reacting { $0.dismiss(path) }
    case .clientCancellation(let cascade): reacting { $0.cancel(cascade: cascade) }
    case .release(let cascade): reacting { $0.letGo(cascade: cascade) }
    }
    return true
  }

  /// Performs postponed work until the turn has no time left.
  ///
  /// - Parameter limit: The maximum number of items.
  /// - Returns: The number of items.
  mutating func performPostponed(limit: Int) -> Int {
    var count = 0
    while count < limit, let work = turns?.postponed.next() {
      perform(work)
      count += 1
      if engine.isLate?() == true { break }
    }
    return count
  }

  /// Performs all postponed work, also while the log is behind. Call it before the hub hands over; `shutDown` does so
  /// too. Effects end with the process, so nobody would repeat their actions.
  package mutating func performAllPostponed() {
    while let work = turns?.postponed.next() { perform(work) }
  }
}
