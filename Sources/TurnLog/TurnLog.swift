/// Where a hub stores its turns: on this machine, or on several.
///
/// A log is a sequence of turns, numbered from 1. It takes turns at the end only, and only where they belong: each states
/// its position. Appending and saving return at once; what became of them comes as `LogEvent`s, in order. So a hub
/// never waits: it goes on with the next turn, and lets out what belongs to a turn when that turn is stored.
///
/// All functions may be called on any thread.
public protocol TurnLog: AnyObject, Sendable {
  /// Appends turns; `stored`, `conflict` or `failed` follows.
  ///
  /// Turns are stored in order, each whole or not at all, and many in one commit. After `conflict` or `failed` nothing
  /// more is stored.
  /// - Parameter turns: In order, the first one right behind the last that was appended.
  func append(_ turns: [LoggedTurn])

  /// Saves a snapshot beside the turns, piece by piece; `saved` follows, or `snapshotFailed`.
  func save(_ snapshot: LogSnapshot)

  /// The position of the last turn that is stored; 0 if there is none.
  var tail: UInt64 { get }

  /// Reads stored turns in order.
  ///
  /// - Parameters:
  ///   - position: The first turn to read.
  ///   - byteLimit: Where to stop: behind the turn that reaches it.
  /// - Returns: The turns; none behind the tail.
  /// - Throws: That the turn was trimmed, is damaged, or cannot be read.
  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn]

  /// Allows the log to forget the turns before a position, as far as no snapshot needs them.
  func trim(before position: UInt64)
}

/// What became of something that a log was given.
public enum LogEvent: Equatable, Sendable {
  /// Every turn up to this position is stored and survives a loss of power.
  case stored(upTo: UInt64)
  /// A turn was not appended, because the log ends elsewhere: another hub writes to it.
  case conflict(position: UInt64, tail: UInt64)
  /// Turns could not be stored, or nobody knows whether they were; the log takes no more.
  case failed(LogError)
  /// A snapshot was saved whole.
  case saved(revision: UInt64)
  /// A snapshot could not be saved; the turns are not concerned.
  case snapshotFailed(LogError)
}

/// A state as it was after one turn, to be saved in a log.
public struct LogSnapshot: Sendable {
  /// The last turn that the state contains.
  public let position: UInt64
  /// The state's revision.
  public let revision: UInt64
  /// Makes a function that returns the state's bytes in successive pieces of at most the given size, then nil.
  public let makePieces: @Sendable () -> (_ byteLimit: Int) -> [UInt8]?

  /// Creates a snapshot.
  public init(
    position: UInt64, revision: UInt64, makePieces: @escaping @Sendable () -> (_ byteLimit: Int) -> [UInt8]?
  ) {
    (self.position, self.revision, self.makePieces) = (position, revision, makePieces)
  }
}
