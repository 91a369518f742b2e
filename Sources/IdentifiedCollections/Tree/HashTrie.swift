/// Which leaves an id may be in: a persistent multimap from an id's hash to the labels of leaves.
///
/// Ids themselves stand only in the leaves, so that entries are plain bits: a node is copied without counting references to
/// ids, and nothing here is generic. A bucket splits sixteen ways by the next four bits of the hash when it holds more than
/// `bucketCapacity` entries; buckets of equal hashes grow without bound once the bits are used up.
///
/// - Complexity: O(log n) for every operation, for hashes that spread.
@usableFromInline
enum HashTrie {
  case bucket(ContiguousArray<Entry>)
  case branch(ContiguousArray<HashTrie>)

  @usableFromInline
  struct Entry: Hashable {
    var hash: UInt64
    var label: UInt64
  }

  /// What `find` found: nearly always at most one leaf.
  @usableFromInline
  enum Found {
    case nothing
    case one(UInt64)
    case several([UInt64])
  }

  @usableFromInline
  static var empty: Self { .bucket([]) }
  static var bucketCapacity: Int { 32 }
  private static var width: Int { 16 }

  @usableFromInline
  var isEmpty: Bool {
    if case .bucket(let entries) = self { entries.isEmpty } else { false }
  }

  @usableFromInline
  func find(_ hash: UInt64) -> Found {
    withUnsafePointer(to: self) { root in
      // Pointers, so that no reference is counted on the way: the root keeps all of it alive.
      var node = root
      var bits = hash
      while case .branch(let children) = node.pointee {
        node = children.withUnsafeBufferPointer { $0.baseAddress.unsafelyUnwrapped + Int(bits & 15) }
        bits >>= 4
      }
      guard case .bucket(let entries) = node.pointee else { return .nothing }
      return entries.withUnsafeBufferPointer { Self.find(hash, in: $0) }
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
    switch consume self {
    case .branch(var children):
      children[Self.slot(entry.hash, depth)].insert(entry, depth: depth + 1)
      self = .branch(children)
    case .bucket(var entries):
      if entries.count < Self.bucketCapacity || depth == 16 {
        entries.append(entry)
        self = .bucket(entries)
      } else {
        self = .branch(ContiguousArray(repeating: .empty, count: Self.width))
        for entry in entries { insert(entry, depth: depth) }
        insert(entry, depth: depth)
      }
    }
  }

  /// Notes that the id with this hash went from the leaf `old` to the leaf `new`.
  mutating func relabel(_ hash: UInt64, from old: UInt64, to new: UInt64) {
    relabel(Entry(hash: hash, label: old), to: new, depth: 0)
  }

  private mutating func relabel(_ entry: Entry, to label: UInt64, depth: Int) {
    switch consume self {
    case .branch(var children):
      children[Self.slot(entry.hash, depth)].relabel(entry, to: label, depth: depth + 1)
      self = .branch(children)
    case .bucket(var entries):
      entries[Self.index(of: entry, in: entries)].label = label
      self = .bucket(entries)
    }
  }

  mutating func remove(_ hash: UInt64, label: UInt64) {
    remove(Entry(hash: hash, label: label), depth: 0)
  }

  private mutating func remove(_ entry: Entry, depth: Int) {
    switch consume self {
    case .branch(var children):
      let slot = Self.slot(entry.hash, depth)
      children[slot].remove(entry, depth: depth + 1)
      self = children[slot].isEmpty ? Self.collapsed(children) : .branch(children)
    case .bucket(var entries):
      let last = entries.count - 1
      entries.swapAt(Self.index(of: entry, in: entries), last)
      entries.removeLast()
      self = .bucket(entries)
    }
  }

  /// One bucket in place of a branch whose buckets hold less than half a bucket together.
  private static func collapsed(_ children: ContiguousArray<HashTrie>) -> Self {
    var all: ContiguousArray<Entry> = []
    for child in children {
      guard case .bucket(let entries) = child, all.count + entries.count <= bucketCapacity / 2 else {
        return .branch(children)
      }
      all += entries
    }
    return .bucket(all)
  }

  private static func slot(_ hash: UInt64, _ depth: Int) -> Int {
    Int((hash >> (UInt64(depth) * 4)) & 15)
  }

  private static func index(of entry: Entry, in entries: ContiguousArray<Entry>) -> Int {
    guard let index = entries.firstIndex(of: entry) else {
      preconditionFailure("The id index has lost an entry: does an id change its hash while it is in an array?")
    }
    return index
  }

  /// Every entry, in no order. For `checkInvariants()`.
  var entries: [Entry] {
    switch self {
    case .bucket(let entries): Array(entries)
    case .branch(let children): children.flatMap(\.entries)
    }
  }
}
