public import CombineSchedulers
internal import Synchronization

extension Effect {
  /// Passes at most one action of the effects with an id in each interval.
  ///
  /// The first action passes at once and begins an interval. One of the actions within the interval is held back. It
  /// passes at the end of the interval, which begins the next one.
  ///
  /// ```swift
  /// case .scrolled(let offset):
  ///   return .send(.positionChanged(offset))
  ///     .throttle(id: CancelID.scroll, for: .milliseconds(100), clock: clock, latest: true)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The id, within one store. Cancelling it drops the action that is held back.
  ///   - interval: The length of the interval.
  ///   - clock: The clock that measures it.
  ///   - latest: True to keep the last action within an interval, and to cancel a running effect with the id when a new
  ///     one begins; false to keep the first action, and the effect that holds it back.
  public func throttle<C: Clock>(
    id: some Hashable & Sendable, for interval: C.Instant.Duration, clock: C, latest: Bool
  ) -> Effect {
    throttle(id: CancelID(id), on: ClockTime(clock: clock, interval: interval), latest: latest)
  }

  /// Passes at most one action of the effects with an id in each interval, measured by a scheduler.
  ///
  /// - Parameters:
  ///   - id: The id, within one store. Cancelling it drops the action that is held back.
  ///   - interval: The length of the interval.
  ///   - scheduler: The scheduler that measures it.
  ///   - latest: True to keep the last action within an interval, and to cancel a running effect with the id when a new
  ///     one begins; false to keep the first action, and the effect that holds it back.
  public func throttle<S: Scheduler & Sendable>(
    id: some Hashable & Sendable, for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Effect {
    throttle(id: CancelID(id), on: SchedulerTime(scheduler: scheduler, interval: interval), latest: latest)
  }

  private func throttle(id: CancelID, on time: some ThrottleTime, latest: Bool) -> Effect {
    guard let tree else { return .none }
    if tree.isRefusal { return self }
    func throttled(_ operation: EffectOperation<Action>) -> EffectTree<Action> {
      .run(operation.throttled(id, on: time, latest: latest))
    }
    let throttledTree = tree.rebuilt(
      send: { action in
        let handedOver = HandedOver(action)
        return throttled(EffectOperation(name: nil, priority: nil) { send in await send(handedOver) })
      },
      run: throttled, action: { $0 })
    return Effect(tree: .cancellable(throttledTree, id, cancelInFlight: latest))
  }
}

/// A clock or a scheduler, and the length of the interval.
private protocol ThrottleTime: Sendable {
  associatedtype Instant: Comparable & Sendable

  var now: Instant { get }
  /// The end of an interval.
  func end(ofIntervalFrom start: Instant) -> Instant
  func sleep(until end: Instant) async throws
}

private struct ClockTime<C: Clock>: ThrottleTime {
  let clock: C
  let interval: C.Instant.Duration

  var now: C.Instant { clock.now }
  func end(ofIntervalFrom start: C.Instant) -> C.Instant { start.advanced(by: interval) }
  func sleep(until end: C.Instant) async throws { try await clock.sleep(until: end, tolerance: nil) }
}

private struct SchedulerTime<S: Scheduler & Sendable>: ThrottleTime {
  let scheduler: S
  let interval: S.SchedulerTimeType.Stride

