public import ComposableArchitecture
internal import ConcurrencyExtras
public import Dependencies
internal import Dispatch

/// A store that checks a feature: each change of its state, each action that its effects send, and that all effects
/// end.
///
/// ```swift
/// @MainActor @Test func counting() async {
///   let store = TestStore(initialState: Counter.State()) {
///     Counter()
///   } withDependencies: {
///     $0.numberFact.fetch = { "\($0) is a good number" }
///   }
///   await store.send(.incrementButtonTapped) { $0.count = 1 }
///   await store.send(.numberFactButtonTapped) { $0.isLoadingFact = true }
///   await store.receive(\.numberFactResponse) {
///     $0.isLoadingFact = false
///     $0.numberFact = "1 is a good number"
///   }
/// }
/// ```
///
/// An assertion's closure changes the state before the action to the expected one. Failures are issues of the running
/// test, at the line of the assertion. Effects run on the main thread in a fixed order, so the result of a test does
/// not depend on the load of the machine. Only effects that use real clocks take time.
@preconcurrency @MainActor
public final class TestStore<State: Equatable, Action> {
  /// The changes and actions that a test must assert.
  public var exhaustivity: Exhaustivity {
    get { run.exhaustivity }
    set { run.exhaustivity = newValue }
  }

  /// The default timeout of `receive` and `finish`, in nanoseconds, for effects that depend on something outside the
  /// test.
  public var timeout: UInt64 = 1_000_000_000
  var defaultTimeout: Duration { .nanoseconds(Int64(clamping: timeout)) }
  /// True if the feature has dismissed itself, which cancels its effects.
  public private(set) var isDismissed = false

  let run: TestRun<State, Action>
  let executor: TestExecutor
  var recorder: Recorder<State, Action> { run.recorder }
  var core: RootCore<State, Action> { run.core }

  /// Creates a test store.
  ///
  /// - Parameters:
  ///   - initialState: The initial state.
  ///   - reducer: The feature.
  ///   - prepareDependencies: Overrides dependencies.
  public init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> R.State,
    reducer: () -> R,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    let tracker = SharedChangeTracker(
      reportUnassertedChanges: false,
      fileID: fileID, filePath: filePath, line: line, column: column)
    var values = DependencyValues()
    let flag = DismissFlag()
    let executor = TestExecutor()
    self.executor = executor
    let (recorder, core) = Dependencies.withDependencies {
      prepareDependencies(&$0)
      // The store's own values come last, because the update may replace all values: `$0 = …`.
      let replacement = $0.dismiss.isReplacement ? $0.dismiss : nil
      $0.dismiss = DismissEffect(
        {
          await replacement?()
          flag.isDismissed = true
        }, isFallback: replacement == nil)
      $0.sharedChangeTrackers.append(tracker)
      // Read once, so that the store has a single generator even where test values are not kept.
      $0.stackElementID = $0.stackElementID
      values = $0
    } operation: {
      let state = initialState()
      let recorder = Recorder<State, Action>(state: state, dependencies: values, tracker: tracker)
      let core = RootCore(
        initialState: state, reducer: recorder.recording(CompiledReducer(reducer())), executor: executor)
      return (recorder, core)
    }
    run = TestRun(
      recorder: recorder, core: core,
      site: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    flag.onDismiss = { [weak self] in
      self?.isDismissed = true
      self?.core.cancelEffects()
    }
  }

  /// The dependencies of the feature. Changes take effect from the next action on.
  public var dependencies: DependencyValues {
    get { recorder.dependencies }
    set { recorder.dependencies = newValue }
  }

  /// The state after the last action that the test sent or received.
  public var state: State { recorder.assertedState }

  /// True if tasks without an executor of their own run serially on the main actor, in the whole process.
  ///
  /// Effects of the store always do; this is for code under test that starts unstructured tasks.
  public var useMainSerialExecutor: Bool {
    get { uncheckedUseMainSerialExecutor }
    set { uncheckedUseMainSerialExecutor = newValue }
  }

  /// Runs assertions with other dependencies.
  @discardableResult
  public func withDependencies<R>(
    _ update: (inout DependencyValues) throws -> Void, operation: () throws -> R
  ) rethrows -> R {
    let previous = dependencies
    defer { dependencies = previous }
    try update(&dependencies)
    return try operation()
  }

  /// Runs assertions with other dependencies.
  @discardableResult
  public func withDependencies<R>(
    _ update: nonisolated(nonsending) (inout DependencyValues) async throws -> Void,
    operation: @MainActor () async throws -> R
  ) async rethrows -> R {
    let previous = dependencies
    var changed = previous
    try await update(&changed)
    defer { dependencies = previous }
    dependencies = changed
    return try await operation()
  }

  /// Runs assertions with another exhaustivity.
  @discardableResult
  public func withExhaustivity<R>(_ exhaustivity: Exhaustivity, operation: () throws -> R) rethrows -> R {
    let previous = self.exhaustivity
    defer { self.exhaustivity = previous }
    self.exhaustivity = exhaustivity
    return try operation()
  }

  /// Runs assertions with another exhaustivity.
  @discardableResult
  public func withExhaustivity<R>(
    _ exhaustivity: Exhaustivity, operation: @MainActor () async throws -> R
  ) async rethrows -> R {
    let previous = self.exhaustivity
    defer { self.exhaustivity = previous }
    self.exhaustivity = exhaustivity
    return try await operation()
  }

  // Not isolated: an isolated deinit sees no task-local values, so it would not know its test.
  deinit {
    let run = run
    if MainThread.isCurrent {
      MainActor.assumeIsolated { run.end() }
    } else {
      // This task knows its test, and the test must not end before the reports are made.
      let reports = DispatchQueue.main.sync { MainActor.assumeIsolated { run.endWithoutReports() } }
      for report in reports { report.make() }
    }
  }

  /// Lets effects make as much progress as they can.
  func settle() async { await executor.settle { core.runningEffectCount > 0 } }
}

/// A test store of a reducer: `TestStoreOf<Counter>`.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action> where R.State: Equatable

/// Records a dismissal before the store exists.
@MainActor
private final class DismissFlag {
  var onDismiss: (() -> Void)?
  var isDismissed = false {
    didSet { if isDismissed { onDismiss?() } }
  }
}
