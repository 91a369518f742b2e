internal import ComposableArchitecture

/// Notes each action that a feature's effects send, with the state after it.
///
/// It lives where its store does, on the main actor; a reducer is a plain function, so it does not say so.
final class Recorder<State, Action> {
  /// An action of an effect that the test has not stated yet.
  struct Received {
    let action: Action
    let state: State
    /// The ids that the action's pushes got began here.
    let stackElementIDs: StackElementIDGenerator
  }

  var dependencies: DependencyValues
  let tracker: SharedChangeTracker
  /// The state after what the test has stated.
  var assertedState: State
  var received: [Received] = []
  /// The state after the action that the test sends at the moment, before those of its effects.
  private(set) var sentState: State?
  private var isSending = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(state: State, dependencies: DependencyValues, tracker: SharedChangeTracker) {
    assertedState = state
    self.dependencies = dependencies
    self.tracker = tracker
  }

  /// The next action to be reduced is the test's own.
  func willSend() {
    isSending = true
    sentState = nil
  }

  /// The feature's reducer, whose actions are noted.
  func recording(_ reducer: CompiledReducer<State, Action>) -> CompiledReducer<State, Action> {
    CompiledReducer { [unowned self] state, action in
      let ids = dependencies.stackElementID.copy()
      let effect = withDependencies {
        $0 = self.dependencies
      } operation: {
        reducer.reduce(&state, action)
      }
      if isSending {
        isSending = false
        sentState = state
      } else {
        received.append(Received(action: action, state: state, stackElementIDs: ids))
      }
      changed()
      return effect
    }
  }

  // MARK: Waiting

  /// Wakes who waits for something to happen.
  func changed() {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Waits until something happens.
  nonisolated(nonsending) func nextChange() async {
    await withCheckedContinuation { waiters.append($0) }
  }
}
