import FeatureCore
import HubCore
import TurnLog
import Wire

/// Checks that the actions in a log lead to the states in it, with a second engine that receives only these actions.
final class LogAudit {
  private let program: SimulatedProgram
  private let engine: SimulatedEngine
  /// The last sequence number of each session in the log.
  private var processed: [SessionID: UInt64] = [:]

  /// Starts with the state of a starting hub.
  init(_ program: SimulatedProgram, _ state: any SimulatedState, at revision: UInt64, _ sessions: [LoggedSession])
    throws
  {
    self.program = program
    engine = program.makeEngine(Recorder(notesAttendance: false, epoch: 0))
    let bytes = state.encoded()
    try engine.engine.restore(bytes.span.bytes, at: revision)
    for session in sessions { processed[session.id] = session.processed }
  }

  /// Repeats the actions of a turn.
  ///
  /// - Parameter isStopping: True while the hub says goodbye: the core then ends turns that its shell does not see.
  func check(_ turn: LoggedTurn, _ truth: HubTruth, isStopping: Bool) throws {
    var decoder = CBORDecoder(turn.actions.span.bytes)
    while !decoder.isAtEnd {
      let run = try LoggedActions(from: &decoder)
      if case .session(let session, let first, _) = run.origin {
        // Rejected actions may be among those that took effect.
        let last = processed[session] ?? 0
        guard first > last else {
          throw Violation(.loggedWrongly, "turn \(turn.position) has action \(first) of a session that is at \(last)")
        }
        processed[session] = first + run.count - 1
      }
      let bytes = run.actions
      let outcome = engine.engine.applyBatch(bytes.span.bytes, 0, .max, .hub)
      guard outcome.count == Int(run.count), case .complete = outcome.end else {
        throw Violation(
          .loggedWrongly, "turn \(turn.position) has \(run.count) actions, and \(outcome.count) can be read")
      }
    }
    for session in turn.sessions {
      let last = processed[session.id] ?? 0
      guard session.processed >= last else {
        throw Violation(.loggedWrongly, "turn \(turn.position) has a session at \(session.processed), not \(last)")
      }
      processed[session.id] = session.hasEnded ? nil : session.processed
    }
    if isStopping, truth.states[turn.revision] == nil { try truth.note([], engine.state(), at: turn.revision) }
    guard engine.engine.revision == turn.revision, let state = truth.states[turn.revision] else {
      throw Violation(
        .loggedWrongly,
        "the actions of turn \(turn.position) lead to revision \(engine.engine.revision), not \(turn.revision)")
    }
    guard program.view(state).encoded() == engine.state().encoded() else {
      throw Violation(.loggedWrongly, "the actions of turn \(turn.position) lead to another state than its change")
    }
  }
}
