import IdentifiedCollections
import TestSupport
import Testing

/// Random histories, compared with an array that searches its elements linearly.
@Suite(.computing) struct RandomOperationsTests {
  private static let seed = UInt64.random(in: 0 ... .max)

  @Test(arguments: 0..<24 as Range<UInt64>)
  func everyOperationDoesWhatAnArrayDoes(seed: UInt64) {
    var history = History(seed: seed, size: seed % 3 == 0 ? 700 : 60)
    for step in 0..<200 {
      let operation = history.step()
      // The check is expensive, so large arrays are checked every ten steps.
      if history.model.count < 300 || step % 10 == 0 {
        #expect(history.array.checkInvariants() == nil, "\(operation), step \(step)")
      }
      guard history.array.elementsEqual(history.model) else {
        Issue.record("\(operation), step \(step): \(history.array) is not \(history.model)")
        return
      }
    }
    history.checkKeptVersions()
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func deepTreesStayInOrder(seed: UInt64) {
    var generator = SplitMix(seed: seed)
    var array = items(0..<6000)
    var model = Array(array)
    for step in 0..<6000 {
      let position = Int.random(in: 0..<model.count, using: &generator)
      // Mostly insertions, then mostly removals, so that nodes of all heights split and merge.
      if Int.random(in: 0..<10, using: &generator) < (step < 3000 ? 7 : 1) {
        let item = Item(id: 10_000 + step)
        array.insert(item, at: position)
        model.insert(item, at: position)
      } else {
        #expect(array.remove(at: position) == model.remove(at: position))
      }
      if step % 1500 == 1499 { #expect(array.checkInvariants() == nil) }
    }
    #expect(array.elementsEqual(model))
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func idsThatHashAlikeAreToldApart(seed: UInt64) {
    var generator = SplitMix(seed: seed)
    var array: IdentifiedArrayOf<CollidingItem> = []
    var model: [CollidingItem] = []
    for step in 0..<500 {
      let item = CollidingItem(id: CollidingID(number: Int.random(in: 0..<300, using: &generator)), value: step)
      if let index = model.firstIndex(where: { $0.id == item.id }) {
        #expect(array.index(id: item.id) == index)
        if Bool.random(using: &generator) {
          #expect(array.remove(id: item.id) == model.remove(at: index))
        } else {
          array[id: item.id]?.value = step
          model[index].value = step
        }
      } else {
        let position = Int.random(in: 0...model.count, using: &generator)
        array.insert(item, at: position)
        model.insert(item, at: position)
      }
    }
    #expect(array.checkInvariants() == nil)
    #expect(array.elementsEqual(model))
  }
}

extension RandomOperationsTests {
  /// Reorders elements of a range with an algorithm that knows only the protocols, and assigns them one by one.
  private func reorder<C: MutableCollection & RandomAccessCollection>(
    _ collection: inout C, in range: Range<Int>, by algorithm: Int, using generator: inout SplitMix
  ) where C.Element == Item, C.Index == Int {
    switch algorithm {
    case 0: collection[range].reverse()
    case 1: collection[range].sort()
    case 2: collection[range].shuffle(using: &generator)
    case 3:
      let border = collection[range].partition { $0.value < 5 }
      // The order within the parts is not defined.
      collection[range.lowerBound..<border].sort()
      collection[border..<range.upperBound].sort()
    case 4: if let last = range.last { collection[range].swapAt(range.lowerBound, last) }
    case 5: collection.reverse()
    case 6:
      // Rotation: the first element is kept aside, the others move by one.
      guard let last = range.last else { return }
      let first = collection[range.lowerBound]
      for index in range.dropLast() { collection[index] = collection[index + 1] }
      collection[last] = first
    default:
      // Sorting by insertion.
      for index in range {
        let element = collection[index]
        var hole = index
        while hole > range.lowerBound, element < collection[hole - 1] {
          collection[hole] = collection[hole - 1]
          hole -= 1
        }
        collection[hole] = element
      }
    }
  }

  @Test func slicesAndGenericAlgorithmsDoWhatThoseOfAnArrayDo() {
    print("seed of the slices: \(Self.seed)")
    var generator = SplitMix(seed: Self.seed)
    for round in 0..<600 {
      let count = Int.random(in: 1...(round % 10 == 0 ? 300 : 20), using: &generator)
      var array = IdentifiedArray(
        uniqueElements: (0..<count).map { Item(id: $0, value: .random(in: 0..<9, using: &generator)) })
      var model = Array(array)
      let start = Int.random(in: 0...count, using: &generator)
      let range = start..<Int.random(in: start...count, using: &generator)
      let algorithm = round % 8
      var same = generator
      reorder(&array, in: range, by: algorithm, using: &generator)
      reorder(&model, in: range, by: algorithm, using: &same)
      #expect(array.elementsEqual(model), "seed \(Self.seed), round \(round), algorithm \(algorithm), \(range)")
      #expect(array.checkInvariants() == nil, "seed \(Self.seed), round \(round), algorithm \(algorithm), \(range)")
    }
  }
}

/// An array and its model with the same operations, and the kept versions.
struct History {
  var array: IdentifiedArrayOf<Item> = []
  var model: [Item] = []
  private(set) var kept: [(array: IdentifiedArrayOf<Item>, model: [Item])] = []
  private var generator: SplitMix
  private var nextID = 0

  init(seed: UInt64, size: Int) {
    generator = SplitMix(seed: seed)
    for _ in 0..<size {
      let item = newItem()
      array.append(item)
      model.append(item)
    }
  }

  func checkKeptVersions() {
    for (array, model) in kept {
      #expect(array.checkInvariants() == nil)
      #expect(array.elementsEqual(model))
    }
  }

  /// Performs a random operation on both and returns its name.
  mutating func step() -> String {
    if random(25) == 0 { kept.append((array, model)) }
    switch model.isEmpty ? 0 : random(4) {
    case 0: return insert()
    case 1: return remove()
    case 2: return change()
    default: return reorder()
    }
  }

  private mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func newItem() -> Item {
    nextID += 1
    return Item(id: nextID, value: random(100))
  }

  private mutating func someItem() -> Item {
    model.isEmpty || random(3) == 0 ? newItem() : Item(id: model[random(model.count)].id, value: random(100))
  }

  private mutating func offsets() -> [Int] {
    (0..<random(min(model.count, 9) + 1)).map { _ in random(model.count) }
  }

  private mutating func insert() -> String {
    let item = someItem()
    let position = random(model.count + 1)
    let existing = model.firstIndex { $0.id == item.id }
    switch random(6) {
    case 0:
      #expect(array.append(item) == (existing == nil, existing ?? model.count))
      if existing == nil { model.append(item) }
      return "append"
    case 1:
      #expect(array.insert(item, at: position) == (existing == nil, existing ?? position))
      if existing == nil { model.insert(item, at: position) }
      return "insert"
    case 2:
      #expect(array.updateOrAppend(item) == existing.map { model[$0] })
      if let existing { model[existing] = item } else { model.append(item) }
      return "updateOrAppend"
    case 3:
      #expect(array.updateOrInsert(item, at: position) == (existing.map { model[$0] }, existing ?? position))
      if let existing { model[existing] = item } else { model.insert(item, at: position) }
      return "updateOrInsert"
    case 4:
      array[id: item.id] = item
      if let existing { model[existing] = item } else { model.append(item) }
      return "[id:] ="
    default:
      let many = (0..<random(100)).map { _ in newItem() }
      array.append(contentsOf: many + [item])
      model += existing == nil ? many + [item] : many
      return "append(contentsOf:)"
    }
  }

  private mutating func remove() -> String {
    let position = random(model.count)
    switch random(9) {
    case 0:
      #expect(array.remove(id: model[position].id) == model.remove(at: position))
      return "remove(id:)"
    case 1:
      #expect(array.remove(Item(id: model[position].id)) == model.remove(at: position))
      return "remove"
    case 2:
      array[id: model[position].id] = nil
      model.remove(at: position)
      return "[id:] = nil"
    case 3:
      #expect(array.popFirst() == model.removeFirst())
      #expect(array.popLast() == model.popLast())
      return "popFirst, popLast"
    case 4:
      let range = position..<min(model.count, position + random(90))
      array.removeSubrange(range)
      model.removeSubrange(range)
      return "removeSubrange"
    case 5:
      let offsets = offsets()
      array.remove(atOffsets: offsets)
      for offset in Set(offsets).sorted(by: >) { model.remove(at: offset) }
      return "remove(atOffsets:)"
    case 6:
      let residue = random(9)
      array.removeAll { $0.value % 9 == residue }
      model.removeAll { $0.value % 9 == residue }
      return "removeAll(where:)"
    case 7:
      let residue = random(9)
      #expect(array.filter { $0.value % 9 == residue }.elementsEqual(model.filter { $0.value % 9 == residue }))
      #expect(array.filter { $0.value % 9 != residue }.checkInvariants() == nil)
      return "filter"
    default:
      #expect(array.remove(at: position) == model.remove(at: position))
      return "remove(at:)"
    }
  }

  private mutating func change() -> String {
    let position = random(model.count)
    let value = random(100)
    let id = model[position].id
    model[position].value = value
    switch random(4) {
    case 0: array[id: id]?.value = value
    case 1: array[position].value = value
    case 2: array[id: id, default: Item(id: id)].value = value
    default: array.update(Item(id: id, value: value), at: position)
    }
    return "change"
  }

  private mutating func reorder() -> String {
    let position = random(model.count)
    switch random(7) {
    case 0:
      array.reverse()
      model.reverse()
      return "reverse"
    case 1:
      array.sort()
      model.sort()
      return "sort"
    case 2:
      let other = random(model.count)
      array.swapAt(position, other)
      model.swapAt(position, other)
      return "swapAt"
    case 3:
      let value = random(100)
      #expect(array.partition { $0.value < value } == model.filter { $0.value >= value }.count)
      model = model.filter { $0.value >= value } + model.filter { $0.value < value }
      return "partition"
    case 4:
      var copy = generator
      array.shuffle(using: &copy)
      model.shuffle(using: &generator)
      return "shuffle"
    default:
      let source = Set(offsets())
      let destination = random(model.count + 1)
      array.move(fromOffsets: source, toOffset: destination)
      let isMoved = { (offset: Int) in source.contains(offset) }
      let indices = model.indices
      let order =
        indices[..<destination].filter { !isMoved($0) } + indices.filter(isMoved)
        + indices[destination...].filter { !isMoved($0) }
      model = order.map { model[$0] }
      return "move"
    }
  }
}
