import IdentifiedCollections

private struct Item: Identifiable, Sendable {
  let id: Int
  var count = 0
}

private let size = 1000

@MainActor
func measureCollections(_ bench: Bench) {
  bench.section("1,000 elements, each operation on one")
  let items = (0..<size).map { Item(id: $0) }
  measureIdentified(bench, items)
  measureArray(bench, items)
  measureDictionary(bench, items)
}

@MainActor
private func measureIdentified(_ bench: Bench, _ items: [Item]) {
  bench.measure("IdentifiedArray, append") {
    var next = size
    var target = IdentifiedArray<Int, Item>()
    for _ in 0..<$0 {
      if next == size { (target, next) = ([], 0) }
      target.append(items[next])
      next += 1
    }
    keep(target)
  }
  var array = IdentifiedArray(uniqueElements: items)
  bench.measure("IdentifiedArray, [id:] get") { for n in 0..<$0 { keep(array[id: n &* 7919 % size]?.count) } }
  bench.measure("IdentifiedArray, [id:] modify") { for n in 0..<$0 { array[id: n &* 7919 % size]?.count += 1 } }
  bench.measure("IdentifiedArray, remove and insert in the middle") {
    for _ in 0..<$0 { if let item = array.remove(id: 500) { array.insert(item, at: 500) } }
  }
  bench.measure("IdentifiedArray, iterate, each", step: size) {
    for _ in 0..<$0 / size {
      var sum = 0
      for item in array { sum &+= item.count }
      keep(sum)
    }
  }
}

@MainActor
private func measureArray(_ bench: Bench, _ items: [Item]) {
  bench.measure("Array, append") {
    var next = size
    var target: [Item] = []
    for _ in 0..<$0 {
      if next == size { (target, next) = ([], 0) }
      target.append(items[next])
      next += 1
    }
    keep(target)
  }
  var array = items
  bench.measure("Array, first(where:) get") {
    for n in 0..<$0 { keep(array.first { $0.id == n &* 7919 % size }?.count) }
  }
  bench.measure("Array, firstIndex(where:) modify") {
    for n in 0..<$0 {
      if let index = array.firstIndex(where: { $0.id == n &* 7919 % size }) { array[index].count += 1 }
    }
  }
  bench.measure("Array, remove and insert in the middle") {
    for _ in 0..<$0 {
      if let index = array.firstIndex(where: { $0.id == 500 }) { array.insert(array.remove(at: index), at: 500) }
    }
  }
  bench.measure("Array, iterate, each", step: size) {
    for _ in 0..<$0 / size {
      var sum = 0
      for item in array { sum &+= item.count }
      keep(sum)
    }
  }
}

@MainActor
private func measureDictionary(_ bench: Bench, _ items: [Item]) {
  bench.measure("Dictionary, insert") {
    var next = size
    var target: [Int: Item] = [:]
    for _ in 0..<$0 {
      if next == size { (target, next) = ([:], 0) }
      target[items[next].id] = items[next]
      next += 1
    }
    keep(target)
  }
  var dictionary = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
  bench.measure("Dictionary, get") { for n in 0..<$0 { keep(dictionary[n &* 7919 % size]?.count) } }
  bench.measure("Dictionary, modify") { for n in 0..<$0 { dictionary[n &* 7919 % size]?.count += 1 } }
  bench.measure("Dictionary, remove and insert") {
    for _ in 0..<$0 { if let item = dictionary.removeValue(forKey: 500) { dictionary[500] = item } }
  }
  bench.measure("Dictionary, iterate, each", step: size) {
    for _ in 0..<$0 / size {
      var sum = 0
      for item in dictionary.values { sum &+= item.count }
      keep(sum)
    }
  }
}
