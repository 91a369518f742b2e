/// The memory of one element in a leaf, valid as long as its array is neither otherwise changed nor released.
@usableFromInline
struct Slot<ID, Element> {
  @usableFromInline let label: UInt64
  @usableFromInline let hash: UnsafeMutablePointer<UInt64>
  @usableFromInline let mark: UnsafeMutablePointer<UInt8>
  @usableFromInline let id: UnsafeMutablePointer<ID>
  @usableFromInline let element: UnsafeMutablePointer<Element>

  @inlinable
  init(_ leaf: AnyLeaf, _ slot: Int) {
    let leaf = unsafeDowncast(leaf, to: Leaf<ID, Element>.self)
    label = leaf.label
    hash = leaf.hashes + slot
    mark = leaf.marks + slot
    id = leaf.ids + slot
    element = leaf.elements + slot
  }
}

extension IdentifiedArray {
  @inlinable
  func slot(at position: Int) -> Slot<ID, Element> {
    if tree.height == 0 { return Slot(unsafeDowncast(tree.root.unsafelyUnwrapped, to: AnyLeaf.self), position) }
    let (leaf, slot) = tree.leaf(at: position)
    return leaf._withUnsafeGuaranteedRef { Slot($0, slot) }
  }

  @inlinable
  func slot(_ place: Place) -> Slot<ID, Element> {
    if tree.height == 0 { return Slot(unsafeDowncast(tree.root.unsafelyUnwrapped, to: AnyLeaf.self), place.slot) }
    return tree.leaf(labelled: place.label)._withUnsafeGuaranteedRef { Slot($0, place.slot) }
  }

  /// The slot at `position`, for changes: no other version shares it.
  @inlinable
  mutating func uniqueSlot(at position: Int) -> Slot<ID, Element> {
    let (leaf, slot) = tree.uniqueLeaf(at: position)
    return Slot(leaf, slot)
  }

  @inlinable
  mutating func uniqueSlot(_ place: Place) -> Slot<ID, Element> {
    Slot(tree.uniqueLeaf(labelled: place.label), place.slot)
  }

  /// Inserts an element with a new id before `position`.
  @inlinable
  mutating func insertNew(_ element: Element, id: ID, hash: UInt64, at position: Int) {
    let (leaf, index) = tree.open(at: position, hash: hash) {
      Leaf<ID, Element>(label: OrderTree.firstLabel, capacity: 4)
    }
    let slot = Slot<ID, Element>(leaf, index)
    slot.id.initialize(to: id)
    slot.element.initialize(to: element)
  }

  /// Removes the element at `position`.
  @inlinable
  mutating func take(at position: Int) -> (element: Element, id: ID, hash: UInt64) {
    let slot = uniqueSlot(at: position)
    let taken = (slot.element.move(), slot.id.move(), slot.hash.pointee)
    tree.close(at: position)
    return taken
  }
}
