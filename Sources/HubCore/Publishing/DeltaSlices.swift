import Wire

/// The meaning of a delta of the whole state for one place in it.
enum DeltaSlice: Equatable {
  /// The place is as it was.
  case unchanged
  /// These bytes of the delta are the place's own delta.
  case changed(Range<Int>)
  /// Something above the place was replaced or removed: the place is another one, or gone.
  case replaced
  /// Elements were added: the place, which was not there, may be there now.
  case joined
}

/// A delta between two versions of a state, cut into slices for the places in a scope tree.
///
/// The memory is kept when it is used for another delta, and only places that the delta touches are visited.
struct DeltaSlices {
  /// The revision of the version that the delta starts from.
  private(set) var base: UInt64 = 0
  /// The bytes of the whole delta.
  private(set) var range = 0..<0
  /// The nodes whose slice is not `unchanged`, in ascending order.
  private(set) var touched: [Int] = []
  private var slices: [DeltaSlice] = []
  /// A slice is of this delta if its stamp is.
  private var stamps: [UInt32] = []
  private var stamp: UInt32 = 0

  /// The slice for a node.
  subscript(node: Int) -> DeltaSlice {
    node < stamps.count && stamps[node] == stamp ? slices[node] : .unchanged
  }

  /// Cuts a delta.
  ///
  /// In a delta, a map is a change inside the existing value, and anything else a new value; the keys of the map are
  /// the steps of the paths (`PathStep`), except those of an identified array, which are the kinds of its changes.
  ///
  /// - Parameters:
  ///   - delta: The bytes.
  ///   - range: Where they stand; the ranges of the slices count from there.
  ///   - base: The revision that the delta starts from.
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

  private mutating func set(_ node: Int, _ slice: DeltaSlice) {
    if stamps[node] != stamp {
      stamps[node] = stamp
      touched.append(node)
    }
    slices[node] = slice
  }

  private mutating func visit(_ node: Int, _ decoder: inout CBORDecoder, _ tree: ScopeTree) throws(WireError) {
    let start = decoder.offset
    // A change that changes nothing.
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

  /// Reads an id and finds the node of the element that has it.
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
  }

  /// Notes of the subscribers without a value, from a node on, that they may have one now.
  private mutating func setAbsent(_ node: Int, _ tree: ScopeTree) {
    if tree.nodes[node].absentCount > 0, self[node] == .unchanged { set(node, .joined) }
    for child in tree.nodes[node].absentChildren { setAbsent(child, tree) }
  }
}
