public import ComposableArchitectureClassic
internal import ConcurrencyExtras
public import EarlierTesting
internal import EffectStreams
internal import FeatureCore
internal import IssueReporting

/// A store that checks the behaviour of a feature: each change of its state, each action that its effects send, and the
/// end of all effects. It is used on the main thread, where XCTest runs tests.
///
/// ```swift
/// let store = TestStore(initialState: AppState(), reducer: appReducer, environment: .mock)
/// store.assert(
///   .send(.incrementButtonTapped) { $0.count = 1 },
///   .do { scheduler.advance() },
///   .receive(.numberFactResponse(.success("1 is a good number"))) { $0.fact = "1 is a good number" }
/// )
/// ```
public final class TestStore<State, LocalState, Action, LocalAction, Environment> {
  private let shared: SharedTest<State, Action, Environment>
  private let toLocalState: (State) -> LocalState
  private let fromLocalAction: (LocalAction) -> Action
  /// The time for which `receive` and `finish` wait in asynchronous tests, in nanoseconds.
  public var timeout: UInt64 = 1_000_000_000

  fileprivate init(
    shared: SharedTest<State, Action, Environment>, state toLocalState: @escaping (State) -> LocalState,
    action fromLocalAction: @escaping (LocalAction) -> Action
  ) {
    (self.shared, self.toLocalState, self.fromLocalAction) = (shared, toLocalState, fromLocalAction)
  }

  /// The dependencies of the reducer. Changing them takes effect from the next action on.
  public var environment: Environment {
    get { shared.environment.value }
    set { shared.environment.value = newValue }
  }

  /// The state after the last action that the test sent or received.
  public var state: LocalState { toLocalState(onMain { $0.state }) }

  /// Returns the same test with a part of the state and the actions, as a view sees them.
  public func scope<S, A>(
    state toLocalState: @escaping (LocalState) -> S, action fromLocalAction: @escaping (A) -> LocalAction
  ) -> TestStore<State, S, Action, A, Environment> {
    let (outerState, outerAction) = (self.toLocalState, self.fromLocalAction)
    return TestStore<State, S, Action, A, Environment>(
      shared: shared, state: { toLocalState(outerState($0)) }, action: { outerAction(fromLocalAction($0)) })
  }

  /// Returns the same test with a part of the state.
  public func scope<S>(
    state toLocalState: @escaping (LocalState) -> S
  ) -> TestStore<State, S, Action, LocalAction, Environment> {
    scope(state: toLocalState, action: { $0 })
  }

  private func onMain<Result>(_ work: @escaping @MainActor (ScriptedRun<State, Action>) -> Result) -> Result {
    let (run, work) = (shared.run, UncheckedSendable(work))
    return MainThread.require("A test store") { UncheckedSendable(work.value(run)) }.value
  }
}

/// The parts that all scopes of a test store share.
private final class SharedTest<State, Action, Environment> {
  let run: ScriptedRun<State, Action>
  let environment: EnvironmentBox<Environment>

  init(run: ScriptedRun<State, Action>, environment: EnvironmentBox<Environment>) {
    (self.run, self.environment) = (run, environment)
  }

  deinit {
    let run = run
    MainThread.run { run.end() }
  }
}

private final class EnvironmentBox<Environment> {
  var value: Environment
  init(_ value: Environment) { self.value = value }
}

extension TestStore where State == LocalState, Action == LocalAction {
  /// Creates a test store.
  public convenience init(
    initialState: State, reducer: ComposableArchitectureClassic.Reducer<State, Action, Environment>,
    environment: Environment,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let box = EnvironmentBox(environment)
    let parts = UncheckedSendable((initialState, box))
    let site = IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    let run = MainThread.require("A test store") {
      let (state, box) = parts.value
      return ScriptedRun(
        initialState: state,
        reducer: CompiledReducer<State, Action>(
          Reduce { state, action in Effect(reducer.run(&state, action, box.value)) }),
        failsWhenNothingChanges: false, at: site)
    }
    self.init(shared: SharedTest(run: run, environment: box), state: { $0 }, action: { $0 })
  }
}

extension TestStore where LocalState: Equatable {
  /// Sends an action and asserts the change of state.
  ///
  /// - Returns: The task of the effects of the action.
  @discardableResult
  public func send(
    _ action: LocalAction, _ update: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> TestStoreTask {
    let location = IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    let script = UncheckedSendable((fromLocalAction(action), toLocalState, update))
    return onMain { $0.send(script.value.0, state: script.value.1, script.value.2, at: location) }
  }
}

extension TestStore where LocalState: Equatable, Action: Equatable {
  /// Receives an action of an effect and asserts its change of the state.
  public func receive(
    _ expectedAction: Action, _ update: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    let script = UncheckedSendable((expectedAction, toLocalState, update))
    onMain { run in
      let (expected, toLocalState, update) = script.value
      run.receive(
        matching: { $0 == expected }, expected: { "Expected: \(run.dump(expected))" },
        difference: { run.difference(expected, $0, "Received") }, state: toLocalState, update, at: location)
    }
  }

