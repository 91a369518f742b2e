import Wire

/// The effect of a delta of the whole state on one place in it.
enum DeltaSlice: Equatable {
  /// The place has not changed.
  case unchanged
  /// These bytes of the delta are the place's own delta.
  case changed(Range<Int>)
  /// A value that contains the place was replaced or removed: the place has a new value or none.
  case replaced
  /// Elements were inserted: the place, which was absent, may exist now.
  case joined
  /// The collection of a window has changed; whether the window has, only the versions tell.
  case viewed
}

/// A delta between two versions of a state, cut into slices for the places in a scope tree.
///
/// Its memory is reused for other deltas, and only places that the delta touches are visited.
struct DeltaSlices {
  /// The revision of the delta's base.
  private(set) var base: UInt64 = 0
  /// The bytes of the whole delta.
  private(set) var range = 0..<0
  /// The nodes whose slice is not `unchanged`, in ascending order.
  private(set) var touched: [Int] = []
  private var slices: [DeltaSlice] = []
  /// A slice belongs to this delta if its stamp is equal.
  private var stamps: [UInt32] = []
  private var stamp: UInt32 = 0

  /// The slice for a node.
  subscript(node: Int) -> DeltaSlice {
    node < stamps.count && stamps[node] == stamp ? slices[node] : .unchanged
  }

  /// Cuts a delta.
  ///
  /// In a delta, a map is a change inside the existing value, and any other item a new value. The keys of a map are the
  /// steps of paths (`PathStep`), except in an identified array, where they are the kinds of its changes.
  ///
  /// - Parameters:
  ///   - delta: The bytes.
  ///   - range: The range of the bytes in the output; the slices are ranges in the same output.
  ///   - base: The revision of the delta's base.
  ///   - tree: The places.
  /// - Complexity: O(bytes of the delta + places that it touches).
  mutating func cut(_ delta: RawSpan, at range: Range<Int>, from base: UInt64, for tree: ScopeTree) {
    (self.base, self.range) = (base, range)
    stamp &+= 1
    if stamp == 0 { (stamps, stamp) = (Array(repeating: 0, count: stamps.count), 1) }
    touched.removeAll(keepingCapacity: true)
    while stamps.count < tree.nodes.count {
      stamps.append(0)
      slices.append(.unchanged)
    }
    var decoder = CBORDecoder(delta)
    do throws(WireError) {
      try visit(ScopeTree.root, &decoder, tree)
    } catch {
      preconditionFailure("a delta of our own is well-formed: \(error)")
    }
    touched.sort()
  }

  /// Records the delta of a window, or that it has not changed.
  mutating func resolve(_ node: Int, as slice: DeltaSlice) { slices[node] = slice }

  private mutating func set(_ node: Int, _ slice: DeltaSlice) {
    if stamps[node] != stamp {
      stamps[node] = stamp
      touched.append(node)
    }
    slices[node] = slice
  }

  private mutating func visit(_ node: Int, _ decoder: inout CBORDecoder, _ tree: ScopeTree) throws(WireError) {
    let start = decoder.offset
    // A change without effect.
    if decoder.isAtEmptyMap { return try decoder.skipOwn() }
    if tree.nodes[node].isLeaf {
      try decoder.skipOwn()
    } else if try decoder.nextType() == .map {
      for _ in 0..<(try decoder.mapHeader()) {
        let key = try decoder.unsigned()
        if !tree.nodes[node].elements.isEmpty {
          try visitElements(of: node, kind: key, &decoder, tree)
        } else if let child = tree.nodes[node].parts.first(where: { $0.key == key })?.node {
          try visit(child, &decoder, tree)
        } else {
          try decoder.skipOwn()
        }
      }
    } else {
      try decoder.skipOwn()
      setBelow(node, .replaced, tree)
    }
    for window in tree.nodes[node].windows { set(window.node, .viewed) }
    set(node, .changed(range.lowerBound + start..<range.lowerBound + decoder.offset))
  }

  /// Visits one kind of changes of an identified array or a stack: removed ids, moves, insertions, changes by id.
  private mutating func visitElements(
    of node: Int, kind: UInt64, _ decoder: inout CBORDecoder, _ tree: ScopeTree
  ) throws(WireError) {
    switch kind {
    case 0:
      for _ in 0..<(try decoder.arrayHeader()) {
        guard let child = try element(of: node, &decoder, tree) else { continue }
        set(child, .replaced)
        setBelow(child, .replaced, tree)
      }
    case 2:
      try decoder.skipOwn()
      for child in tree.nodes[node].absentChildren { setAbsent(child, tree) }
    case 3:
      for _ in 0..<(try decoder.arrayHeader()) / 2 {
        if let child = try element(of: node, &decoder, tree) {
          try visit(child, &decoder, tree)
        } else {
          try decoder.skipOwn()
        }
      }
    default:
      try decoder.skipOwn()
    }
  }

  /// Reads an id and finds the node of the element with that id.
  private func element(
    of node: Int, _ decoder: inout CBORDecoder, _ tree: ScopeTree
  ) throws(WireError) -> Int? {
    let key = ElementKey(try decoder.nextItem())
    try decoder.skipOwn()
    return tree.nodes[node].elements[key]
  }

  private mutating func setBelow(_ node: Int, _ slice: DeltaSlice, _ tree: ScopeTree) {
    for part in tree.nodes[node].parts {
      set(part.node, slice)
      setBelow(part.node, slice, tree)
    }
    for child in tree.nodes[node].elements.values {
      set(child, slice)
      setBelow(child, slice, tree)
    }
    for window in tree.nodes[node].windows { set(window.node, slice) }
  }

  /// Marks the subscribers without a value, from a node on, as possibly having one now.
  private mutating func setAbsent(_ node: Int, _ tree: ScopeTree) {
    if tree.nodes[node].absentCount > 0, self[node] == .unchanged { set(node, .joined) }
    for child in tree.nodes[node].absentChildren { setAbsent(child, tree) }
  }
}
