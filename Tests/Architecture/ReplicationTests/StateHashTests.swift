import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

/// Identified arrays in all possible places.
@Replicated
struct Library: Equatable {
  var name = ""
  var shelves: IdentifiedArrayOf<Shelf> = []
  var lent: [String: Shelf] = [:]
  var boxes: [Shelf]?
  var path = StackState<Shelf>()
  var numbers: Set<Double> = []
}

@Replicated
struct Shelf: Equatable, Identifiable {
  let id: Int
  var books: IdentifiedArrayOf<Item> = []
  var weight = 0.0
}

extension Layout {
  static let shelf = Layout.fields([1: .identified(.plain)])
  static let library = Layout.fields([
    1: .identified(.shelf), 2: .values(.shelf), 3: .items([0: .elements(.shelf)]),
    4: .identified(.items([1: .shelf])),
  ])
  static let world = Layout.fields([2: .identified(.plain)])
}

@Suite(.timeLimit(.minutes(30)), .computing) struct StateHashTests {
  private static let seed = UInt64.random(in: 0 ... .max)

  @Test func theHashIsWhatTheProtocolSays() throws {
    print("seed of the hashed states: \(Self.seed)")
    var shaper = Shaper(seed: Self.seed)
    for round in 0..<100 {
      let library = shaper.library()
      let expected = try Layout.library.hash(of: library.encoded())
      #expect(library.stateHash().value == expected, "seed \(Self.seed), round \(round)")
      let world = shaper.world()
      #expect(
        world.stateHash().value == (try Layout.world.hash(of: world.encoded())), "seed \(Self.seed), round \(round)")
    }
  }

  /// Each call hashes at least one more leaf, also of arrays in elements of others.
  @Test func aHashInPiecesIsTheSame() throws {
    var shaper = Shaper(seed: Self.seed &+ 2)
    for round in 0..<100 {
      let library = shaper.library()
      // Nothing that the trees have cached.
      let other = try Library(decoding: library.encoded().span.bytes)
      var (hash, calls): (StateHash?, Int) = (nil, 0)
      while hash == nil, calls < 10_000 {
        var budget = 1
        hash = library.stateHash(budget: &budget)
        calls += 1
      }
      #expect(hash == other.stateHash(), "seed \(Self.seed &+ 2), round \(round), \(calls) calls")
    }
  }

  @Test func statesWithTheSameBytesHaveTheSameHashAndOthersAnother() throws {
    var shaper = Shaper(seed: Self.seed &+ 1)
    var hub = shaper.library()
    var replica = try Library(decoding: hub.encoded().span.bytes)
    var versions = [(hub, hub.stateHash())]
    for round in 0..<800 {
      let what: Comment = "seed \(Self.seed &+ 1), round \(round)"
      let (before, old) = (hub, hub.stateHash())
      shaper.change(&hub)
      let new = hub.stateHash()
      #expect((new == old) == !hub.differs(from: before), what)
      replica = try replica.applying(hub.delta(from: before))
      // A replica that is seldom asked for a hash has nodes with hashes of different ages.
      if round % 3 != 0 { continue }
      #expect(replica.stateHash() == new, what)
      if round % 60 == 0 {
        versions.append((hub, new))
        let read = try Library(decoding: hub.encoded().span.bytes)
        #expect(read.stateHash() == new, "a tree that was built at once, \(what)")
        #expect(new.value == (try Layout.library.hash(of: hub.encoded())), what)
      }
    }
    for (version, hash) in versions { #expect(version.stateHash() == hash) }
    #expect(versions.count > 10 && Set(versions.map(\.1)).count > 10)
  }

  @Test func everySingleChangeShows() {
    var library = Library(name: "a", shelves: shelves(3), lent: ["k": Shelf(id: 9)], boxes: shelves(2).elements)
    library.path.append(Shelf(id: 1))
    library.path.append(Shelf(id: 2))
    library.numbers = [1, 2]
    let changes: [(inout Library) -> Void] = [
      { _ in }, { $0.name = "b" }, { $0.shelves[0].weight = 1 }, { $0.shelves[0].weight = -0.0 },
      { $0.shelves[2].books[4].title = "x" }, { $0.shelves[2].books[4].tags = ["x"] },
      { $0.shelves[1].books.swapAt(0, 1) }, { $0.shelves[1].books.swapAt(0, 19) }, { $0.shelves.swapAt(0, 1) },
      { $0.shelves.move(fromOffsets: [0], toOffset: 3) }, { $0.shelves[1].books.remove(at: 7) },
      { $0.shelves[1].books.removeAll() }, { $0.shelves.remove(at: 1) }, { $0.shelves.removeAll() },
      { $0.shelves.append(Shelf(id: 10)) }, { $0.shelves.insert(Shelf(id: 10), at: 0) },
      { $0.lent["k"]?.books.append(Item(id: 1)) }, { $0.lent = ["l": Shelf(id: 9)] }, { $0.lent = [:] },
      { $0.boxes = nil }, { $0.boxes = [] }, { $0.boxes?[1].books[0].isDone = true },
      { $0.path[0].weight = 1 }, { $0.path[1].books.append(Item(id: 1)) }, { _ = $0.path.popLast() },
      { $0.path.append(Shelf(id: 2)) }, { $0.path = StackState() }, { $0.numbers = [1] }, { $0.numbers = [1, 3] },
    ]
    var hashes: [StateHash: Int] = [:]
    for (index, change) in changes.enumerated() {
      var changed = library
      change(&changed)
      let hash = changed.stateHash()
      #expect(hashes[hash] == nil, "change \(index) has the hash of change \(hashes[hash] ?? 0)")
      hashes[hash] = index
    }
  }

  @Test func bytesCountAndNotEquality() {
    let bits: [UInt64] = [
      0x7ff8_0000_0000_0000, 0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff0_0000_0000_0000,
      0,
      0x8000_0000_0000_0000,
    ]
    func shelf(_ bits: UInt64) -> IdentifiedArrayOf<Shelf> { [Shelf(id: 1, weight: Double(bitPattern: bits))] }
    #expect(Set(bits.map { shelf($0).stateHash() }).count == bits.count)
    #expect(shelf(bits[1]).stateHash() == shelf(bits[1]).stateHash())
    var items: IdentifiedArrayOf<Item> = [Item(id: 1, title: "caf\u{e9}")]
    let composed = items.stateHash()
    items[0].title = "cafe\u{301}"
    #expect(items[0].title == "caf\u{e9}")
    #expect(items.stateHash() != composed)
  }

  @Test func aVersionAndItsCopyHaveTheirOwnHashes() {
    var shelves = shelves(200)
    let (kept, before) = (shelves, shelves.stateHash())
    shelves[150].books[3].title = "x"
    let after = shelves.stateHash()
    #expect(after != before && kept.stateHash() == before)
    shelves[150].books[3].title = ""
    #expect(shelves.stateHash() == before)
    shelves = kept
    #expect(shelves.stateHash() == before)
  }

  @Test func keysAndMembersAreHashedAsTheyAreWritten() {
    let set: Set<IdentifiedArray<Int, Item>> = [[Item(id: 1)], [Item(id: 2)]]
    #expect(set.stateHash().value == XXHash.hash(set.encoded()))
  }

  @Test func theSummaryOfAnIdentifiedArrayIsItsCountAndHash() {
    let empty: IdentifiedArrayOf<Item> = []
    #expect(empty.stateHash().value == XXHash.hash([0x50] + Array(repeating: 0, count: 16)))
    let one: IdentifiedArrayOf<Item> = [Item(id: 1)]
    let hash = XXHash.hash(Item(id: 1).encoded()) % ((1 << 61) - 1)
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
    #expect(one.stateHash().value == XXHash.hash([0x50, 1, 0, 0, 0, 0, 0, 0, 0] + bytes))
    #expect(one.encoded() == [0x81] + Item(id: 1).encoded())
  }

  @Test func hashesTravelAsIntegers() throws {
    for value in [0, 23, 0x0123_4567_89ab_cdef, UInt64.max] {
      let hash = StateHash(value: value)
      #expect(hash.encoded() == value.encoded())
      #expect(try StateHash(decoding: hash.encoded().span.bytes) == hash)
    }
    #expect("\(StateHash(value: 0xab))" == "00000000000000ab")
    #expect(throws: WireError.self) { try StateHash(decoding: [0x20].span.bytes) }
  }

  private func shelves(_ count: Int) -> IdentifiedArrayOf<Shelf> {
    IdentifiedArray(
      uniqueElements: (0..<count).map {
        Shelf(id: $0, books: IdentifiedArray(uniqueElements: (0..<20).map { Item(id: $0) }))
      })
  }
}