  /// Waits for an action of an effect and asserts its change of the state.
  @MainActor
  public func receive(
    _ expectedAction: Action, timeout: UInt64? = nil, _ update: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await shared.run.waitForAction(timeout: .nanoseconds(Int64(clamping: timeout ?? self.timeout)))
    func receiveNow() { receive(expectedAction, update, fileID: fileID, file: file, line: line, column: column) }
    receiveNow()
  }

  /// Runs and asserts the steps of a script. At its end no received action and no running effect may be left.
  public func assert(
    _ steps: Step..., fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    assert(steps, fileID: fileID, file: file, line: line, column: column)
  }

  /// Runs and asserts the steps of a script. At its end no received action and no running effect may be left.
  public func assert(
    _ steps: [Step], fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    for step in steps { run(step) }
    let location = IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    onMain { $0.end(at: location) }
  }

  private func run(_ step: Step) {
    let place = step.location
    switch step.kind {
    case .send(let action, let update):
      send(
        action, update, fileID: place.fileID, file: place.filePath, line: place.line, column: place.column)
    case .receive(let action, let update):
      receive(
        action, update, fileID: place.fileID, file: place.filePath, line: place.line, column: place.column)
    case .do(let work):
      onMain { run in if run.hasReceived { reportUnhandled(before: "performing this work", run, place) } }
      do { try work() } catch { onMain { $0.report("Threw error: \(error)", at: place) } }
    case .environment(let update):
      onMain { run in if run.hasReceived { reportUnhandled(before: "updating the environment", run, place) } }
      do { try update(&environment) } catch { onMain { $0.report("Threw error: \(error)", at: place) } }
    case .sequence(let steps): for step in steps { run(step) }
    }
  }
}

@MainActor
private func reportUnhandled<State, Action>(
  before what: String, _ run: ScriptedRun<State, Action>, _ place: IssueLocation
) {
  run.report("Must handle the received actions before \(what).", at: place)
}

extension TestStore {
  /// Waits until all effects have ended. Effects that still run after the timeout are an issue.
  @MainActor
  public func finish(
    timeout: UInt64? = nil, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await shared.run.waitForEffects(timeout: .nanoseconds(Int64(clamping: timeout ?? self.timeout)))
    shared.run.end(at: IssueLocation(fileID: fileID, filePath: file, line: line, column: column))
  }

  /// A step of a script for `assert`.
  public struct Step {
    enum Kind {
      case send(LocalAction, ((inout LocalState) throws -> Void)?)
      case receive(Action, ((inout LocalState) throws -> Void)?)
      case `do`(() throws -> Void)
      case environment((inout Environment) throws -> Void)
      case sequence([Step])
    }

    let kind: Kind
    let location: IssueLocation

    /// Sends an action and asserts its change of the state.
    public static func send(
      _ action: LocalAction, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
      column: UInt = #column, _ update: ((inout LocalState) throws -> Void)? = nil
    ) -> Step {
      Step(kind: .send(action, update), location: .init(fileID: fileID, filePath: file, line: line, column: column))
    }

    /// Receives an action of an effect and asserts its change of the state.
    public static func receive(
      _ action: Action, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
      column: UInt = #column, _ update: ((inout LocalState) throws -> Void)? = nil
    ) -> Step {
      Step(kind: .receive(action, update), location: .init(fileID: fileID, filePath: file, line: line, column: column))
    }

    /// Runs a closure, for example to advance a scheduler.
    public static func `do`(
      fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
      _ work: @escaping () throws -> Void
    ) -> Step {
      Step(kind: .do(work), location: .init(fileID: fileID, filePath: file, line: line, column: column))
    }

    /// Changes the environment.
    public static func environment(
      fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
      _ update: @escaping (inout Environment) throws -> Void
    ) -> Step {
      Step(
        kind: .environment(update), location: .init(fileID: fileID, filePath: file, line: line, column: column))
    }

    /// Combines several steps.
    public static func sequence(_ steps: Step...) -> Step { .sequence(steps) }

    /// Combines several steps.
    public static func sequence(
      _ steps: [Step], fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
      column: UInt = #column
    ) -> Step {
      Step(kind: .sequence(steps), location: .init(fileID: fileID, filePath: file, line: line, column: column))
    }
  }
}
