internal import Synchronization

/// A clock whose time passes only when a test says so.
///
/// ```swift
/// let clock = TestClock()
/// let store = withDependencies { $0.continuousClock = clock } operation: { Store(…) }
/// store.send(.toggleTimerButtonTapped)
/// await clock.advance(by: .seconds(3))   // three ticks
/// ```
public final class TestClock: Clock {
  /// A point of the clock's time, which begins at zero.
  public struct Instant: InstantProtocol {
    fileprivate var offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleeper {
    let id: UInt64
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Timeline {
    var now = Instant(offset: .zero)
    var sleepers: [Sleeper] = []
    var lastID: UInt64 = 0
    var cancelled: Set<UInt64> = []
  }

  private let timeline = Mutex(Timeline())

  /// Creates a clock that stands at zero.
  public init() {}

  public var now: Instant { timeline.withLock { $0.now } }
  public var minimumResolution: Duration { .zero }

  /// How many tasks sleep on the clock.
  public var sleeperCount: Int { timeline.withLock { $0.sleepers.count } }

  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = timeline.withLock {
      $0.lastID += 1
      return $0.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = timeline.withLock {
          if $0.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          guard deadline > $0.now else { return .success(()) }
          $0.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper: Sleeper? = timeline.withLock {
        guard let index = $0.sleepers.firstIndex(where: { $0.id == id }) else {
          $0.cancelled.insert(id)
          return nil
        }
        return $0.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock forward, waking each sleeper at its own time and letting it go on before the next.
  public func advance(by duration: Duration) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Moves the clock forward to an instant; see `advance(by:)`.
  public func advance(to instant: Instant) async {
    await settle()
    while let due = next(until: instant) {
      due.resume()
      await settle()
    }
    timeline.withLock { $0.now = max($0.now, instant) }
    await settle()
  }

  /// Moves the clock until nobody sleeps on it.
  public func run() async {
    await settle()
    while let deadline = timeline.withLock({ $0.sleepers.map(\.deadline).min() }) {
      await advance(to: deadline)
    }
  }

  private func next(until instant: Instant) -> CheckedContinuation<Void, any Error>? {
    timeline.withLock {
      guard
        let index = $0.sleepers.indices.min(by: { [sleepers = $0.sleepers] in
          sleepers[$0].deadline < sleepers[$1].deadline
        }), $0.sleepers[index].deadline <= instant
      else { return nil }
      let sleeper = $0.sleepers.remove(at: index)
      $0.now = max($0.now, sleeper.deadline)
      return sleeper.continuation
    }
  }

  /// Gives the tasks that were woken, and those they wake, a chance to reach their next sleep.
  private func settle() async {
    for _ in 0..<20 {
      await Task.detached(priority: .background) { await Task.yield() }.value
    }
  }
}

/// A clock on which every sleep is over at once, having moved the clock to its end.
public final class ImmediateClock: Clock {
  public typealias Duration = Swift.Duration
  public typealias Instant = TestClock.Instant

  private let current = Mutex(TestClock().now)

  /// Creates a clock that stands at zero.
  public init() {}

  public var now: Instant { current.withLock { $0 } }
  public var minimumResolution: Duration { .zero }

  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    current.withLock { $0 = max($0, deadline) }
    await Task.yield()
  }
}
