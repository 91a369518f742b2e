import IdentifiedCollections
import TestSupport
import Testing

private typealias Items = IdentifiedArrayOf<Item>

extension IdentifiedArray where Element: Equatable {
  fileprivate func changes(from base: Self) -> [Change] {
    var changes: [Change] = []
    visitChanges(from: base) { changes.append($0) }
    return changes
  }

  /// Applies changes exactly as documented for `visitChanges(from:by:_:)`.
  fileprivate func applying(_ changes: [Change]) -> Self {
    var result = self
    var moved: [ID: Element] = [:]
    for change in changes {
      switch change {
      case .remove(let id, let element, let offset):
        #expect(self[offset] == element)
        #expect(result.remove(id: id) == element)
      case .move(let id, let from, _):
        #expect(index(id: id) == from)
        moved[id] = result.remove(id: id)
      default: break
      }
    }
    for change in changes {
      switch change {
      case .insert(_, let element, let offset): result.insert(element, at: offset)
      case .move(let id, _, let to): if let element = moved[id] { result.insert(element, at: to) }
      default: break
      }
    }
    for change in changes {
      if case .update(let id, let old, let new, let offset) = change {
        #expect(result[offset] == old)
        #expect(result.index(id: id) == offset)
        result[id: id] = new
      }
    }
    return result
  }
}

struct DifferenceTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func theChangesLeadFromTheBaseToTheResult(seed: UInt64) {
    var history = History(seed: seed, size: [0, 40, 300, 3000][Int(seed % 4)])
    var base = history.array
    for _ in 0..<12 {
      for _ in 0...(seed % 3) { _ = history.step() }
      let result = history.array
      let changes = result.changes(from: base)
      #expect(base.applying(changes) == result)
      #expect((base == result) == changes.isEmpty)
      #expect(result.holdsTheSame(as: base, by: ==) == changes.isEmpty)
      #expect(result.holdsTheSame(as: base) { $0.id == $1.id } == base.ids.elementsEqual(result.ids))
      base = result
    }
  }

  @Test func eachKindOfChangeIsNamed() {
    let base = items(0..<10_000)
    var array = base
    array[id: 100]?.value = 1
    array.remove(id: 200)
    array.insert(Item(id: -1), at: 300)
    array.move(fromOffsets: [9000], toOffset: 50)
    #expect(
      array.changes(from: base) == [
        .remove(id: 200, element: Item(id: 200, value: 2000), offset: 200),
        .move(id: 9000, from: 9000, to: 50),
        .insert(id: -1, element: Item(id: -1), offset: 301),
        .update(id: 100, old: Item(id: 100, value: 1000), new: Item(id: 100, value: 1), offset: 101),
      ])
    #expect(base.changes(from: base).isEmpty)
  }

  @Test func oneMoveIsOneChange() {
    let base = items(0..<60)
    var array = base
    array.move(fromOffsets: [3], toOffset: 50)
    #expect(array.changes(from: base) == [.move(id: 3, from: 3, to: 49)])
  }

  @Test func arraysThatShareNothingAreCompared() {
    let base = items(0..<1000)
    var array = items([5, 4] + Array(6..<1001))
    array[id: 7]?.value = 0
    let changes = array.changes(from: base)
    #expect(base.applying(changes) == array)
    #expect(changes.count == 4 + 1 + 1 + 1)
  }

  @Test func onlyElementsOfChangedLeavesAreLookedAt() {
    let base = items(0..<50_000)
    var array = base
    array[id: 30_000]?.value = 1
    var compared = 0
    var changes = 0
    array.visitChanges(
      from: base,
      by: {
        compared += 1
        return $0 == $1
      }
    ) { _ in changes += 1 }
    #expect(changes == 1)
    #expect(compared <= 64)
  }
}
