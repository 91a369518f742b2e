internal import ConcurrencyExtras
internal import IssueReporting
internal import Synchronization

/// A clock that advances only when a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let store = withDependencies { $0.continuousClock = clock } operation: { Store(…) }
/// store.send(.toggleTimerButtonTapped)
/// await clock.advance(by: .seconds(3))   // three ticks
/// ```
///
/// Between one wake and the next the clock lets other tasks run to their next sleep (`Task.megaYield(count:)`). Under
/// `withMainSerialExecutor` this is deterministic, however busy the machine is.
public final class TestClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A point of the clock's time, which begins at zero.
  public struct Instant: InstantProtocol {
    /// The time since zero.
    public var offset: Duration

    /// Creates an instant at an offset from zero.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// The instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Returns true if an instant precedes another one.
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private let timeline: Mutex<Timeline>

  /// Creates a clock with an initial time.
  public init(now: Instant = Instant()) {
    timeline = Mutex(Timeline(now: now))
  }

  /// The current time of the clock.
  public var now: Instant { timeline.withLock { $0.now } }

  /// The resolution that the clock reports: zero, unless it is set. Sleeps ignore it.
  public var minimumResolution: Duration {
    get { timeline.withLock { $0.resolution } }
    set { timeline.withLock { $0.resolution = newValue } }
  }

  /// The number of tasks that sleep on the clock.
  public var sleeperCount: Int { timeline.withLock { $0.sleepers.count } }

  /// Sleeps until the clock is advanced to a deadline.
  ///
  /// A deadline in the past does not suspend. One that equals the current time does, until the clock is advanced, even
  /// by zero.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = timeline.withLock { $0.expectSleeper() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let sleeper = Sleeper(id: id, deadline: deadline, continuation: continuation)
        if let outcome = timeline.withLock({ $0.add(sleeper) }) { continuation.resume(with: outcome) }
      }
    } onCancel: {
      timeline.withLock { $0.cancel(id) }?.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock. Each sleeper wakes at its own time and runs before the next one wakes.
  ///
  /// Advancing by zero wakes the sleepers whose deadline is now.
  public func advance(by duration: Duration = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the clock to an instant; see ``advance(by:)``.
  public func advance(to instant: Instant) async {
    await settle()
    while let continuation = timeline.withLock({ $0.wakeNext(until: instant) }) {
      continuation.resume()
      await settle()
    }
  }

  /// Advances the clock until no task sleeps on it.
  ///
  /// Endless work, such as a timer, is reported after `timeout` has passed in real time and the clock has been advanced
  /// a hundred times, so that a busy machine is not mistaken for endless work. Its sleeps are then cancelled.
  public func run(
    timeout: Swift.Duration = .milliseconds(500),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    let end = ContinuousClock.now.advanced(by: timeout)
    var moves = 0
    await settle()
    while let deadline = timeline.withLock({ $0.nextDeadline }), !Task.isCancelled {
      guard moves < 100 || ContinuousClock.now < end else {
        reportIssue(
          """
          Expected all sleeps to finish, but \(sleeperCount) still wait after \(timeout).

          This happens when work that uses the clock sleeps again and again without end, as a timer does. To fix, cancel \
          that work before the clock runs out, move the clock by “advance” instead, or give “run” a longer timeout.
          """, fileID: fileID, filePath: filePath, line: line, column: column)
        let sleepers = timeline.withLock { $0.takeAll() }
        for sleeper in sleepers { sleeper.continuation.resume(throwing: CancellationError()) }
        return
      }
      await advance(to: deadline)
      moves += 1
    }
  }

  /// Lets woken tasks, and the tasks that they wake, run to their next sleep.
  ///
  /// Waiting for the main actor each time makes it deterministic for work on the main actor, such as a store's.
  private func settle() async {
    for _ in 0..<Task.defaultMegaYieldCount {
      await Task.megaYield(count: 1)
      await MainActor.run {}
    }
  }

  /// Checks that no task sleeps on the clock, after letting tasks run.
  /// - Throws: ``SuspensionError`` if a task does.
  public func checkSuspension() async throws {
    await settle()
    guard sleeperCount == 0 else { throw SuspensionError() }
  }
}

extension TestClock where Duration == Swift.Duration {
  /// Creates a clock whose time is zero.
  public convenience init() {
    self.init(now: Instant())
  }
}

/// The error of ``TestClock/checkSuspension()``: a task sleeps on the clock.
public struct SuspensionError: Error, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// The message.
  public var description: String { "a task sleeps on the test clock" }
}

extension TestClock {
  private struct Sleeper {
    let id: UInt64
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  /// The clock's time and its sleepers, in order of arrival.
  private struct Timeline {
    var now: Instant
    var resolution: Duration = .zero
    private(set) var sleepers: [Sleeper] = []
    private var lastID: UInt64 = 0
    /// Sleepers that are not added yet. One that is cancelled earlier is removed.
    private var expected: Set<UInt64> = []

    init(now: Instant) {
      self.now = now
    }

    var nextDeadline: Instant? { sleepers.map(\.deadline).min() }

    mutating func expectSleeper() -> UInt64 {
      lastID += 1
      expected.insert(lastID)
      return lastID
    }

    mutating func takeAll() -> [Sleeper] {
      defer { sleepers = [] }
      return sleepers
    }

    /// - Returns: The outcome of the sleep, if it has already ended.
    mutating func add(_ sleeper: Sleeper) -> Result<Void, any Error>? {
      guard expected.remove(sleeper.id) != nil else { return .failure(CancellationError()) }
      guard sleeper.deadline >= now else { return .success(()) }
      sleepers.append(sleeper)
      return nil
    }

    mutating func cancel(_ id: UInt64) -> CheckedContinuation<Void, any Error>? {
      expected.remove(id)
      return sleepers.firstIndex { $0.id == id }.map { sleepers.remove(at: $0).continuation }
    }

    /// Advances to the next deadline, or to the instant if no deadline comes before it.
    mutating func wakeNext(until instant: Instant) -> CheckedContinuation<Void, any Error>? {
      guard let deadline = nextDeadline, deadline <= instant,
        let index = sleepers.firstIndex(where: { $0.deadline == deadline })
      else {
        now = max(now, instant)
        return nil
      }
      now = max(now, deadline)
      return sleepers.remove(at: index).continuation
    }
  }
}
