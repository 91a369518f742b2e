internal import ConcurrencyExtras
internal import Dependencies
public import EarlierTesting
internal import EffectStreams
internal import IssueReporting
public import RxComposableArchitecture

/// A store that checks the behaviour of a feature: each change of its state, each action that its effects send, and the
/// end of all effects. It is used on the main thread, where XCTest runs tests.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let store = TestStore(initialState: AppState(), reducer: appReducer, environment: AppEnvironment(queue: scheduler))
/// store.send(.factButtonTapped)
/// scheduler.advance()
/// store.receive(.factResponse(.success("0 is a good number"))) { $0.fact = "0 is a good number" }
/// ```
public final class TestStore<State: Equatable, Action, Environment> {
  private let run: ScriptedRun<State, Action>
  private let box: EnvironmentBox
  /// The time for which `receive` and `finish` wait in asynchronous tests, in nanoseconds.
  public var timeout: UInt64 = 1_000_000_000

  /// The changes and actions that a test must assert.
  public enum Exhaustivity: Equatable, Sendable {
    /// Every change, every received action, and the end of all effects.
    case on
    /// Only the test's assertions are checked.
    case off
  }

  private final class EnvironmentBox {
    var value: Environment
    init(_ value: Environment) { self.value = value }
  }

  /// Creates a test store from a reducer with an environment.
  ///
  /// - Parameter failingWhenNothingChange: True if a closure that changes nothing is an issue.
  public convenience init(
    initialState: State, reducer: AnyReducer<State, Action, Environment>, environment: Environment,
    failingWhenNothingChange: Bool = true, useNewScope: Bool = false,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let box = EnvironmentBox(environment)
    self.init(
      initialState: initialState, box: box, failingWhenNothingChange: failingWhenNothingChange,
      at: IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    ) { state, action in
      reducer.run(&state, action, box.value)
    }
  }

  /// Creates a test store from a reducer of the protocol's generation.
  public convenience init<R: ReducerProtocol>(
    initialState: State, reducer: R, failingWhenNothingChange: Bool = true, useNewScope: Bool = false,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in }
  ) where R.State == State, R.Action == Action, Environment == Void {
    let (reduce, dependencies) = Dependencies.withDependencies(prepareDependencies) {
      (reducer._compile(), withEscapedDependencies { $0 })
    }
    self.init(
      initialState: initialState, box: EnvironmentBox(()), failingWhenNothingChange: failingWhenNothingChange,
      at: IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    ) { state, action in
      dependencies.yield { reduce(&state, action) }
    }
  }

  private init(
    initialState: State, box: EnvironmentBox, failingWhenNothingChange: Bool, at site: IssueLocation,
    _ reduce: @escaping (inout State, Action) -> Effect<Action>
  ) {
    self.box = box
    let parts = UncheckedSendable((initialState, reduce))
    run = MainThread.require("A test store") {
      ScriptedRun(
        initialState: parts.value.0, reducer: CompiledReducer(Reduce(parts.value.1)),
        failsWhenNothingChanges: failingWhenNothingChange, at: site)
    }
  }

  deinit {
    let run = run
    MainThread.run { run.end() }
  }

  /// The dependencies of the reducer. Changing them takes effect from the next action on.
  public var environment: Environment {
    get { box.value }
    set { box.value = newValue }
  }

  /// The state after the last action that the test sent or received.
  public var state: State { onMain { $0.state } }

  /// The changes and actions that the test must assert.
  public var exhaustivity: Exhaustivity {
    get { onMain { $0.isExhaustive ? .on : .off } }
    set { onMain { $0.isExhaustive = newValue == .on } }
  }

  private func onMain<Result>(_ work: @escaping @MainActor (ScriptedRun<State, Action>) -> Result) -> Result {
    let (run, work) = (run, UncheckedSendable(work))
    return MainThread.require("A test store") { UncheckedSendable(work.value(run)) }.value
  }

  /// Sends an action and asserts the change of state.
  ///
  /// - Returns: The task of the effects of the action.
  @discardableResult
  public func send(
    _ action: Action, _ update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> TestStoreTask {
    let location = IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    let script = UncheckedSendable((action, update))
    return onMain { $0.send(script.value.0, state: { $0 }, script.value.1, at: location) }
  }

  /// Accepts the received actions without asserting them.
  public func skipReceivedActions() { onMain { $0.skipReceived() } }

  /// Waits until all effects have ended. Effects that still run after the timeout are an issue.
  @MainActor
  public func finish(
    timeout: UInt64? = nil, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await run.waitForEffects(timeout: .nanoseconds(Int64(clamping: timeout ?? self.timeout)))
    run.end(at: IssueLocation(fileID: fileID, filePath: file, line: line, column: column))
  }
}

extension TestStore where Action: Equatable {
  /// Receives an action of an effect and asserts its change of the state.
  public func receive(
    _ expectedAction: Action, _ update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = IssueLocation(fileID: fileID, filePath: file, line: line, column: column)
    let script = UncheckedSendable((expectedAction, update))
    onMain { run in
      let (expected, update) = script.value
      run.receive(
        matching: { $0 == expected }, expected: { "Expected: \(run.dump(expected))" },
        difference: { run.difference(expected, $0, "Received") }, state: { $0 }, update, at: location)
    }
  }

  /// Waits for an action of an effect and asserts its change of the state.
  @MainActor
  public func receive(
    _ expectedAction: Action, timeout: UInt64? = nil, _ update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await run.waitForAction(timeout: .nanoseconds(Int64(clamping: timeout ?? self.timeout)))
    func receiveNow() { receive(expectedAction, update, fileID: fileID, file: file, line: line, column: column) }
    receiveNow()
  }
}
