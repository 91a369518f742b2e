/// The type-erased interface of a leaf for balancing the tree.
///
/// With it, balancing is compiled once, here, and not once per element type in every client. As in all nodes, there is no
/// run-time exclusivity check.
@usableFromInline
class AnyLeaf: Node {
  /// The hashes of the ids in order, so that a search compares words and a move between leaves need not hash.
  @exclusivity(unchecked) @usableFromInline
  final var hashes: UnsafeMutablePointer<UInt64>

  /// A byte of each hash, in order, for the search: eight are compared at once, and all are in one or two cache lines.
  /// The bytes after `count` are undefined.
  @exclusivity(unchecked) @usableFromInline
  final var marks: UnsafeMutablePointer<UInt8>

  @exclusivity(unchecked) @usableFromInline
  final var capacity: Int

  @usableFromInline
  static var maximum: Int { 32 }

  /// The number of elements in each leaf but the first of a tree that grows at its end. Without free space, the first
  /// insertion among them would split a leaf and re-enter 16 ids, each in a part of the index that is not cached.
  static var filled: Int { 28 }

  @usableFromInline
  init(label: UInt64, capacity: Int) {
    self.capacity = capacity
    hashes = .allocate(capacity: capacity)
    let words = (capacity + 7) / 8
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: words * 8, alignment: 8)
    bytes.initializeMemory(as: UInt64.self, repeating: 0, count: words)
    marks = bytes.assumingMemoryBound(to: UInt8.self)
    super.init(label: label)
  }

  deinit {
    hashes.deallocate()
    marks.deallocate()
  }

  @inlinable
  static func mark(_ hash: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: hash >> 56)
  }

  /// Sets the hash of the element in `slot`.
  @usableFromInline
  final func setHash(_ hash: UInt64, at slot: Int) {
    hashes[slot] = hash
    marks[slot] = AnyLeaf.mark(hash)
  }

  /// An empty leaf for elements of the same type.
  @usableFromInline
  func emptySibling(label: UInt64) -> AnyLeaf { fatalError("abstract") }

  @usableFromInline
  func reserve(_ minimum: Int) { fatalError("abstract") }

  /// Opens an uninitialised slot at `slot`. The caller must fill it before any other operation on the leaf.
  @usableFromInline
  func openHole(at slot: Int) { fatalError("abstract") }

  /// Closes `slot`, which the caller has emptied.
  @usableFromInline
  func closeHole(at slot: Int) { fatalError("abstract") }

  /// Moves all elements from `start` on to `other`, a leaf of the same type, before its element at `slot`.
  @usableFromInline
  func moveElements(from start: Int, to other: AnyLeaf, at slot: Int) { fatalError("abstract") }
}
