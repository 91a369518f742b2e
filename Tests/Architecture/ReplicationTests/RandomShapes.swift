import FoundationEssentials
import IdentifiedCollections
import TestSupport
import Wire

/// Generates values of random shapes from a seed.
struct Shaper {
  var generator: SplitMix

  init(seed: UInt64) { generator = SplitMix(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
  mutating func text() -> String { pick(["", "a", "caf\u{e9}", "cafe\u{301}", "水", "long \(below(100))", "🎲"]) }

  mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
    pick([0, 1, .min, .max, .random(in: .min ... .max, using: &generator), Number(truncatingIfNeeded: below(30))])
  }

  mutating func list<Value>(_ most: Int, _ make: (inout Shaper) -> Value) -> [Value] {
    (0..<below(most + 1)).map { _ in make(&self) }
  }

  mutating func item(_ id: Int) -> Item {
    Item(id: id, title: text(), tags: list(2) { $0.text() }, isDone: .random(using: &generator))
  }

  mutating func items(_ most: Int) -> IdentifiedArrayOf<Item> {
    var items: IdentifiedArrayOf<Item> = []
    for id in (0..<most).shuffled(using: &generator).prefix(below(most + 1)) { items.append(item(id)) }
    return items
  }

  mutating func position() -> Position {
    switch below(4) {
    case 0: .nowhere
    case 1: .at(x: below(3), y: pick([0, -0.0, 1.5, .infinity]))
    case 2: .inside(item(below(3)))
    default: .named(text())
    }
  }

  mutating func place(_ depth: Int = 2) -> Place {
    Place(name: text(), position: position(), neighbours: depth == 0 ? [] : list(2) { $0.place(depth - 1) })
  }

  mutating func tree(_ depth: Int) -> Tree {
    depth == 0 || below(3) == 0 ? .leaf(below(4)) : .node(tree(depth - 1), tree(depth - 1))
  }

  mutating func everything() -> Everything {
    var value = Everything()
    value.int8 = integer(Int8.self)
    value.int16 = integer(Int16.self)
    value.int32 = integer(Int32.self)
    value.int64 = integer(Int64.self)
    value.int128 = integer(Int128.self)
    value.uint = integer(UInt.self)
    value.uint8 = integer(UInt8.self)
    value.uint64 = integer(UInt64.self)
    value.uint128 = integer(UInt128.self)
    value.float = pick([0, -0.0, 1.1, .infinity, Float(bitPattern: integer(UInt32.self))])
    value.double = pick([0, -0.0, 1.1, .infinity, Double(bitPattern: integer(UInt64.self))])
    value.bool = .random(using: &generator)
    value.string = text()
    value.substring = Substring(text())
    value.character = pick(["a", "\u{e9}", "e\u{301}", "👩‍👩‍👧"])
    value.scalar = pick(["a", "é", "\u{10ffff}"])
    value.duration = pick([.zero, .seconds(below(1000)), .milliseconds(-below(5000)), .nanoseconds(1)])
    value.range = below(5)..<(5 + below(5))
    value.closed = below(5)...(5 + below(5))
    value.data = Data(list(40) { UInt8($0.below(256)) })
    value.date = Date(timeIntervalSinceReferenceDate: Double(below(1_000_000)) / 8)
    let byte = UInt8(below(256))
    value.uuid = UUID(uuid: (byte, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, byte))
    value.url = pick([nil, URL(string: "https://example.org/a?b=c"), URL(string: "x/y")])
    value.decimal = pick([0, Decimal(string: "-12.5") ?? 0, Decimal(below(1000))])
    value.optional = pick([nil, .some(nil), below(9)])
    value.array = list(8) { $0.below(100) }
    value.nested = list(3) { $0.list(3) { $0.text() } }
    value.set = Set(list(6) { $0.text() })
    value.dictionary = Dictionary(list(5) { ($0.text(), $0.list(3) { $0.below(9) }) }) { first, _ in first }
    value.result = pick([.success(item(1)), .failure(.never), .failure(.because(reason: text()))])
    value.colour = pick(Colour.allCases)
    return value
  }

  mutating func world() -> World {
    var world = World(everything: everything(), place: below(3) == 0 ? nil : place(), items: items(12))
    world.plain = list(8) { $0.item($0.below(3)) }
    world.byName = Dictionary(list(5) { ($0.text(), $0.item(0)) }) { first, _ in first }
    world.tree = tree(4)
    world.box = Box(value: item(0), others: below(2) == 0 ? nil : list(3) { $0.item(1) })
    return world
  }

  /// Returns a world with a few changes, as made by an action.
  mutating func changed(_ world: World) -> World {
    var world = world
    for _ in 0...below(3) {
      switch below(12) {
      case 0: world.everything = everything()
      case 1: world.place?.position = position()
      case 2: world.place = pick([nil, place()])
      case 3: edit(&world.items)
      case 4: edit(&world.items)
      case 5: change(&world.plain)
      case 6: world.byName[text()] = pick([nil, item(0)])
      case 7: world.byName[text()]?.title = text()
      case 8:
        // No deeper than before, since the nesting of values is limited.
        if case .node(let first, _) = world.tree { world.tree = .node(first, tree(2)) } else { world.tree = tree(4) }
      case 9: world.box.others?.append(item(2))
      case 10: world.everything.array.insert(below(9), at: below(world.everything.array.count + 1))
      default: world.everything.set.formSymmetricDifference([text()])
      }
    }
    return world
  }

  mutating func edit(_ items: inout IdentifiedArrayOf<Item>) {
    switch below(5) {
    case 0: items.insert(item(100 + below(1000)), at: below(items.count + 1))
    case 1 where !items.isEmpty: items.remove(at: below(items.count))
    case 2 where !items.isEmpty: items.move(fromOffsets: [below(items.count)], toOffset: below(items.count + 1))
    case 3 where items.count > 1: items.swapAt(below(items.count), below(items.count))
    case _ where !items.isEmpty: items[below(items.count)].title = text()
    default: items = self.items(12)
    }
  }

  private mutating func change(_ items: inout [Item]) {
    switch below(4) {
    case 0: items.insert(item(below(3)), at: below(items.count + 1))
    case 1 where !items.isEmpty: items.remove(at: below(items.count))
    case 2 where !items.isEmpty: items[below(items.count)].isDone.toggle()
    default: items.append(item(below(3)))
    }
  }
}

extension Replicated {
  func delta(from base: Self) -> [UInt8] {
    var encoder = CBOREncoder()
    encodeDelta(from: base, to: &encoder)
    return encoder.bytes
  }

  func applying(_ delta: [UInt8]) throws(WireError) -> Self {
    var decoder = CBORDecoder(delta.span.bytes)
    let result = try applying(delta: &decoder)
    try decoder.finish()
    return result
  }
}
