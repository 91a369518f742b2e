import Dependencies
import Synchronization
import Testing

@testable import Sharing

/// A key of a number that others change as well: its source adds what each change has added.
private struct SumKey: ChangeKey {
  final class Source: Sendable {
    struct State {
      var sum = 0
      var changes: [Int] = []
      var subscriber: SharedSubscriber<Int>?
      /// Called by a save before its answer.
      var onSave: (@Sendable () -> Void)?
    }

    let state = Mutex(State())

    /// Adds a number of others.
    func add(_ number: Int) {
      let (sum, subscriber) = state.withLock { state in
        state.sum += number
        return (state.sum, state.subscriber)
      }
      subscriber?.yield(sum)
    }
  }

  let source = Source()
  let id = "sum"

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    continuation.resume(returning: source.state.withLock { $0.sum })
  }

  func subscribe(context: LoadContext<Int>, subscriber: SharedSubscriber<Int>) -> SharedSubscription {
    source.state.withLock { $0.subscriber = subscriber }
    return SharedSubscription {}
  }

  func save(from base: Int, to value: Int, context: SaveContext, continuation: SaveContinuation) {
    let onSave = source.state.withLock { state in
      if context == .didSet { state.changes.append(value - base) }
      return state.onSave.take()
    }
    onSave?()
    continuation.taken()
    source.add(value - base)
    continuation.resume()
  }
}

@Suite(.timeLimit(.minutes(30))) struct ChangeKeyTests {
  @Test func eachChangeIsSavedFromTheValueThatItChanged() async throws {
    let key = SumKey()
    @Shared(key) var sum = 0
    $sum.withLock { $0 += 2 }
    key.source.add(10)
    #expect(sum == 12)
    $sum.withLock { $0 += 3 }
    #expect(sum == 15 && key.source.state.withLock { $0.changes } == [2, 3])
    try await $sum.save()
    #expect(sum == 15 && key.source.state.withLock { $0.changes } == [2, 3])
  }

  @Test func aKeyWithADefaultSavesChangesToo() {
    let key = SumKey()
    @Shared(SumKey.Default[key, default: 0]) var sum
    key.source.add(10)
    $sum.withLock { $0 += 2 }
    #expect(sum == 12 && key.source.state.withLock { $0.changes } == [2])
  }

  /// Its source does not contain the change that the key has not seen, which would disappear for a moment.
  @Test func aValueOfTheSourceDoesNotHideAChangeThatWaits() {
    let key = SumKey()
    @Shared(key) var sum = 0
    let shared = $sum
    let seen = Mutex<[Int]>([])
    key.source.state.withLock { state in
      state.onSave = {
        // Queued behind the change that is being saved.
        shared.withLock { $0 += 100 }
        key.source.add(10)
        seen.withLock { $0.append(shared.wrappedValue) }
      }
    }
    $sum.withLock { $0 += 1 }
    #expect(seen.withLock { $0 } == [101])
    #expect(sum == 111 && key.source.state.withLock { $0.changes } == [1, 100])
  }
}
