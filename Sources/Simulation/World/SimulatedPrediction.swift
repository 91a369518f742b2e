import Dependencies
import Reducers
import ReplicaCore
import Wire

/// What a client that predicts shows, whatever the version of its feature. It draws nothing, so a seed's history is the same
/// with it and without.
struct SimulatedPrediction {
  /// An action was sent, as these bytes.
  let sent: ([UInt8], ActionTicket) -> Void
  /// An action has an outcome.
  let ended: (ActionTicket) -> Void
  /// A turn has ended: the pending actions are applied to the hub's state.
  let rebase: () -> Void
  /// How many actions are pending, and the bytes of the state with them on top; nil if there is none.
  let shown: () -> (pendingCount: Int, bytes: [UInt8]?)

  /// - Parameter mirror: The mirror of the whole state.
  init<State: SimulatedState, Action: SimulatedAction>(
    on mirror: TypedMirror<State>, _ reducer: some Reducer<State, Action>, _: Action.Type
  ) {
    // What a reducer sends or draws comes out as effects, which are not run.
    let reduce = withDependencies {
      $0.continuousClock = TestClock()
    } operation: {
      Reduce(reducer)
    }
    let prediction = Prediction<State, Action> { _ = reduce.reduce(into: &$0, action: $1) }
    sent = { bytes, ticket in
      // The features have no such action: the hub will refuse it.
      guard let action = try? Action(decoding: bytes.span.bytes) else { return }
      prediction.sent(action, as: ticket, on: mirror.part)
    }
    ended = { prediction.ended($0) }
    rebase = { prediction.rebase(on: mirror.part) }
    shown = { (prediction.pendingCount, (prediction.state ?? mirror.part)?.encoded()) }
  }
}
