import FeatureCore
import TurnLog

/// The hub's turns on their way to the log, with the outputs that wait for each to be stored.
final class UnstoredTurns {
  /// The outputs that are released when a turn is stored.
  private struct Held {
    let position: UInt64
    let revision: UInt64
    let version: StateVersion
    let delta: EncodedDelta?
    let byteCount: Int
    /// The last processed sequence numbers of the sessions that the turn changed.
    let outcomes: [(connection: LiveConnection, processed: UInt64)]
    /// The effects with a declared restart that have begun or ended.
    let effects: EffectChanges
    var effectCommands: [EffectCommand<AnyAction>]
  }

  let durability: Durability
  /// The state that clients may see; in async mode, the engine's.
  let stored: StoredState
  /// The effects with a declared restart that are in flight after the last stored turn.
  private(set) var effects: EffectsInFlight
  /// The last turn that was passed to the log.
  private(set) var position: UInt64
  /// The revision and the state after that turn.
  private(set) var revision: UInt64
  private(set) var version: StateVersion
  /// The last turn's change of the state that clients may see; nil once it was offered to the subscribers.
  private(set) var visibleDelta: EncodedDelta?
  /// The hub's own work that waits until the log is no longer behind.
  var postponed = PostponedWork()
  /// The record of the current turn so far. Without the exclusivity check: only the core uses it, for one note at a time.
  @exclusivity(unchecked) var record = TurnRecord()
  private var held: [Held] = []
  /// The index of the first turn of `held` that is not stored; earlier ones have been released.
  private var first = 0
  private(set) var byteCount = 0
  /// The bytes of the actions that were passed on to another hub. They count as if they were those of turns.
  var forwardedByteCount = 0 {
    didSet { byteCount += forwardedByteCount - oldValue }
  }
  /// The bytes of clients' frames that are kept until the log has their actions. They count in the same way.
  var keptByteCount = 0 {
    didSet { byteCount += keptByteCount - oldValue }
  }
  /// True while the hub passes its leadership on: the log stores no further turns of it.
  var isHandingOver = false
  /// The requests of clients to pass the leadership on, in the current turn.
  var handOverRequests: [ForwardingCommand] = []
  /// The last stored turn.
  private(set) var storedPosition: UInt64
  /// The last effect that began because of the hub's start, which begins them again.
  var lastStartedEffect: EffectID?
  /// The bytes of turns that were stored since the last snapshot was begun, also by previous processes.
  var storedByteCount: Int
  var isSavingSnapshot = false
  /// True if the log accepts no more turns.
  private(set) var hasFailed = false

  init(_ engine: any Engine, _ durability: Durability, from history: HubHistory) {
    self.durability = durability
    (position, storedPosition) = (history.position, history.position)
    (storedByteCount, effects) = (history.unsavedByteCount, history.effects)
    (revision, version) = (engine.revision, engine.currentVersion())
    stored = StoredState(version, at: revision)
  }

  var isHolding: Bool { durability == .sync }

  /// The number of turns that the log has not stored yet.
  var count: Int { held.count - first }

  /// Adds a turn that is passed to the log.
  func append(
    _ version: StateVersion, at revision: UInt64, _ delta: EncodedDelta?, _ effects: EffectChanges, byteCount: Int,
    outcomes: [(connection: LiveConnection, processed: UInt64)]
  ) {
    position += 1
    (self.version, self.revision) = (version, revision)
    self.byteCount += byteCount
    if !isHolding { visibleDelta = delta }
    held.append(
      Held(
        position: position, revision: revision, version: version, delta: isHolding ? delta : nil, byteCount: byteCount,
        outcomes: outcomes, effects: effects, effectCommands: []))
  }

  /// Releases the memory of the last change after the turn's publication.
  func forgetVisibleDelta() { visibleDelta = nil }

  /// Holds effect commands until the last turn is stored; returns false if all turns are stored, so that they may run.
  func hold(_ commands: [EffectCommand<AnyAction>]) -> Bool {
    guard isHolding, count > 0 else { return false }
    held[held.count - 1].effectCommands += commands
    return true
  }

  /// Releases the turns up to and including a position.
  func release(
    upTo position: UInt64,
    _ body: (_ outcomes: [(connection: LiveConnection, processed: UInt64)], [EffectCommand<AnyAction>]) -> Void
  ) {
    while first < held.count, held[first].position <= position {
      let turn = held[first]
      first += 1
      byteCount -= turn.byteCount
      storedByteCount += turn.byteCount
      storedPosition = turn.position
      stored.advance(to: turn.version, at: turn.revision)
      effects.apply(turn.effects)
      if let delta = turn.delta { visibleDelta = delta }
      body(turn.outcomes, turn.effectCommands)
    }
    if first == held.count {
      held.removeAll(keepingCapacity: true)
      first = 0
    } else if first > held.count / 2 {
      held.removeFirst(first)
      first = 0
    }
  }

  /// Discards the turns that will never be stored, with the outputs that wait for them.
  func abandon() {
    hasFailed = true
    postponed.removeAll()
    (held, visibleDelta) = ([], nil)
    (first, byteCount) = (0, forwardedByteCount + keptByteCount)
  }

  /// Discards the turns that are not stored, with the outputs that wait for them and the record of the current turn.
  func discard() {
    abandon()
    (hasFailed, record, isHandingOver) = (false, TurnRecord(), false)
    (position, revision, version) = (storedPosition, stored.revision, stored.currentVersion())
  }

  /// The stored state, for the log to save.
  func snapshot() -> LogSnapshot {
    LogSnapshot(of: stored.currentVersion(), at: stored.revision, position: storedPosition, effects: effects)
  }
}

extension LogSnapshot {
  /// Creates a snapshot of a version; its bytes are encoded on the thread that requests them.
  init(of version: StateVersion, at revision: UInt64, position: UInt64, effects: EffectsInFlight) {
    self.init(position: position, revision: revision, effects: effects) {
      let pieces = version.pieces()
      return { limit in pieces.next(limit: limit) }
    }
  }
}