extension Shaper {
  mutating func shelf(_ id: Int) -> Shelf {
    Shelf(id: id, books: items(below(12) == 0 ? 150 : 6), weight: pick([0, -0.0, .nan, 1.5]))
  }

  mutating func shelves(_ most: Int) -> IdentifiedArrayOf<Shelf> {
    IdentifiedArray(uniqueElements: (0..<below(most + 1)).map { shelf($0) })
  }

  mutating func library() -> Library {
    var library = Library(name: text(), shelves: shelves(80))
    for _ in 0..<below(4) { library.lent[text()] = shelf(0) }
    library.boxes = below(2) == 0 ? nil : list(3) { $0.shelf($0.below(3)) }
    for _ in 0..<below(4) { library.path.append(shelf(below(9))) }
    library.numbers = Set(list(5) { Double($0.below(9)) })
    return library
  }

  mutating func change(_ library: inout Library) {
    switch below(12) {
    case 0: library.name = text()
    case 1: library.shelves.insert(shelf(1000 + below(100_000)), at: below(library.shelves.count + 1))
    case 2 where !library.shelves.isEmpty: library.shelves.remove(at: below(library.shelves.count))
    case 3 where !library.shelves.isEmpty:
      library.shelves.move(fromOffsets: [below(library.shelves.count)], toOffset: below(library.shelves.count + 1))
    case 4 where !library.shelves.isEmpty: library.shelves[below(library.shelves.count)].weight = Double(below(3))
    case 5 where !library.path.isEmpty: change(&library.path[below(library.path.count)].books)
    case 6 where library.path.isEmpty || below(3) > 0: library.path.append(shelf(below(9)))
    case 6: _ = library.path.popLast()
    case 7: library.lent[text()] = pick([nil, shelf(0)])
    case 8:
      guard var boxes = library.boxes, !boxes.isEmpty else { return }
      change(&boxes[0].books)
      library.boxes = boxes
    case 9: library.boxes = pick([nil, [], [shelf(1)]])
    case _ where !library.shelves.isEmpty: change(&library.shelves[below(library.shelves.count)].books)
    default: library.numbers.formSymmetricDifference([Double(below(9))])
    }
  }

  private mutating func change(_ books: inout IdentifiedArrayOf<Item>) {
    switch below(5) {
    case 0 where !books.isEmpty: books.remove(at: below(books.count))
    case 1 where books.count > 1: books.swapAt(below(books.count), below(books.count))
    case 2 where !books.isEmpty: books[id: books[below(books.count)].id]?.title = text()
    case 3 where !books.isEmpty: books[below(books.count)].isDone.toggle()
    default: books.insert(item(1000 + below(100_000)), at: below(books.count + 1))
    }
  }
}
