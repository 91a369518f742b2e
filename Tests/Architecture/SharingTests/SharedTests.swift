import Sharing
import Synchronization
import Testing

private struct Item: Equatable, Identifiable, Sendable {
  var id: Int
  var name = ""
  var isDone = false
  var note: String?
  var length: Int { name.count }
}

/// A type that is not sendable can be shared within one isolation domain.
private final class Unsendable {
  var count = 0
}

@Suite struct SharedTests {
  private enum Outer {
    struct Inner: Equatable, Sendable {}
  }

  @Test func copiesShareOneValue() {
    @Shared(value: 0) var count
    let copy = $count
    copy.withLock { $0 += 1 }
    #expect(count == 1)
    $count.withLock { $0 += 1 }
    #expect(copy.wrappedValue == 2)
  }

  @Test func aChangeReturnsAndThrowsWhatItsOperationDoes() {
    struct Failure: Error {}
    @Shared(value: 1) var count
    #expect(
      $count.withLock {
        $0 *= 3; return $0
      } == 3)
    #expect(throws: Failure.self) {
      try $count.withLock {
        $0 = 7; throw Failure()
      }
    }
    #expect(count == 7)
  }

  @Test func aPartIsSharedWithItsWhole() {
    @Shared(value: [Item(id: 1, name: "Milk"), Item(id: 2)]) var items
    let isDone = $items[1].isDone
    isDone.withLock { $0 = true }
    #expect(items.map(\.isDone) == [false, true])
    $items.withLock { $0[1].isDone = false }
    #expect(!isDone.wrappedValue)
    let length: SharedReader<Int> = $items[0].length
    $items[0].name.withLock { $0 += "!" }
    #expect(length.wrappedValue == 5)
  }

  @Test func anOptionalIsUnwrappedWhileThereIsAValueAndRemembersIt() throws {
    @Shared(value: nil) var item: Item?
    #expect(Shared($item) == nil)
    $item.withLock { $0 = Item(id: 1) }
    let unwrapped = try #require(Shared($item))
    unwrapped.name.withLock { $0 = "Milk" }
    #expect(item?.name == "Milk")
    #expect(unwrapped.wrappedValue.name == "Milk")
    $item.withLock { $0 = nil }
    #expect(unwrapped.wrappedValue.name == "Milk")
    unwrapped.name.withLock { $0 = "Oat milk" }
    #expect(item == nil)
  }

  @Test func anOptionalPartIsUnwrapped() throws {
    @Shared(value: Item(id: 1, note: "cold")) var item
    let note = try #require(Shared($item.note))
    note.withLock { $0 += "!" }
    #expect(item.note == "cold!")
  }

  @Test func equalityIsByValue() {
    #expect(Shared(value: 1) == Shared(value: 1))
    #expect(Shared(value: 1) != Shared(value: 2))
    #expect(SharedReader(value: 1) == SharedReader(Shared(value: 1)))
    #expect(Shared(value: Item(id: 4)).id == 4)
    #expect(Shared(value: "a").description == "Shared<String>(value: \"a\")")
    #expect(Shared(value: Outer.Inner?.none).description == "Shared<SharedTests.Outer.Inner?>(value: nil)")
    @Shared(.inMemory("word")) var word = "b"
    #expect($word.description == "Shared<String>(.inMemory(\"word\"))")
    @SharedReader(InMemoryKey<Int>.Default[.inMemory("n"), default: 1]) var number
    #expect($number.description == "SharedReader<Int>(.inMemory(\"n\"))")
  }

  @Test func theElementsOfACollectionAreSharedEach() {
    @Shared(value: [1, 2, 3]) var numbers
    for number in Array($numbers) { number.withLock { $0 *= 2 } }
    #expect(numbers == [2, 4, 6])
  }

  @Test func aFeatureTakesPartInWhatItIsGiven() {
    struct Child {
      @Shared var name: String
      @SharedReader var id: Int
    }
    @Shared(value: Item(id: 1)) var item
    let child = Child(name: $item.name, id: SharedReader($item.id))
    child.$name.withLock { $0 = "Milk" }
    #expect(item.name == "Milk" && child.id == 1)
  }

  @Test func aShareCanBePointedAtAnother() {
    @Shared(value: 1) var first
    @Shared(value: 2) var second
    let copy = $first
    $first = $second
    $second.withLock { $0 = 3 }
    #expect(first == 3)
    #expect(copy.wrappedValue == 3)
  }

  @Test func aValueNeedNotBeSendable() {
    @Shared(value: Unsendable()) var object
    $object.withLock { $0.count += 1 }
    #expect(object.count == 1)
  }

  /// An array that counts its copies.
  private struct Counted: Sendable {
    private final class Storage: Sendable {
      let copies: Int
      init(copies: Int) { self.copies = copies }
    }
    private var storage = Storage(copies: 0)
    var copies: Int { storage.copies }
    mutating func change() {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(copies: storage.copies + 1) }
    }
  }

  @Test func aChangeCopiesTheValueOnce() {
    let alone = Shared(value: Counted())
    @Shared(.inMemory("counted copies")) var stored = Counted()
    for change in 1...5 {
      alone.withLock {
        for _ in 1...3 { $0.change() }
      }
      #expect(alone.wrappedValue.copies == change)
      $stored.withLock {
        for _ in 1...3 { $0.change() }
      }
      #expect(stored.copies == change)
    }
    alone.wrappedValue.change()
    #expect(alone.wrappedValue.copies == 6)
  }

  @Test func aShareHasAStreamByTheNameOfCombines() async {
    let count = Shared(value: 1)
    let seen = Mutex<[Int]>([])
    let subscription = count.publisher.sink { value in seen.withLock { $0.append(value) } }
    count.withLock { $0 = 2 }
    #expect(seen.withLock { $0 } == [1, 2])
    subscription.cancel()
    count.withLock { $0 = 3 }
    #expect(seen.withLock { $0 } == [1, 2])
    for await value in SharedReader(count).publisher.values {
      #expect(value == 3)
      break
    }
  }
}
