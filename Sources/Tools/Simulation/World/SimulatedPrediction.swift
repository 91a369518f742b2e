import Dependencies
import FeatureCore
import ReplicaCore
import Wire

/// The state that a predicting client shows, in any version of its feature. It draws no random numbers, so a seed's
/// history does not depend on it.
struct SimulatedPrediction {
  /// Records that an action was sent as these bytes; returns false if the feature has no such action.
  let sent: ([UInt8], ActionTicket) -> Bool
  /// Records that an action has an outcome.
  let ended: (ActionTicket) -> Void
  /// Records that the hub's state contains exactly the actions that have ended.
  let settle: () -> Void
  /// Ends a turn: applies the pending actions to the settled state.
  let rebase: () -> Void
  /// Returns true if it has no pending actions, and shows the state of the mirror.
  let isMirror: () -> Bool
  /// The number of pending actions, and the bytes of the state with them on top; nil if there is none.
  let shown: () -> (pendingCount: Int, bytes: [UInt8]?)
  /// The shared model that it shows; nil if there is no state yet.
  let sharedPlan: () -> SharedPlan?
  /// The bytes that it should show with these actions pending.
  let expected: ([[UInt8]]) -> [UInt8]?
  /// The revision of the settled state; nil if there is none.
  let settledRevision: () -> UInt64?

  /// - Parameter mirror: The mirror of the whole state.
  init<State: SimulatedState, Action: SimulatedAction>(
    on mirror: TypedMirror<State>, _ reducer: some Reducer<State, Action>, _: Action.Type
  ) {
    // The reducer's sends and random numbers are effects, which are not run.
    let reduce = withDependencies {
      $0.continuousClock = TestClock()
    } operation: {
      Reduce(reducer)
    }
    let prediction = Prediction<State, Action> { _ = reduce.reduce(into: &$0, action: $1) }
    var settled: (state: State?, revision: UInt64?) = (nil, nil)
    sent = { bytes, ticket in
      // The features have no such action, so the hub will reject it.
      guard let action = try? Action(decoding: bytes.span.bytes) else { return false }
      if prediction.pendingCount == 0 { settled = (mirror.part, mirror.revision) }
      prediction.sent(action, as: ticket, on: mirror.part)
      return true
    }
    ended = { prediction.ended($0) }
    settle = {
      settled = (mirror.part, mirror.revision)
      _ = prediction.settle(on: mirror.part)
    }
    rebase = { prediction.rebase() }
    isMirror = { prediction.pendingCount == 0 && prediction.state == nil }
    shown = { (prediction.pendingCount, (prediction.state ?? mirror.part)?.encoded()) }
    sharedPlan = { (prediction.state ?? mirror.part)?.shared }
    settledRevision = { settled.state == nil ? nil : settled.revision }
    expected = { actions in
      // Before any state has settled the hub's is shown.
      guard !actions.isEmpty, var state = settled.state else { return mirror.part?.encoded() }
      for bytes in actions {
        if let action = try? Action(decoding: bytes.span.bytes) { _ = reduce.reduce(into: &state, action: action) }
      }
      return state.encoded()
    }
  }
}
