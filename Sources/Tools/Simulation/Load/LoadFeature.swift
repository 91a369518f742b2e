import ReplicatedArchitecture
import Wire

/// A counter whose reducer takes virtual time.
@Reducer
struct LoadFeature {
  @Replicated
  struct State: Equatable, Sendable {
    var count = 0
  }

  @Replicated
  enum Action: Equatable, Sendable {
    case count
  }

  let clock: VirtualClock

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      clock.spendAction()
      state.count += 1
      return .none
    }
  }
}

/// The processor's time of a hub, which passes only by its work.
final class VirtualClock {
  /// The time in nanoseconds.
  private(set) var now: UInt64 = 1_000_000_000
  /// The duration of one action in nanoseconds.
  var actionTime: UInt64 = 1_000
  /// The number of actions so far.
  private(set) var actionCount = 0

  var milliseconds: UInt64 { now / 1_000_000 }
  var time: Duration { .nanoseconds(Int64(now)) }

  func spend(_ nanoseconds: UInt64) { now += nanoseconds }

  func spendAction() {
    actionCount += 1
    spend(actionTime)
  }
}
