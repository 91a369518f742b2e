internal import ComposableArchitecture
internal import Dependencies

/// Records each action that a feature's effects send, with the state after it.
///
/// It is used only on the main actor, as its store is. It is not isolated because a reducer is a plain function.
final class Recorder<State, Action> {
  /// An action of an effect that the test has not received yet.
  struct Received {
    let action: Action
    let state: State
    /// The generator of ids before the action.
    let stackElementIDs: StackElementIDGenerator
    /// The number of changes of shared values up to the action's.
    let writeCount: Int
  }

  /// The effects that a reducer returned for an action.
  struct InFlight {
    let action: Action
    /// The id that they share, besides any others.
    let id: CancelID
  }

  private struct InFlightID: Hashable {
    let number: Int
  }

  var dependencies: DependencyValues
  let tracker: SharedChangeTracker
  /// The state after the last action that the test sent or received.
  var assertedState: State
  /// The number of changes of shared values up to the last action that the test sent or received.
  var assertedWriteCount: Int
  var received: [Received] = []
  /// The effects that must end before the test does, including some that have ended.
  var inFlight: [InFlight] = []
  private var returnedCount = 0
  /// The state after the action that the test is sending, before those of its effects.
  private(set) var sentState: State?
  /// The number of changes of shared values up to that action's.
  private(set) var sentWriteCount = 0
  private var isSending = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(state: State, dependencies: DependencyValues, tracker: SharedChangeTracker) {
    assertedState = state
    self.dependencies = dependencies
    self.tracker = tracker
    // The initial state may have been created with changes.
    assertedWriteCount = tracker.writeCount
  }

  /// Marks the next action as the test's own.
  func willSend() {
    isSending = true
    sentState = nil
  }

  /// The feature's reducer, which then records its actions.
  func recording(_ reducer: CompiledReducer<State, Action>) -> CompiledReducer<State, Action> {
    reducer.wrapped { [self] state, action in
      let ids = dependencies.stackElementID.copy()
      let effect = Dependencies.withDependencies {
        $0 = self.dependencies
      } operation: {
        reducer(&state, action)
      }
      // The store takes the action back.
      guard effect.refusal == nil else { return effect }
      if isSending {
        isSending = false
        sentState = state
        sentWriteCount = tracker.writeCount
      } else {
        received.append(
          Received(action: action, state: state, stackElementIDs: ids, writeCount: tracker.writeCount))
      }
      changed()
      guard let tree = effect.tree else { return effect }
      returnedCount += 1
      let id = CancelID(InFlightID(number: returnedCount))
      inFlight.append(InFlight(action: action, id: id))
      return Effect(tree: .cancellable(tree, id, cancelInFlight: false))
    }
  }

  /// Forgets the action that the test has sent, and those that its effects sent at once: it was refused.
  ///
  /// - Parameter count: The number of received actions before it.
  func forgetSent(receivedCount count: Int) {
    (isSending, sentState) = (false, nil)
    received.removeSubrange(min(count, received.count)...)
  }

  // MARK: Waiting

  /// Resumes the tasks in ``nextChange()``.
  func changed() {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Waits for the next change.
  nonisolated(nonsending) func nextChange() async {
    await withCheckedContinuation { waiters.append($0) }
  }
}
