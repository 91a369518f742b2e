/// The storage of a hub's turns, on one machine or several.
///
/// A log is a sequence of turns, numbered from 1. Turns are only appended, and each states its position. Appending and
/// saving return immediately; `LogEvent`s report the outcomes in order. A hub therefore never waits: it continues with
/// the next turn, and releases a turn's messages when that turn is stored.
///
/// All methods may be called on any thread.
public protocol TurnLog: AnyObject, Sendable {
  /// Appends turns; `stored`, `conflict` or `failed` follows.
  ///
  /// It returns immediately, however many turns wait: the caller bounds their number.
  ///
  /// Turns are stored in order, each entirely or not at all, with many in one commit. After `conflict` or `failed`,
  /// nothing more is stored.
  /// - Parameter turns: The turns in order, directly following the last appended one.
  func append(_ turns: [LoggedTurn])

  /// Saves a snapshot piece by piece; `saved` or `snapshotFailed` follows.
  func save(_ snapshot: LogSnapshot)

  /// The position of the last stored turn; 0 if there is none.
  var tail: UInt64 { get }

  /// Reads stored turns in order.
  ///
  /// - Parameters:
  ///   - position: The first turn to read.
  ///   - byteLimit: Reading stops after the turn that reaches this limit.
  /// - Returns: The turns; none after the tail.
  /// - Throws: An error if the turn was trimmed, is damaged, or cannot be read.
  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn]

  /// Allows the log to remove the turns before a position, except those that snapshots need.
  func trim(before position: UInt64)
}

/// The outcome of an operation on a log.
public enum LogEvent: Equatable, Sendable {
  /// Every turn up to this position is stored and survives a loss of power.
  case stored(upTo: UInt64)
  /// A turn was not appended because the log ends elsewhere: another hub writes to it.
  case conflict(position: UInt64, tail: UInt64)
  /// Turns wait because another program prevents the log from storing them. The log tries again until it can.
  case blocked(LogError)
  /// Turns are stored again.
  case unblocked
  /// Turns could not be stored, or it is unknown whether they were; the log accepts no more.
  case failed(LogError)
  /// A snapshot was saved completely.
  case saved(revision: UInt64)
  /// A snapshot could not be saved; the turns are not affected.
  case snapshotFailed(LogError)
}

/// The state after a turn, to be saved in a log.
public struct LogSnapshot: Sendable {
  /// The last turn that the state includes.
  public let position: UInt64
  /// The state's revision.
  public let revision: UInt64
  /// The effects with a declared restart that were in flight after that turn.
  public let effects: EffectsInFlight
  /// Creates a function that returns the state's bytes in successive pieces of at most the given size, then nil.
  public let makePieces: @Sendable () -> (_ byteLimit: Int) -> [UInt8]?

  /// Creates a snapshot.
  public init(
    position: UInt64, revision: UInt64, effects: EffectsInFlight = EffectsInFlight(),
    makePieces: @escaping @Sendable () -> (_ byteLimit: Int) -> [UInt8]?
  ) {
    (self.position, self.revision, self.effects, self.makePieces) = (position, revision, effects, makePieces)
  }
}
