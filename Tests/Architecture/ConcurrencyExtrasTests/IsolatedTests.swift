import ConcurrencyExtras
import Testing

@Suite struct IsolatedTests {
  private struct Point: Hashable, Sendable { var x = 0, y = 0 }
  private struct Failure: Error {}

  @Test func aLockLosesNoIncrementOfManyTasks() async {
    let count = LockIsolated(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 { group.addTask { count.withValue { $0 += 1 } } }
    }
    #expect(count.value == 200)
  }

  @Test func aLockReadsPropertiesAndReplacesTheValue() {
    let point = LockIsolated(Point(x: 1))
    #expect(point.x == 1)
    point.setValue(Point(x: point.x + 1, y: 5))
    #expect(point.value == Point(x: 2, y: 5))
  }

  @Test func aLockTakesVariablesAndReturnsAnyResult() {
    final class Box { var value = 0 }
    let point = LockIsolated(Point())
    var new = Point()
    new.x = 3
    point.withValue { $0 = new }
    let box = point.withValue {
      let box = Box()
      box.value = $0.x
      return box
    }
    box.value += 1
    #expect(box.value == 4)
    point.setValue(new)
    #expect(point.value == new)
  }

  /// No other thread changes the value between the read and the write.
  @Test func aNewValueIsComputedUnderTheLock() async {
    let count = LockIsolated(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<10_000 { count.setValue(count.value + 1) } } }
    }
    #expect(count.value == 40_000)
  }

  @Test func aLockIsFreeAgainAfterAnError() {
    let count = LockIsolated(0)
    #expect(throws: Failure.self) {
      try count.withValue {
        $0 = 7
        throw Failure()
      }
    }
    #expect(count.value == 7)
  }

  @Test func anActorLosesNoIncrementOfManyTasks() async {
    let count = ActorIsolated(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 { group.addTask { await count.withValue { $0 += 1 } } }
    }
    #expect(await count.value == 200)
    await count.setValue(3)
    #expect(await count.value == 3)
  }

  @Test func anActorsValueIsReplacedByAnAsynchronousOperation() async {
    let count = ActorIsolated(1)
    let old = await count.withValue { count in
      defer { count += 1 }
      await Task.yield()
      return count
    }
    #expect(await count.value == 2 && old == 1)
  }

  @Test func locksWithEqualValuesAreEqual() async {
    let (one, same, other) = (LockIsolated(Point(x: 1)), LockIsolated(Point(x: 1)), LockIsolated(Point(x: 2)))
    #expect(one == same && one == one && one != other)
    #expect(Set([one, same, other]).count == 2)
    // Comparisons in both directions do not wait for each other.
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask { (0..<1000).allSatisfy { _ in one == same } }
        group.addTask { (0..<1000).allSatisfy { _ in same == one } }
      }
      for await isEqual in group { #expect(isEqual) }
    }
  }

  @Test func anUncheckedValueIsReadAndChangedThroughItsWrapper() {
    @UncheckedSendable var point = Point(x: 1)
    point.y = 2
    $point.x = 4
    #expect(point == Point(x: 4, y: 2))
    #expect($point.value == point && $point.y == 2)
    #expect($point == UncheckedSendable(Point(x: 4, y: 2)))
  }

  @Test func anyHashableIsEqualByTypeAndValue() {
    let one = AnyHashableSendable(Point(x: 1))
    #expect(one == AnyHashableSendable(Point(x: 1)))
    #expect(one != AnyHashableSendable(Point(x: 2)))
    #expect(AnyHashableSendable("1") != AnyHashableSendable(1))
    #expect(Set([one, AnyHashableSendable(Point(x: 1)), 1, 1, "1"]).count == 3)
  }

  @Test func anyHashableWrapsOnceAndDescribesWhatItHolds() {
    let nested = AnyHashableSendable(AnyHashableSendable("key"))
    #expect(nested.base is String)
    #expect("\(nested)" == "key")
    #expect(String(reflecting: nested) == "AnyHashableSendable(\"key\")")
  }

  @Test func anyHashableIsWrittenAsALiteral() {
    let literals: [AnyHashableSendable] = [true, 2, 0.5, "key"]
    #expect(literals.map { "\(type(of: $0.base))" } == ["Bool", "Int", "Double", "String"])
    #expect(AnyHashableSendable(0.5) == 0.5 && AnyHashableSendable(false) != true)
  }

  @Test func aWrappedValueIsTheSameKeyAsTheValue() {
    let names: [AnyHashable: String] = [AnyHashableSendable(Point(x: 1)): "one", 2: "two"]
    #expect(names[Point(x: 1)] == "one")
    #expect(names[AnyHashableSendable(2)] == "two")
  }
}

@Test func anyHashableValueIsWrappedWithoutItsType() {
  let ids: [any Hashable & Sendable] = [1, "a", AnyHashableSendable(2)]
  let wrapped = ids.map { AnyHashableSendable($0) }
  #expect(wrapped == [AnyHashableSendable(1), AnyHashableSendable("a"), AnyHashableSendable(2)])
  #expect(wrapped[2].base is Int)
}
