import Dependencies
import Sharing
import Testing

extension SharedKey where Self == InMemoryKey<Int>.Default {
  fileprivate static var visits: Self { Self[.inMemory("visits"), default: 10] }
}

@Suite struct InMemoryTests {

  @Test func theValueOutlivesItsShares() {
    do {
      @Shared(.inMemory("k")) var count = 0
      $count.withLock { $0 = 5 }
    }
    @Shared(.inMemory("k")) var count = 0
    #expect(count == 5)
    @Shared(.inMemory("other")) var other = 1
    #expect(other == 1)
  }

  @Test func theInitialValueOutlivesItsShares() {
    do {
      @Shared(.visits) var visits = 3
      #expect(visits == 3)
    }
    @Shared(.visits) var visits
    #expect(visits == 3)
    @SharedReader(.inMemory("visits")) var reader = 4
    #expect(reader == 3)
    #expect(InMemoryKey<Int>.Default.visits.initialValue == 10)
  }

  /// Runs twice: the second test must not see the value of the first.
  @Test func everyTestHasItsOwnMemory() {
    @Shared(.inMemory("k")) var count = 0
    #expect(count == 0)
    $count.withLock { $0 = 1 }
  }

  @Test func everyTestHasItsOwnMemoryAsWell() {
    @Shared(.inMemory("k")) var count = 0
    #expect(count == 0)
    $count.withLock { $0 = 1 }
  }

  @Test func stateCanBeIsolatedWithinATest() {
    @Shared(.inMemory("k")) var outer = 1
    $outer.withLock { $0 = 2 }
    withDependencies {
      $0.isolateSharedState()
    } operation: {
      @Shared(.inMemory("k")) var inner = 7
      #expect(inner == 7)
    }
    #expect(outer == 2)
  }

  /// References are created and released all the time, and a new one must have all values of its predecessors.
  @Test func nothingIsLostBetweenOneReferenceAndTheNext() async {
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            @Shared(.inMemory("k")) var count = 0
            $count.withLock { $0 += 1 }
          }
        }
      }
    }
    @Shared(.inMemory("k")) var count = 0
    #expect(count == 2000)
  }

  @Test func aKeyCanHaveADefault() {
    @Shared(.visits) var visits
    @SharedReader(.visits) var reader
    #expect(visits == 10 && reader == 10)
    $visits.withLock { $0 += 1 }
    #expect(reader == 11)
    @Shared(.inMemory("visits")) var base = 0
    #expect(base == 11)
  }

  @Test func theDefaultOfAKeyCanBeOverridden() {
    @Shared(.visits) var visits = 3
    #expect(visits == 3)
  }

  @Test func anOptionalNeedsNoDefault() {
    @Shared(.inMemory("name")) var name: String?
    #expect(name == nil)
    $name.withLock { $0 = "Blob" }
    #expect(name == "Blob")
  }

  @Test func oneKeyOfTwoTypesIsReported() {
    @Shared(.inMemory("k")) var number = 1
    let issues = Issues.during {
      @Shared(.inMemory("k")) var text = "a"
      #expect(text == "a")
    }
    #expect(issues.count == 1 && issues[0].contains("already shared as another type"))
    #expect(number == 1)
  }

  @Test func liveStateIsTheProcesses() {
    func increment() -> Int {
      @Shared(.inMemory("InMemoryTests.live")) var count = 0
      $count.withLock { $0 += 1 }
      return count
    }
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(increment() == 1)
      #expect(increment() == 2)
    }
  }
}
