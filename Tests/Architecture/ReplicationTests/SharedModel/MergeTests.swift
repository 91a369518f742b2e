import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

/// What remains of the work of two authors who change one value at the same time.
@Suite struct MergeTests {
  /// Merges the changes of several authors of one base, in order.
  private func merge<Value: Replicated>(_ base: Value, _ edits: (inout Value) -> Void...) throws -> Value {
    var hub = base
    for edit in edits {
      var own = base
      edit(&own)
      hub = try hub.merging(own.change(from: base))
    }
    return hub
  }

  private let items = IdentifiedArrayOf<Item>(uniqueElements: (0..<6).map { Item(id: $0) })

  @Test func bothKeepWhatTheyAppend() throws {
    #expect(try merge([1], { $0.append(2) }, { $0 += [3, 4] }) == [1, 2, 3, 4])
    let merged = try merge(items, { $0 += [Item(id: 10), Item(id: 11)] }, { $0.append(Item(id: 20)) })
    #expect(merged.ids == [0, 1, 2, 3, 4, 5, 10, 11, 20])
    let new = try merge(IdentifiedArrayOf<Item>(), { $0 += [Item(id: 1), Item(id: 2)] }, { $0.append(Item(id: 3)) })
    #expect(new.ids == [1, 2, 3])
  }

  @Test func theLastReplacementOfAnArrayWins() throws {
    #expect(try merge([1, 2], { $0.removeFirst() }, { $0.insert(0, at: 0) }) == [0, 1, 2])
    #expect(try merge([1, 2], { $0.removeFirst() }, { $0.append(3) }) == [2, 3])
  }

  @Test func differentFieldsAndElementsAreIndependent() throws {
    let merged = try merge(
      items, { $0[id: 1]?.title = "a" }, { $0[id: 1]?.isDone = true }, { $0[id: 2]?.title = "b" }, { $0.remove(id: 3) },
      { $0.insert(Item(id: 9), at: 1) })
    #expect(merged.ids == [0, 9, 1, 2, 4, 5])
    #expect(merged[id: 1] == Item(id: 1, title: "a", isDone: true))
    #expect(merged[id: 2]?.title == "b")
  }

  @Test func theLastWriterOfAFieldWins() throws {
    #expect(try merge(Item(id: 1), { $0.title = "a" }, { $0.title = "b" }).title == "b")
  }

