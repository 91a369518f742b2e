/// What the balancing of the tree needs of a leaf, whatever its elements are: it moves them about without knowing them.
///
/// Balancing is therefore compiled once, here, not once per element type in every client.
@usableFromInline
class AnyLeaf: Node {
  /// The hashes of the ids in order, kept so that a search compares words and a move between leaves hashes nothing.
  @exclusivity(unchecked) @usableFromInline
  final var hashes: UnsafeMutablePointer<UInt64>

  /// A byte of each hash, in order, for the search: eight of them are compared at once, and all are one or two cache lines.
  /// The bytes past `count` mean nothing.
  @exclusivity(unchecked) @usableFromInline
  final var marks: UnsafeMutablePointer<UInt8>

  @exclusivity(unchecked) @usableFromInline
  final var capacity: Int

  @usableFromInline
  static var maximum: Int { 64 }

  /// How many elements a tree that grows at its end puts into each leaf but the first. Without room the first insertion
  /// anywhere amid them would split a leaf and enter 32 ids anew, each in a part of the index that no cache holds.
  static var filled: Int { 56 }

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

  /// Enters the hash of the element in `slot`.
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

  /// Makes `slot` an uninitialised slot. The caller fills it before anything else happens to the leaf.
  @usableFromInline
  func openHole(at slot: Int) { fatalError("abstract") }

  /// Closes `slot`, which the caller has emptied.
  @usableFromInline
  func closeHole(at slot: Int) { fatalError("abstract") }

  /// Moves all elements from `start` on to `other`, a leaf of the same type, before its element `slot`.
  @usableFromInline
  func moveElements(from start: Int, to other: AnyLeaf, at slot: Int) { fatalError("abstract") }
}
