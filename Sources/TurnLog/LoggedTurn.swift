public import Wire

/// One turn of a hub's loop, as a log stores it: the actions, their origins, and the change of the state.
///
/// A turn is stored entirely or not at all. The state after it is the previous state with `delta` applied, whatever the
/// reducer does today. `actions` document the cause, for people and tools.
public struct LoggedTurn: Equatable, Sendable {
  /// The turn's number in the log: 1, 2, 3, without gaps.
  public var position: UInt64
  /// The revision before the turn, which is the one after the previous turn.
  public var baseRevision: UInt64
  /// The revision after the turn; the base revision if only sessions or effects changed.
  public var revision: UInt64
  /// The wall-clock time of the turn, in milliseconds since 1970-01-01 00:00 UTC.
  public var time: Int64
  /// The actions in the order in which they took effect: a CBOR sequence (RFC 8742) of `LoggedActions`.
  public var actions: [UInt8]
  /// The change of the state (PROTOCOL.md §10); empty if there is none.
  public var delta: [UInt8]
  /// The sessions that the turn changed, as of the end of the turn.
  public var sessions: [LoggedSession]
  /// The effects with a declared restart that have begun or ended.
  public var effects: EffectChanges
  /// The calendar, the time zone and the locale that the reducer has read.
  public var region: RegionalSettings

  /// Creates a turn.
  public init(
    position: UInt64, baseRevision: UInt64, revision: UInt64, time: Int64, actions: [UInt8] = [],
    delta: [UInt8] = [], sessions: [LoggedSession] = [], effects: EffectChanges = EffectChanges(),
    region: RegionalSettings = .standard
  ) {
    (self.position, self.baseRevision, self.revision) = (position, baseRevision, revision)
    (self.time, self.actions, self.delta, self.sessions) = (time, actions, delta, sessions)
    (self.effects, self.region) = (effects, region)
  }

  /// The approximate number of bytes that the turn needs in memory.
  public var byteCount: Int {
    sessions.reduce(actions.count + delta.count + effects.byteCount + 64) { $0 + $1.byteCount }
  }
}