  @Test func whatIsRemovedStaysRemoved() throws {
    #expect(try merge(items, { $0.remove(id: 1) }, { $0[id: 1]?.title = "a" })[id: 1] == nil)
    #expect(try merge(items, { $0[id: 1]?.title = "a" }, { $0.remove(id: 1) })[id: 1] == nil)
    #expect(try merge(items, { $0.remove(id: 1) }, { $0.move(fromOffsets: [1], toOffset: 4) })[id: 1] == nil)
    #expect(try merge(items, { $0.remove(id: 1) }, { $0.remove(id: 1) }).ids == [0, 2, 3, 4, 5])
    #expect(try merge(["a": 1], { $0["a"] = nil }, { $0["a"] = 2 }) == [:])
    #expect(try merge(Set([1, 2]), { $0.remove(1) }, { $0 = [3] }) == [3])
    #expect(try merge(Item?.some(Item(id: 1)), { $0 = nil }, { $0?.title = "a" }) == nil)
    #expect(
      try merge(Position.inside(Item(id: 1)), { $0 = .nowhere }, { $0 = .inside(Item(id: 1, title: "a")) }) == .nowhere)
  }

  @Test func anInsertedKeyOrIDThatExistsIsReplaced() throws {
    #expect(try merge([String: Int](), { $0["a"] = 1 }, { $0["a"] = 2 }) == ["a": 2])
    let merged = try merge(items, { $0.insert(Item(id: 9, title: "a"), at: 0) }, { $0.append(Item(id: 9, title: "b")) })
    #expect(merged.ids == [9, 0, 1, 2, 3, 4, 5])
    #expect(merged[id: 9]?.title == "b")
  }

  @Test func elementsFollowTheOneThatWasBeforeThem() throws {
    let merged = try merge(
      items, { $0.move(fromOffsets: [4], toOffset: 0) }, { $0.insert(Item(id: 9), at: 5) })
    #expect(merged.ids == [4, 9, 0, 1, 2, 3, 5])
    // The one before it is gone: its place is the offset.
    #expect(try merge(items, { $0.remove(id: 2) }, { $0.insert(Item(id: 9), at: 3) }).ids == [0, 1, 3, 9, 4, 5])
    #expect(
      try merge(items, { $0.removeAll { $0.id < 5 } }, { $0.insert(Item(id: 9), at: 3) }).ids == [5, 9])
    #expect(
      try merge(items, { $0.move(fromOffsets: [0], toOffset: 3) }, { $0.move(fromOffsets: [0], toOffset: 6) }).ids
        == [1, 2, 3, 4, 5, 0])
  }

  @Test func allAdditionsToACounterCount() throws {
    let count = try merge(SharedCounter(1), { $0 += 2 }, { $0 -= 7 }, { $0 += 1 })
    #expect(count == -3)
    let counts = try merge(["a": SharedCounter(0)], { $0["a"]? += 1 }, { $0["a"]? += 1 })
    #expect(counts == ["a": 2])
    // Also to a new key.
    let ballots: [String: SharedCounter] = [:]
    let counted = try merge(ballots, { $0["a", default: 0] += 1 }, { $0["a", default: 0] += 2 })
    #expect(counted == ["a": 3])
    #expect(throws: WireError.self) { try merge(ballots, { $0["a"] = SharedCounter(.max) }, { $0["a"] = 1 }) }
    #expect(throws: WireError(.outOfRange(type: "SharedCounter"), at: 0)) {
      try merge(SharedCounter(1), { $0 += .max - 1 }, { $0 += 1 })
    }
  }

  @Test func aCaseOrAFieldOfAnotherVersionIsPassedOver() throws {
    #expect(try Item(id: 1).merging([0xa1, 0x18, 0x63, 0x01]) == Item(id: 1))
    #expect(try Position.nowhere.merging([0xa1, 0x18, 0x63, 0x01]) == .nowhere)
  }

  @Test(
    arguments: [
      ([0xa1, 0x03, 0x82, 0x01, 0xa1, 0x00, 0x09], .changedID),
      ([0xa1, 0x02, 0x82, 0x82, 0x00, 0x02, 0xa1, 0x00, 0x07], .unknownCase(2, type: "anchor of an element")),
      ([0xa1, 0x02, 0x82, 0x00, 0xa1, 0x00, 0x07], .typeMismatch(expected: "an array")),
      ([0xa1, 0x02, 0x84, 0x82, 1, 1, 0xa1, 0, 7, 0x82, 1, 1, 0xa1, 0, 8], .keysOutOfOrder),
      ([0xa1, 0x04, 0x80], .unknownCase(4, type: "change of an identified array")),
      ([0xa1, 0x03, 0x81, 0x01], .typeMismatch(expected: "an array of pairs")),
      ([0xa1, 0x03, 0x82, 0x09, 0x1f], .indefiniteLength),
    ] as [([UInt8], WireError.Problem)])
  func malformedChangesAreRefused(change: [UInt8], problem: WireError.Problem) {
    let base: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2)]
    var merged = base
    let error = #expect(throws: WireError.self) { try merged.merge(change: change.span.bytes) }
    #expect(error?.problem == problem)
    #expect(merged == base)
  }

  @Test func placesBeyondAnyOffsetAreTheEnd() throws {
    let base: IdentifiedArrayOf<Item> = [Item(id: 1)]
    let change: [UInt8] = [0xa1, 0x02, 0x82, 0x82, 0x1b, 255, 255, 255, 255, 255, 255, 255, 255, 0x81, 9, 0xa1, 0, 7]
    #expect(try base.merging(change).ids == [1, 7])
  }
}
