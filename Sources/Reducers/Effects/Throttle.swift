internal import Synchronization

extension Effect {
  /// Lets at most one action of effects of a name through in each interval.
  ///
  /// The first action goes through at once and begins an interval. Of those that come within it one is held back and
  /// goes through at its end, which begins the next interval.
  ///
  /// ```swift
  /// case .scrolled(let offset):
  ///   return .send(.positionChanged(offset))
  ///     .throttle(id: CancelID.scroll, for: .milliseconds(100), clock: clock, latest: true)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The name, within one store. Cancelling it drops the action that is held back.
  ///   - interval: How long the interval is.
  ///   - clock: What it is measured on.
  ///   - latest: Whether the last of the actions within an interval is kept, and an effect of the name that still runs
  ///     is cancelled by a new one; otherwise the first one is kept.
  public func throttle<C: Clock>(
    id: some Hashable & Sendable, for interval: C.Instant.Duration, clock: C, latest: Bool
  ) -> Effect {
    guard let tree else { return .none }
    let id = CancelID(id)
    let throttled = tree.mappingOperations { $0.throttled(id, for: interval, clock: clock, latest: latest) }
    return Effect(tree: .cancellable(throttled, id, cancelInFlight: latest))
  }
}

extension EffectTree {
  /// The tree with each operation in a wrapping, and with operations in place of actions.
  fileprivate func mappingOperations(_ wrap: (EffectOperation<Action>) -> EffectOperation<Action>) -> EffectTree {
    switch self {
    case .send(let action):
      let handedOver = HandedOver(action)
      return .run(wrap(EffectOperation(name: nil, priority: nil) { send in await send(handedOver) }))
    case .merge(let first, let second):
      return .merge(first.mappingOperations(wrap), second.mappingOperations(wrap))
    case .concatenate(let first, let second):
      return .concatenate(first.mappingOperations(wrap), second.mappingOperations(wrap))
    case .cancellable(let tree, let id, let cancelInFlight):
      return .cancellable(tree.mappingOperations(wrap), id, cancelInFlight: cancelInFlight)
    case .scoped(let tree, let scope):
      return .scoped(tree.mappingOperations(wrap), scope)
    case .run(let operation):
      return .run(wrap(operation))
    case .cancel, .cancelScope, .present:
      return self
    }
  }
}

extension EffectOperation {
  fileprivate func throttled<C: Clock>(
    _ id: CancelID, for interval: C.Instant.Duration, clock: C, latest: Bool
  ) -> EffectOperation {
    let run = run
    return EffectOperation(name: name, priority: priority) { send in
      let holder = Throttles.Holder(
        throttles: EffectContext.current?.host.throttles ?? Throttles(),
        key: TaskCancellations.Request(id: id, path: EffectContext.current?.path ?? []))
      // An interval's end is waited for beside the operation, which may send more meanwhile.
      let (ends, continuation) = AsyncStream.makeStream(of: C.Instant.self)
      await withTaskCancellationHandler {
        await withTaskGroup { group in
          group.addTask {
            await run(
              Send { action in
                switch holder.take(action, now: clock.now, interval: interval, keepsLast: latest) {
                case .now: send(action)
                case .at(let end): continuation.yield(end)
                case .held: break
                }
              })
            continuation.finish()
          }
          for await end in ends {
            // A clock that does not wait, because the effect is cancelled, has nothing to wait for either.
            try? await clock.sleep(until: end, tolerance: nil)
            await holder.release(now: clock.now, to: send)
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
    /// To be sent now: it begins an interval.
    case now
    /// Held back until then; whoever is told so sends it.
    case at(Instant)
    /// Held back in the place of another one, or dropped.
    case held
  }

  /// An interval that has begun.
  private struct Interval: Sendable {
    var start: any Sendable
    /// A `HandedOver` action.
    var held: (any Sendable)?
    var holder: ObjectIdentifier?
  }

  private let intervals = Mutex<[TaskCancellations.Request: Interval]>([:])

  /// One running effect, which may hold an action back.
  fileprivate final class Holder: Sendable {
    private let throttles: Throttles
    private let key: TaskCancellations.Request

    init(throttles: Throttles, key: TaskCancellations.Request) {
      self.throttles = throttles
      self.key = key
    }

    @MainActor
    func take<Action, Instant: InstantProtocol>(
      _ action: Action, now: Instant, interval: Instant.Duration, keepsLast: Bool
    ) -> Verdict<Instant> {
      let handedOver = HandedOver(action)
      return throttles.intervals.withLock { intervals in
        guard let current = intervals[key], let start = current.start as? Instant,
          now < start.advanced(by: interval) || current.held != nil
        else {
          intervals[key] = Interval(start: now)
          return .now
        }
        guard current.held == nil || (keepsLast && current.holder != ObjectIdentifier(self)) else {
          if keepsLast { intervals[key]?.held = handedOver }
          return .held
        }
        intervals[key]?.held = handedOver
        intervals[key]?.holder = ObjectIdentifier(self)
        return .at(start.advanced(by: interval))
      }
    }

    /// Sends what this effect holds back.
    @MainActor
    func release<Action>(now: any InstantProtocol, to send: Send<Action>) {
      let released = throttles.intervals.withLock { intervals -> HandedOver<Action>? in
        guard let interval = intervals[key], interval.holder == ObjectIdentifier(self) else { return nil }
        intervals[key] = Interval(start: now)
        return interval.held as? HandedOver<Action>
      }
      if let released { send(released) }
    }

    /// Forgets what this effect holds back.
    func drop() {
      throttles.intervals.withLock {
        guard $0[key]?.holder == ObjectIdentifier(self) else { return }
        $0[key]?.held = nil
        $0[key]?.holder = nil
      }
    }
  }
}
