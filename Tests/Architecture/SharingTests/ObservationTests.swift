import Observation
import Sharing
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct SharedObservationTests {
  private struct Pair: Equatable, Sendable {
    var first = 0
    var second = 0
  }

  /// Returns the number of notifications for one tracked read.
  private func changes<R>(reading read: () -> R, _ operation: () -> Void) -> Int {
    let count = Log()
    withObservationTracking {
      _ = read()
    } onChange: {
      count.add(1)
    }
    operation()
    return count.values.count
  }

  @Test func aReadIsTrackedUntilTheNextChange() {
    @Shared(value: 0) var count
    let share = $count
    #expect(changes(reading: { share.wrappedValue }) { share.withLock { $0 += 1 } } == 1)
    #expect(changes(reading: { share.wrappedValue }) {} == 0)
    #expect(changes(reading: {}) { share.withLock { $0 += 1 } } == 0)
  }

  @Test func aShareIsTrackedItself() {
    @Shared(value: 0) var count
    #expect(changes(reading: { $count }) { $count = Shared(value: 1) } == 1)
    @SharedReader(value: 0) var reader
    #expect(changes(reading: { $reader }) { $reader = SharedReader($count) } == 1)
  }

  @Test func aPartIsTrackedThroughItsWhole() {
    @Shared(value: Pair()) var pair
    let (part, share) = ($pair.first, $pair)
    #expect(changes(reading: { part.wrappedValue }) { share.withLock { $0.first = 1 } } == 1)
    #expect(changes(reading: { SharedReader(share).second.wrappedValue }) { share.second.withLock { $0 = 1 } } == 1)
  }

  @Test func theNewValueIsThereWhenTheObserverIsTold() {
    @Shared(value: 0) var count
    let (share, seen) = ($count, Log())
    withObservationTracking {
      _ = share.wrappedValue
    } onChange: {
      seen.add(share.wrappedValue)
    }
    share.withLock { $0 = 4 }
    #expect(seen.values == [4])
  }

  @Test func pointingAtAnotherReferenceIsAChange() {
    @Shared(value: 0) var count
    let share = $count
    #expect(changes(reading: { share.wrappedValue }) { share.projectedValue = Shared(value: 1) } == 1)
  }

  @Test func valuesBeginWithTheCurrentOneAndMissNone() async {
    @Shared(value: 0) var count
    let share = $count
    var values = share.values.makeAsyncIterator()
    for number in 1...5 { share.withLock { $0 = number } }
    for number in 0...5 { #expect(await values.next() == number) }
  }

  @Test func valuesOfAPartFollowThePart() async {
    @Shared(value: Pair()) var pair
    let share = $pair
    let reader = Task { await share.second.reaches { $0 == 2 } }
    share.second.withLock { $0 = 1 }
    share.withLock { $0.second = 2 }
    await reader.value
  }

  @Test func readingValuesEndsWithItsTask() async {
    @Shared(value: 0) var count
    let share = $count
    let reader = Task { for await _ in share.values {} }
    reader.cancel()
    await reader.value
  }

  @Test func noChangeOfAnyThreadIsLostOrSeenOutOfOrder() async {
    @Shared(value: 0) var count
    let (share, seen) = ($count, Log())
    let subscription = share.subscribe { seen.add($0) }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<500 { share.withLock { $0 += 1 } } }
      }
    }
    await share.reaches { $0 == 4000 }
    #expect(count == 4000)
    #expect(seen.values == Array(0...4000))
    subscription.cancel()
  }
}
