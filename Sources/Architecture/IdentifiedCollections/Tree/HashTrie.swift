/// The leaves that may contain an id: a persistent multimap from an id's hash to labels of leaves.
///
/// Only the leaves contain the ids themselves, so entries are plain bits: copying a bucket counts no references, and
/// nothing here is generic. A bucket with more than `bucketCapacity` entries splits eight ways by the next three bits of
/// the hash. Buckets of equal hashes grow without bound once the bits are used up.
///
/// Each change of a shared trie copies one branch for each level and counts a reference for each of its children, most
/// of which are not cached in a large trie: eight children in more levels are fewer than sixteen.
///
/// - Complexity: O(log n) for every operation if the hashes are well distributed.
@usableFromInline
struct HashTrie {
  /// Not empty in a branch. There are two arrays instead of an enum, because an enum would hide its pointers from leak
  /// detectors.
  private var children: ContiguousArray<HashTrie> = []
  /// Empty in a branch.
  private var bucket: ContiguousArray<Entry> = []

  @usableFromInline
  struct Entry: Hashable {
    var hash: UInt64
    var label: UInt64
  }

  /// The result of `find`: nearly always at most one leaf.
  @usableFromInline
  enum Found {
    case nothing
    case one(UInt64)
    case several([UInt64])
  }

  @usableFromInline
  static var empty: Self { Self() }
  static var bucketCapacity: Int { 32 }
  private static var bitsPerLevel: Int { 3 }
  private static var width: Int { 1 << bitsPerLevel }
  private static var deepest: Int { UInt64.bitWidth / bitsPerLevel }

  @usableFromInline
  var isEmpty: Bool {
    children.isEmpty && bucket.isEmpty
  }

  @usableFromInline
  func find(_ hash: UInt64) -> Found {
    withUnsafePointer(to: self) { root in
      // Unmanaged pointers, so that no references are counted on the path: the root keeps all nodes alive.
      var node = root
      var bits = hash
      while !node.pointee.children.isEmpty {
        let slot = Int(truncatingIfNeeded: bits) & (Self.width - 1)
        node = node.pointee.children.withUnsafeBufferPointer { $0.baseAddress.unsafelyUnwrapped + slot }
        bits &>>= UInt64(Self.bitsPerLevel)
      }
      return node.pointee.bucket.withUnsafeBufferPointer { Self.find(hash, in: $0) }
    }
  }

  private static func find(_ hash: UInt64, in entries: UnsafeBufferPointer<Entry>) -> Found {
    guard let first = entries.firstIndex(where: { $0.hash == hash }) else { return .nothing }
    guard entries[(first + 1)...].contains(where: { $0.hash == hash }) else { return .one(entries[first].label) }
    return .several(entries.filter { $0.hash == hash }.map(\.label))
  }

  mutating func insert(_ hash: UInt64, label: UInt64) {
    insert(Entry(hash: hash, label: label), depth: 0)
  }

  private mutating func insert(_ entry: Entry, depth: Int) {
    if children.isEmpty {
      if bucket.count < Self.bucketCapacity || depth == Self.deepest { return bucket.append(entry) }
      children = ContiguousArray(repeating: .empty, count: Self.width)
      for entry in bucket { children[Self.slot(entry.hash, depth)].insert(entry, depth: depth + 1) }
      bucket = []
    }
    children[Self.slot(entry.hash, depth)].insert(entry, depth: depth + 1)
  }

  /// Records that the id with this hash moved from the leaf `old` to the leaf `new`.
  mutating func relabel(_ hash: UInt64, from old: UInt64, to new: UInt64) {
    relabel(Entry(hash: hash, label: old), to: new, depth: 0)
  }

  private mutating func relabel(_ entry: Entry, to label: UInt64, depth: Int) {
    if children.isEmpty {
      bucket[index(of: entry)].label = label
    } else {
      children[Self.slot(entry.hash, depth)].relabel(entry, to: label, depth: depth + 1)
    }
  }

  mutating func remove(_ hash: UInt64, label: UInt64) {
    remove(Entry(hash: hash, label: label), depth: 0)
  }

  private mutating func remove(_ entry: Entry, depth: Int) {
    if children.isEmpty {
      bucket.swapAt(index(of: entry), bucket.count - 1)
      bucket.removeLast()
    } else {
      let slot = Self.slot(entry.hash, depth)
      children[slot].remove(entry, depth: depth + 1)
      if children[slot].isEmpty { collapse() }
    }
  }

  /// Turns a branch into a bucket if its buckets contain at most half a bucket of entries together.
  private mutating func collapse() {
    var all: ContiguousArray<Entry> = []
    for child in children {
      guard child.children.isEmpty, all.count + child.bucket.count <= Self.bucketCapacity / 2 else { return }
      all += child.bucket
    }
    self = Self(bucket: all)
  }

  private static func slot(_ hash: UInt64, _ depth: Int) -> Int {
    Int(truncatingIfNeeded: hash >> UInt64(depth * bitsPerLevel)) & (width - 1)
  }

  private func index(of entry: Entry) -> Int {
    guard let index = bucket.firstIndex(of: entry) else {
      preconditionFailure("The id index has lost an entry: does an id change its hash while it is in an array?")
    }
    return index
  }

  /// All entries, in no particular order. For tests.
  var entries: [Entry] {
    bucket + children.flatMap(\.entries)
  }
}