  var now: S.SchedulerTimeType { scheduler.now }
  func end(ofIntervalFrom start: S.SchedulerTimeType) -> S.SchedulerTimeType { start.advanced(by: interval) }
  func sleep(until end: S.SchedulerTimeType) async throws { try await scheduler.sleep(until: end) }
}

extension EffectOperation {
  fileprivate func throttled<Time: ThrottleTime>(_ id: CancelID, on time: Time, latest: Bool) -> EffectOperation {
    let run = run
    return EffectOperation(name: name, priority: priority, place: place, site: site) { send in
      let holder = Throttles.Holder(
        throttles: EffectContext.current?.host.throttles ?? Throttles(),
        key: TaskCancellations.Request(id: id, path: EffectContext.current?.path ?? []))
      // Another task waits for the end of the interval, because the operation may send more meanwhile.
      let (ends, continuation) = AsyncStream.makeStream(of: Time.Instant.self)
      await withTaskCancellationHandler {
        await withTaskGroup { group in
          group.addTask {
            await run(
              Send { action in
                switch holder.take(action, on: time, keepsLast: latest) {
                case .now: send(action)
                case .at(let end): continuation.yield(end)
                case .held: break
                }
              })
            continuation.finish()
          }
          for await end in ends {
            // The sleep fails only if the effect is cancelled; then no action is held back.
            try? await time.sleep(until: end)
            await holder.release(on: time, to: send)
          }
        }
      } onCancel: {
        holder.drop()
      }
    }
  }
}

/// The intervals of one store's throttled effects.
package final class Throttles: Sendable {
  fileprivate enum Verdict<Instant> {
    /// Sent now; it begins an interval.
    case now
    /// Held back until that instant, when the caller releases it.
    case at(Instant)
    /// Held back in place of another one, or dropped.
    case held
  }

  /// An interval that has begun.
  private struct Interval: Sendable {
    var start: any Sendable
    /// A `HandedOver` action.
    var held: (any Sendable)?
    var holder: ObjectIdentifier?
    let isOver: @Sendable () -> Bool

    init<Time: ThrottleTime>(from start: Time.Instant, on time: Time) {
      self.start = start
      isOver = { time.now >= time.end(ofIntervalFrom: start) }
    }
  }

  private struct Table {
    var intervals: [TaskCancellations.Request: Interval] = [:]
    /// The number of intervals above which those that have ended are removed.
    var limit = 64

    /// Begins an interval.
    mutating func begin(_ interval: Interval, for key: TaskCancellations.Request) {
      intervals[key] = interval
      guard intervals.count > limit else { return }
      intervals = intervals.filter { $0.value.held != nil || !$0.value.isOver() }
      limit = max(64, intervals.count * 2)
    }
  }

  private let table = Mutex(Table())

  /// The number of intervals, including some that have ended.
  package var count: Int { table.withLock { $0.intervals.count } }

  /// A running effect, which may hold an action back.
  fileprivate final class Holder: Sendable {
    private let throttles: Throttles
    private let key: TaskCancellations.Request

    init(throttles: Throttles, key: TaskCancellations.Request) {
      self.throttles = throttles
      self.key = key
    }

    @MainActor
    func take<Action, Time: ThrottleTime>(
      _ action: Action, on time: Time, keepsLast: Bool
    ) -> Verdict<Time.Instant> {
      let handedOver = HandedOver(action)
      let now = time.now
      return throttles.table.withLock { table in
        guard let current = table.intervals[key], let start = current.start as? Time.Instant,
          now < time.end(ofIntervalFrom: start) || current.held != nil
        else {
          table.begin(Interval(from: now, on: time), for: key)
          return .now
        }
        guard current.held == nil || (keepsLast && current.holder != ObjectIdentifier(self)) else {
          if keepsLast { table.intervals[key]?.held = handedOver }
          return .held
        }
        table.intervals[key]?.held = handedOver
        table.intervals[key]?.holder = ObjectIdentifier(self)
        return .at(time.end(ofIntervalFrom: start))
      }
    }

    /// Sends the action that this effect holds back.
    @MainActor
    func release<Action>(on time: some ThrottleTime, to send: Send<Action>) {
      let now = time.now
      let released = throttles.table.withLock { table -> HandedOver<Action>? in
        guard let interval = table.intervals[key], interval.holder == ObjectIdentifier(self) else { return nil }
        table.begin(Interval(from: now, on: time), for: key)
        return interval.held as? HandedOver<Action>
      }
      if let released { send(released) }
    }

    /// Discards the action that this effect holds back.
    func drop() {
      throttles.table.withLock {
        guard $0.intervals[key]?.holder == ObjectIdentifier(self) else { return }
        $0.intervals[key]?.held = nil
        $0.intervals[key]?.holder = nil
      }
    }
  }
}
