/// Up to 32 adjacent elements with their ids. Only this file and `AnyLeaf.swift` allocate and move their memory; `Slot`
/// lends it. As in all nodes, there is no run-time exclusivity check.
@usableFromInline
final class Leaf<ID, Element>: AnyLeaf {
  @exclusivity(unchecked) @usableFromInline
  var ids: UnsafeMutablePointer<ID>

  @exclusivity(unchecked) @usableFromInline
  var elements: UnsafeMutablePointer<Element>

  @usableFromInline
  override init(label: UInt64, capacity: Int) {
    ids = .allocate(capacity: capacity)
    elements = .allocate(capacity: capacity)
    super.init(label: label, capacity: capacity)
  }

  deinit {
    ids.deinitialize(count: count)
    elements.deinitialize(count: count)
    ids.deallocate()
    elements.deallocate()
  }

  @usableFromInline
  override func copied() -> Node {
    let copy = Leaf(label: label, capacity: capacity)
    copy.count = count
    copy.hashes.initialize(from: hashes, count: count)
    copy.marks.initialize(from: marks, count: count)
    copy.ids.initialize(from: ids, count: count)
    copy.elements.initialize(from: elements, count: count)
    return copy
  }

  @usableFromInline
  override func emptySibling(label: UInt64) -> AnyLeaf {
    Leaf(label: label, capacity: capacity)
  }

  @usableFromInline
  override func reserve(_ minimum: Int) {
    guard minimum > capacity else { return }
    let larger = min(AnyLeaf.maximum, max(minimum, capacity * 2))
    let moved = Leaf(label: label, capacity: larger)
    moveElements(from: 0, to: moved, at: 0)
    swap(&hashes, &moved.hashes)
    swap(&marks, &moved.marks)
    swap(&ids, &moved.ids)
    swap(&elements, &moved.elements)
    swap(&capacity, &moved.capacity)
    swap(&count, &moved.count)
  }

  @usableFromInline
  override func openHole(at slot: Int) {
    reserve(count + 1)
    let after = count - slot
    (hashes + slot + 1).moveInitialize(from: hashes + slot, count: after)
    (marks + slot + 1).moveInitialize(from: marks + slot, count: after)
    (ids + slot + 1).moveInitialize(from: ids + slot, count: after)
    (elements + slot + 1).moveInitialize(from: elements + slot, count: after)
    count += 1
  }

  @usableFromInline
  override func closeHole(at slot: Int) {
    let after = count - slot - 1
    (hashes + slot).moveInitialize(from: hashes + slot + 1, count: after)
    (marks + slot).moveInitialize(from: marks + slot + 1, count: after)
    (ids + slot).moveInitialize(from: ids + slot + 1, count: after)
    (elements + slot).moveInitialize(from: elements + slot + 1, count: after)
    count -= 1
  }

  @usableFromInline
  override func moveElements(from start: Int, to other: AnyLeaf, at slot: Int) {
    let other = unsafeDowncast(other, to: Leaf.self)
    let moving = count - start
    let after = other.count - slot
    other.reserve(other.count + moving)
    (other.hashes + slot + moving).moveInitialize(from: other.hashes + slot, count: after)
    (other.marks + slot + moving).moveInitialize(from: other.marks + slot, count: after)
    (other.ids + slot + moving).moveInitialize(from: other.ids + slot, count: after)
    (other.elements + slot + moving).moveInitialize(from: other.elements + slot, count: after)
    (other.hashes + slot).moveInitialize(from: hashes + start, count: moving)
    (other.marks + slot).moveInitialize(from: marks + start, count: moving)
    (other.ids + slot).moveInitialize(from: ids + start, count: moving)
    (other.elements + slot).moveInitialize(from: elements + start, count: moving)
    other.count += moving
    count = start
  }
}

extension Leaf where ID: Equatable {
  /// The slot of `id`, whose hash is `hash`.
  ///
  /// Eight marks are compared in one word: a byte of `different` is zero where a mark is equal, and the lowest high bit
  /// of `equal` is at the lowest such byte. Higher bits may be wrong, so each is checked.
  @inlinable
  func slot(of id: ID, hash: UInt64) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let pattern = UInt64(AnyLeaf.mark(hash)) &* ones
    let words = UnsafeRawPointer(marks).assumingMemoryBound(to: UInt64.self)
    for start in stride(from: 0, to: count, by: 8) {
      let different = UInt64(littleEndian: words[start &>> 3]) ^ pattern
      var equal = (different &- ones) & ~different & (ones &<< 7)
      while equal != 0 {
        let slot = start &+ equal.trailingZeroBitCount &>> 3
        if slot >= count { return nil }
        if ids[slot] == id { return slot }
        equal &= equal &- 1
      }
    }
    return nil
  }
}
