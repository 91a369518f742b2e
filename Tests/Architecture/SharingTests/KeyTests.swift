import Dependencies
import Foundation
import Synchronization
import Testing

@testable import Sharing

private struct Failure: Error, Equatable {}

/// A key whose source is controlled by a test.
private final class Source: Sendable {
  struct State {
    var stored: Result<Int?, any Error> = .success(nil)
    var saved: [Int] = []
    var saving: Result<Void, any Error> = .success(())
    var subscriber: SharedSubscriber<Int>?
    var isSubscribed = false
    var held: [LoadContinuation<Int>] = []
    var holdsLoads = false
    var loads: [LoadContext<Int>] = []
    var subscriptions: [LoadContext<Int>] = []
    /// Called by a save before its answer.
    var onSave: (@Sendable (Int) -> Void)?
  }

  let state = Mutex(State())
  let name: String

  init(_ name: String = #function) { self.name = name }

  struct Key: SharedKey {
    let source: Source
    var id: String { source.name }

    func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
      let result = source.state.withLock { state -> Result<Int?, any Error>? in
        state.loads.append(context)
        guard state.holdsLoads else { return state.stored }
        state.held.append(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }

    func subscribe(context: LoadContext<Int>, subscriber: SharedSubscriber<Int>) -> SharedSubscription {
      source.state.withLock { state in
        (state.subscriber, state.isSubscribed) = (subscriber, true)
        state.subscriptions.append(context)
      }
      return SharedSubscription { [source] in source.state.withLock { $0.isSubscribed = false } }
    }

    func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
      let (saving, onSave) = source.state.withLock { state in
        state.saved.append(value)
        return (state.saving, state.onSave)
      }
      onSave?(value)
      continuation.resume(with: saving)
    }
  }

  var key: Key { Key(source: self) }

  /// Takes the unanswered loads, whose result ends them.
  func takeHeld() -> [LoadContinuation<Int>] {
    state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
  }
  var subscriber: SharedSubscriber<Int>? { state.withLock { $0.subscriber } }
}

@Suite(.timeLimit(.minutes(30))) struct KeyTests {

  @Test func theValueComesFromTheKeyOrElseFromTheDefault() {
    let (empty, full) = (Source("empty"), Source("full"))
    full.state.withLock { $0.stored = .success(5) }
    @Shared(empty.key) var fromDefault = 1
    @Shared(full.key) var fromKey = 1
    #expect(fromDefault == 1 && fromKey == 5)
  }

  @Test func sharesOfOneKeyAreOneReference() {
    let source = Source()
    @Shared(source.key) var first = 1
    @Shared(source.key) var second = 2
    @SharedReader(source.key) var reader = 3
    $second.withLock { $0 = 9 }
    #expect(first == 9 && reader == 9)
    #expect(source.state.withLock { $0.saved } == [9])
  }

  @Test func changesFromOutsideAreSeenAndNotSaved() {
    let source = Source()
    @Shared(source.key) var count = 1
    source.subscriber?.yield(2)
    #expect(count == 2)
    source.subscriber?.yieldReturningInitialValue()
    #expect(count == 1)
    source.subscriber?.yieldLoading()
    #expect($count.isLoading)
    source.subscriber?.yieldLoading(false)
    #expect(!$count.isLoading)
    #expect(source.state.withLock { $0.saved } == [])
  }

  @Test func theSubscriptionEndsWithTheLastShare() {
    let source = Source()
    do {
      @Shared(source.key) var count = 1
      #expect(count == 1 && source.state.withLock { $0.isSubscribed })
    }
    #expect(!source.state.withLock { $0.isSubscribed })
    @Shared(source.key) var count = 4
    #expect(count == 4 && source.state.withLock { $0.isSubscribed })
  }

  /// As with the original, errors of keys are issues in an application, but not in its tests.
  @Test func aFailedLoadKeepsTheValue() async {
    let source = Source()
    source.state.withLock { $0.stored = .failure(Failure()) }
    let share = Shared(wrappedValue: 1, source.key)
    #expect(share.wrappedValue == 1)
    #expect(share.loadError as? Failure == Failure())
    await #expect(throws: Failure.self) { try await share.load() }
    source.state.withLock { $0.stored = .success(2) }
    await #expect(throws: Never.self) { try await share.load() }
    #expect(share.wrappedValue == 2 && share.loadError == nil)
    // A load without a value keeps it.
    source.state.withLock { $0.stored = .success(nil) }
    await #expect(throws: Never.self) { try await share.load() }
    #expect(share.wrappedValue == 2 && share.loadError == nil)
  }

  @Test func aFailureOfTheSourceIsForgottenWithTheNextValueOrSave() {
    let source = Source()
    @Shared(source.key) var count = 1
    source.subscriber?.yield(throwing: Failure())
    #expect($count.loadError is Failure && count == 1)
    $count.withLock { $0 = 3 }
    #expect($count.loadError == nil)
    source.subscriber?.yield(throwing: Failure())
    #expect($count.loadError is Failure && count == 3)
    source.subscriber?.yield(2)
    #expect($count.loadError == nil)
  }

  @Test func aFailedSaveKeepsTheChange() async {
    let source = Source()
    source.state.withLock { $0.saving = .failure(Failure()) }
    @Shared(source.key) var count = 1
    let share = $count
    share.withLock { $0 = 2 }
    #expect(count == 2 && $count.saveError is Failure)
    await #expect(throws: Failure.self) { try await share.save() }
    source.state.withLock { $0.saving = .success(()) }
    await #expect(throws: Never.self) { try await share.save() }
    #expect($count.saveError == nil)
    #expect(source.state.withLock { $0.saved } == [2, 2, 2])
  }

  @Test func loadingLastsUntilTheKeyAnswers() {
    let source = Source()
    source.state.withLock { $0.holdsLoads = true }
    @Shared(source.key) var count = 1
    #expect($count.isLoading && count == 1)
    source.takeHeld().first?.resume(returning: 8)
    #expect(!$count.isLoading && count == 8)
  }

  @Test func aChangeThatIsMadeWhileLoadingIsKept() {
    let source = Source()
    source.state.withLock { $0.holdsLoads = true }
    @Shared(source.key) var count = 1
    $count.withLock { $0 = 2 }
    source.takeHeld().first?.resume(returning: 8)
    #expect(!$count.isLoading && count == 2)
  }

  @Test func aDroppedContinuationIsReportedAndEndsTheLoad() {
    let source = Source()
    source.state.withLock { $0.holdsLoads = true }
    @Shared(source.key) var count = 1
    let issues = Issues.during { _ = source.takeHeld() }
    #expect(issues.first?.contains("without resuming its continuation") == true)
    #expect(!$count.isLoading && $count.loadError is SharedContinuationDropped)
  }

  @Test func aSecondAnswerIsReported() {
    let source = Source()
    source.state.withLock { $0.holdsLoads = true }
    @Shared(source.key) var count = 1
    let held = source.state.withLock { $0.held }
    held.first?.resume(returning: 2)
    let issues = Issues.during { held.first?.resume(returning: 3) }
    #expect(issues.first?.contains("twice") == true)
    #expect(count == 2)
  }

  @Test func aRequiredValueMustBeThere() async throws {
    let source = Source()
    await #expect(throws: SharedValueMissing.self) { _ = try await Shared(require: source.key) }
    source.state.withLock { $0.stored = .success(3) }
    source.state.withLock { ($0.loads, $0.subscriptions) = ([], []) }
    #expect(try await Shared(require: source.key).wrappedValue == 3)
    #expect(try await SharedReader(require: source.key).wrappedValue == 3)
    // The value was loaded once for each of them.
    #expect(source.state.withLock { $0.loads } == [.userInitiated, .userInitiated])
    #expect(source.state.withLock { $0.subscriptions } == [.userInitiated, .userInitiated])
  }

  @Test func aShareCanBePointedAtAnotherKey() async throws {
    let (first, second) = (Source("first"), Source("second"))
    second.state.withLock { $0.stored = .success(2) }
    @Shared(first.key) var count = 1
    let copy = $count
    try await copy.load(second.key)
    #expect(count == 2)
    #expect(second.state.withLock { $0.loads } == [.userInitiated])
    copy.withLock { $0 = 5 }
    #expect(second.state.withLock { $0.saved } == [5])
    #expect(first.state.withLock { $0.saved } == [])
  }

  @Test func aShareThatIsPointedAtAKeyWithoutAValueStoresNone() async throws {
    do {
      @Shared(.inMemory("first")) var count = 1
      try await $count.load(.inMemory("second"))
      #expect(count == 1)
    }
    @Shared(.inMemory("second")) var count = 5
    #expect(count == 5)
  }

  @Test func aRequestedSaveWaitsForItsTurnAndSavesTheValueOfThen() async throws {
    let source = Source()
    let share = Shared(wrappedValue: 0, source.key)
    let cell = try #require(share.location as? Cell<Int>)
    let (isSaving, signal) = AsyncStream.makeStream(of: Void.self)
    source.state.withLock { state in
      state.onSave = { [weak source] value in
        guard value == 1, let source else { return }
        signal.yield()
        // Until the request waits, or is carried out at the same time.
        for _ in 0..<100_000
        where cell.state.withLock({ $0.queue.isEmpty }) && source.state.withLock({ $0.saved.count == 1 }) {
          usleep(100)
        }
        source.subscriber?.yield(7)
      }
    }
    // A thread of its own, because the save of its change blocks it.
    Thread.detachNewThread { share.withLock { $0 = 1 } }
    for await _ in isSaving { break }
    try await share.save()
    #expect(source.state.withLock { $0.saved } == [1, 7])
  }

  @Test func savesAndCallbacksComeInOrderAlsoFromWithinACallback() {
    let source = Source()
    @Shared(source.key) var count = 0
    let (share, seen) = ($count, Log())
    let subscription = share.subscribe { value in
      seen.add(value)
      if value == 1 { share.withLock { $0 = 2 } }
    }
    share.withLock { $0 = 1 }
    #expect(seen.values == [0, 1, 2])
    #expect(source.state.withLock { $0.saved } == [1, 2])
    subscription.cancel()
    share.withLock { $0 = 3 }
    #expect(seen.values == [0, 1, 2])
  }
}

final class Log: Sendable {
  private let list = Mutex<[Int]>([])
  var values: [Int] { list.withLock { $0 } }
  func add(_ value: Int) { list.withLock { $0.append(value) } }
}
