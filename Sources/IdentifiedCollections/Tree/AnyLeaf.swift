/// What the balancing of the tree needs of a leaf, whatever its elements are: it moves them about without knowing them.
///
/// Balancing is therefore compiled once, here, not once per element type in every client.
@usableFromInline
class AnyLeaf: Node {
  /// The hashes of the ids in order, kept so that a search compares words and a move between leaves hashes nothing.
  @exclusivity(unchecked) @usableFromInline
  final var hashes: UnsafeMutablePointer<UInt64>

  @exclusivity(unchecked) @usableFromInline
  final var capacity: Int

  @usableFromInline
  static var maximum: Int { 64 }

  @usableFromInline
  init(label: UInt64, capacity: Int, hashes: UnsafeMutablePointer<UInt64>) {
    self.capacity = capacity
    self.hashes = hashes
    super.init(label: label)
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
