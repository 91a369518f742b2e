import Wire

/// What a delta of the whole state means for one place in it.
enum DeltaSlice: Equatable {
  /// Nothing.
  case unchanged
  /// These bytes of the delta are the place's own delta.
  case changed(Range<Int>)
  /// Something above the place was replaced or removed: the place is another one, or gone.
  case replaced
  /// Elements have come beside those that stayed: the place may be there again if it was not.
  case joined
}

extension ScopeTree {
  /// Cuts a delta of the whole state into what each place needs of it.
  ///
  /// In a delta, a map is a change inside the value that is there, and anything else a new value; the keys of the map are
  /// the steps of the paths (`PathStep`), but those of an identified array, which are the kinds of its changes.
  ///
  /// - Parameters:
  ///   - delta: The bytes.
  ///   - offset: Where they stand; the ranges of the slices count from there.
  ///   - slices: Gets one slice for each node, in their order.
  /// - Complexity: O(bytes of the delta + nodes).
  func slice(_ delta: RawSpan, at offset: Int, into slices: inout [DeltaSlice]) {
    let first = slices.count
    slices.append(contentsOf: repeatElement(.unchanged, count: nodes.count))
    var decoder = CBORDecoder(delta)
    var walk = Walk(nodes: nodes, first: first, origin: offset)
    do throws(WireError) {
      try walk.visit(Self.root, &decoder, &slices)
    } catch {
      preconditionFailure("a delta of our own is well-formed: \(error)")
    }
  }

  private struct Walk {
    let nodes: [Node]
    let first: Int
    let origin: Int

    mutating func visit(
      _ node: Int, _ decoder: inout CBORDecoder, _ slices: inout [DeltaSlice]
    ) throws(WireError) {
      let start = decoder.offset
      // A change that changes nothing.
      if decoder.isAtEmptyMap { return try decoder.skipOwn() }
      if nodes[node].isLeaf {
        try decoder.skipOwn()
      } else if try decoder.nextType() == .map {
        for _ in 0..<(try decoder.mapHeader()) {
          let key = try decoder.unsigned()
          if !nodes[node].elements.isEmpty {
            try visitElements(of: node, kind: key, &decoder, &slices)
          } else if let child = nodes[node].parts.first(where: { $0.key == key })?.node {
            try visit(child, &decoder, &slices)
          } else {
            try decoder.skipOwn()
          }
        }
      } else {
        try decoder.skipOwn()
        markBelow(node, .replaced, &slices)
      }
      slices[first + node] = .changed(origin + start..<origin + decoder.offset)
    }

    /// One kind of changes of an identified array or a stack: ids that were removed, moves, insertions, changes by id.
    private mutating func visitElements(
      of node: Int, kind: UInt64, _ decoder: inout CBORDecoder, _ slices: inout [DeltaSlice]
    ) throws(WireError) {
      switch kind {
      case 0:
        for _ in 0..<(try decoder.arrayHeader()) {
          guard let child = try element(of: node, &decoder) else { continue }
          slices[first + child] = .replaced
          markBelow(child, .replaced, &slices)
        }
      case 2:
        try decoder.skipOwn()
        for child in nodes[node].elements.values where slices[first + child] == .unchanged {
          slices[first + child] = .joined
          markBelow(child, .joined, &slices)
        }
      case 3:
        for _ in 0..<(try decoder.arrayHeader()) / 2 {
          if let child = try element(of: node, &decoder) {
            // What is changed was there before.
            slices[first + child] = .unchanged
            markBelow(child, .unchanged, &slices)
            try visit(child, &decoder, &slices)
          } else {
            try decoder.skipOwn()
          }
        }
      default:
        try decoder.skipOwn()
      }
    }

    /// Reads an id and finds the place of the element that has it.
    private func element(of node: Int, _ decoder: inout CBORDecoder) throws(WireError) -> Int? {
      let id = [UInt8](try decoder.nextItem())
      try decoder.skipOwn()
      return nodes[node].elements[id]
    }

    private func markBelow(_ node: Int, _ slice: DeltaSlice, _ slices: inout [DeltaSlice]) {
      for child in nodes[node].parts.map(\.node) + nodes[node].elements.values {
        slices[first + child] = slice
        markBelow(child, slice, &slices)
      }
    }
  }
}
