import Dependencies
import Sharing
import Synchronization
import Testing

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
  }

  let state = Mutex(State())
  let name: String

  init(_ name: String = #function) { self.name = name }

  struct Key: SharedKey {
    let source: Source
    var id: String { source.name }

    func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
      let result = source.state.withLock { state -> Result<Int?, any Error>? in
        guard state.holdsLoads else { return state.stored }
        state.held.append(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }

    func subscribe(context: LoadContext<Int>, subscriber: SharedSubscriber<Int>) -> SharedSubscription {
      source.state.withLock { ($0.subscriber, $0.isSubscribed) = (subscriber, true) }
      return SharedSubscription { [source] in source.state.withLock { $0.isSubscribed = false } }
    }

    func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
      continuation.resume(
        with: source.state.withLock { state in
          state.saved.append(value)
          return state.saving
        })
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

@Suite(.timeLimit(.minutes(1))) struct KeyTests {

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

  @Test func aFailedLoadKeepsTheValueAndIsReported() async {
    let source = Source()
    source.state.withLock { $0.stored = .failure(Failure()) }
    let share = Mutex<Shared<Int>?>(nil)
    let issues = Issues.during {
      @Shared(source.key) var count = 1
      share.withLock { $0 = $count }
    }
    #expect(issues == ["Caught error: Failure()"])
    guard let count = share.withLock({ $0 }) else { return }
    #expect(count.wrappedValue == 1)
    #expect(count.loadError as? Failure == Failure())
    await #expect(throws: Failure.self) { try await count.load() }
    source.state.withLock { $0.stored = .success(2) }
    await #expect(throws: Never.self) { try await count.load() }
    #expect(count.wrappedValue == 2 && count.loadError == nil)
  }

  @Test func aFailureOfTheSourceIsReportedAndForgottenWithTheNextValue() {
    let source = Source()
    @Shared(source.key) var count = 1
    let issues = Issues.during { source.subscriber?.yield(throwing: Failure()) }
    #expect(issues == ["Caught error: Failure()"])
    #expect($count.loadError is Failure && count == 1)
    source.subscriber?.yield(2)
    #expect($count.loadError == nil)
  }

  @Test func aFailedSaveKeepsTheChange() async {
    let source = Source()
    source.state.withLock { $0.saving = .failure(Failure()) }
    @Shared(source.key) var count = 1
    let share = $count
    #expect(Issues.during { share.withLock { $0 = 2 } } == ["Caught error: Failure()"])
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
    #expect(try await Shared(require: source.key).wrappedValue == 3)
    #expect(try await SharedReader(require: source.key).wrappedValue == 3)
  }

  @Test func aShareCanBePointedAtAnotherKey() async throws {
    let (first, second) = (Source("first"), Source("second"))
    second.state.withLock { $0.stored = .success(2) }
    @Shared(first.key) var count = 1
    let copy = $count
    try await copy.load(second.key)
    #expect(count == 2)
    copy.withLock { $0 = 5 }
    #expect(second.state.withLock { $0.saved } == [5])
    #expect(first.state.withLock { $0.saved } == [])
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
