/// One turn of a hub's loop, as a log stores it: what was done, by whom, and what it changed.
///
/// A turn is stored whole or not at all. The state after it is the state before it with `delta` applied, whatever the
/// reducer does today; `actions` say how it came about, for people and tools.
public struct LoggedTurn: Equatable, Sendable {
  /// The turn's number in the log: 1, 2, 3, without gaps.
  public var position: UInt64
  /// The revision before the turn, which is the last one of the turn before.
  public var baseRevision: UInt64
  /// The revision after the turn; the base revision if only sessions changed.
  public var revision: UInt64
  /// The wall-clock time of the turn, in milliseconds since 1970-01-01 00:00 UTC.
  public var time: Int64
  /// The actions in the order in which they took effect: a CBOR sequence (RFC 8742) of `LoggedActions`.
  public var actions: [UInt8]
  /// What changed in the state (PROTOCOL.md §10); empty if nothing did.
  public var delta: [UInt8]
  /// The sessions that the turn changed, each as it is after the turn.
  public var sessions: [LoggedSession]

  /// Creates a turn.
  public init(
    position: UInt64, baseRevision: UInt64, revision: UInt64, time: Int64, actions: [UInt8] = [],
    delta: [UInt8] = [], sessions: [LoggedSession] = []
  ) {
    (self.position, self.baseRevision, self.revision) = (position, baseRevision, revision)
    (self.time, self.actions, self.delta, self.sessions) = (time, actions, delta, sessions)
  }

  /// How many bytes the turn needs in memory, about.
  public var byteCount: Int { actions.count + delta.count + sessions.count * 128 + 64 }
}
