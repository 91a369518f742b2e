import Dependencies
import FeatureCore
package import TurnLog
import Wire

/// Runs the actions of stored turns through the reducer of this program, and compares the results with the stored ones.
///
/// ```swift
/// var replay = Replay(engine)                     // with the state before the first turn
/// for turn in turns {
///   if let difference = try replay.next(turn) { print(difference.revision) }
/// }
/// ```
///
/// The reducer reads the senders, the times and the random numbers of the turns. Effects are not run: what they have
/// sent is in the turns. After a difference, the replay continues from the stored state.
package struct Replay: ~Copyable {
  private let engine: any Engine
  private let surroundings: ReplayedSurroundings
  private var encoder = CBOREncoder()
  /// The number of actions so far.
  package private(set) var actionCount: UInt64 = 0

  /// Begins with an engine that has the state before the first turn.
  package init<State, Action>(_ engine: FeatureEngine<State, Action>) { self.init(engine: engine) }

  init(engine: any Engine) {
    (self.engine, surroundings) = (engine, ReplayedSurroundings(engine))
  }

  /// Replays the next turn.
  ///
  /// - Parameter turn: A turn with the schema of the feature, which follows the last one.
  /// - Returns: The difference from the stored result; nil if there is none.
  /// - Throws: `malformed` if its bytes are; `unknownRegion` if this program does not know its time zone.
  /// - Complexity: The cost of the actions and of their changes; O(state) for a turn with a difference.
  package mutating func next(_ turn: LoggedTurn) throws(RecoveryError) -> ReplayDifference? {
    guard turn.baseRevision == engine.revision else {
      throw .gap(
        position: turn.position, base: turn.baseRevision, expected: turn.position, revision: engine.revision)
    }
    guard !turn.actions.isEmpty || turn.revision != turn.baseRevision else { return nil }
    do throws(UnknownRegion) { try surroundings.begin(turn.region) } catch {
      throw .unknownRegion(position: turn.position, error.description)
    }
    do throws(WireError) { return try compare(turn) } catch {
      throw .malformed(position: turn.position, error)
    }
  }

  private mutating func compare(_ turn: LoggedTurn) throws(WireError) -> ReplayDifference? {
    let before = engine.currentVersion()
    let refusal = try apply(turn)
    // What effects would do is in the turns.
    if engine.hasEffectCommands { engine.forgetEffects() }
    let now = engine.currentVersion()
    encoder.removeAll()
    now.encodeDelta(from: before, to: &encoder)
    let revision = engine.revision
    if refusal == nil, revision == turn.revision, encoder.bytes == turn.delta { return nil }
    engine.restore(before, at: turn.baseRevision)
    try engine.restore(delta: turn.delta.span.bytes, to: turn.revision)
    let stored = engine.currentVersion()
    let (storedBytes, nowBytes) = (stored.bytes, now.bytes)
    guard refusal != nil || revision != turn.revision || storedBytes != nowBytes else { return nil }
    return ReplayDifference(turn: turn, stored: storedBytes, now: nowBytes, revisionNow: revision, refusal: refusal)
  }

  /// Applies the actions of a turn. Returns the reason if the reducer refuses one.
  private mutating func apply(_ turn: LoggedTurn) throws(WireError) -> String? {
    var refusal: String?
    var runs = CBORDecoder(turn.actions.span.bytes)
    while runs.offset < turn.actions.count {
      let run = try LoggedActions(from: &runs)
      surroundings.begin(run, of: turn)
      let outer = surroundings.reducer.begin()
      defer { ReducerSurroundings.end(outer) }
      actionCount += run.count
      switch run.origin {
      case .session(let id, _, _):
        let sender = SendingClient(session: id.low, seenRevision: nil)
        let outcome = engine.applyBatch(run.actions.span.bytes, 0, .max, sender)
        switch outcome.end {
        case .complete, .limit: break
        case .failure: if let error = engine.takeFailure() { throw error }
        case .refused: break
        }
      case .hub:
        for action in try engine.decodeAll(run.actions.span.bytes) { engine.apply(action) }
      case .effect:
        engine.reduceSteps(try engine.decodeAll(run.actions.span.bytes))
      }
      if let refused = engine.takeRefusal(), refusal == nil { refusal = refused.reason }
    }
    return refusal
  }
}

/// A turn whose actions have another result than the stored one.
package struct ReplayDifference: Equatable, Sendable {
  /// The turn.
  package let turn: LoggedTurn
  /// The encoded state after it, as it is stored.
  package let stored: [UInt8]
  /// The encoded state after its actions have run through the reducer of this program.
  package let now: [UInt8]
  /// The revision after that, which differs if other actions were sent at once.
  package let revisionNow: UInt64
  /// The reason if the reducer refuses one of the actions; nil if it refuses none.
  package let refusal: String?
}

extension Engine {
  /// Decodes all actions of a CBOR sequence.
  fileprivate func decodeAll(_ sequence: RawSpan) throws(WireError) -> [AnyAction] {
    var decoder = CBORDecoder(sequence)
    var actions: [AnyAction] = []
    while !decoder.isAtEnd { actions.append(try decode(next: &decoder)) }
    return actions
  }
}

extension StateVersion {
  /// The bytes of the whole state.
  fileprivate var bytes: [UInt8] {
    let pieces = pieces()
    var bytes: [UInt8] = []
    while let piece = pieces.next(limit: 1 << 20) { bytes += piece }
    return bytes
  }
}
