public import IdentifiedCollections

/// The changes between two versions of an identified array, grouped by kind.
@usableFromInline
struct IdentifiedChanges<Element: Replicated & Identifiable> where Element.ID: WireValue {
  @usableFromInline var removed: [Element.ID] = []
  @usableFromInline var moved: [(offset: Int, id: Element.ID)] = []
  @usableFromInline var inserted: [(offset: Int, element: Element)] = []
  @usableFromInline var updated: [(id: Element.ID, old: Element, new: Element)] = []

  @inlinable var count: Int { removed.count + moved.count + inserted.count + updated.count }

  @inlinable
  init(from base: IdentifiedArrayOf<Element>, to result: IdentifiedArrayOf<Element>) {
    result.visitChanges(from: base, by: { !$1.differs(from: $0) }) { change in
      switch change {
      case .remove(let id, _, _): removed.append(id)
      case .move(let id, _, let offset): moved.append((offset, id))
      case .insert(_, let element, let offset): inserted.append((offset, element))
      case .update(let id, let old, let new, _): updated.append((id, old, new))
      }
    }
  }

  /// Writes the changes that lead to `result`.
  @inlinable
  func encode(in result: IdentifiedArrayOf<Element>, to encoder: inout CBOREncoder) {
    guard encoder.isMerging else { return encode(to: &encoder) { $1.unsigned(UInt64($0)) } }
    let end = firstAtEnd(of: result.count)
    encode(to: &encoder) { offset, encoder in
      encoder.place(offset, isAtEnd: offset >= end, after: offset > 0 ? result[offset - 1].id : nil)
    }
  }

  @inlinable
  func encode(to encoder: inout CBOREncoder, _ place: (Int, inout CBOREncoder) -> Void) {
    encoder.mapHeader(
      count: (removed.isEmpty ? 0 : 1) + (moved.isEmpty ? 0 : 1) + (inserted.isEmpty ? 0 : 1)
        + (updated.isEmpty ? 0 : 1))
    if !removed.isEmpty {
      encoder.unsigned(0)
      encoder.arrayHeader(count: removed.count)
      for id in removed { id.encode(to: &encoder) }
    }
    if !moved.isEmpty {
      encoder.unsigned(1)
      encoder.arrayHeader(count: 2 * moved.count)
      for (offset, id) in moved {
        place(offset, &encoder)
        id.encode(to: &encoder)
      }
    }
    if !inserted.isEmpty {
      encoder.unsigned(2)
      encoder.arrayHeader(count: 2 * inserted.count)
      for (offset, element) in inserted {
        place(offset, &encoder)
        element.encode(to: &encoder)
      }
    }
    if !updated.isEmpty {
      encoder.unsigned(3)
      encoder.arrayHeader(count: 2 * updated.count)
      for (id, old, new) in updated {
        id.encode(to: &encoder)
        new.encodeDelta(from: old, to: &encoder)
      }
    }
  }
}

/// Elements with their positions in the result.
struct Placing<Element> {
  /// The moved and the inserted elements, each in ascending order of positions.
  private var lists: [[(position: Int, element: Element)]] = []

  /// Reads positions, each followed by a value that `element` reads.
  mutating func read(
    _ decoder: inout CBORDecoder, _ element: (inout CBORDecoder) throws(WireError) -> Element
  ) throws(WireError) {
    var list: [(position: Int, element: Element)] = []
    for _ in 0..<(try decoder.pairsHeader()) {
      let start = decoder.offset
      guard let position = Int(exactly: try decoder.unsigned()), position > list.last?.position ?? -1 else {
        throw WireError(.keysOutOfOrder, at: start)
      }
      list.append((position, try element(&decoder)))
    }
    lists.append(list)
  }

  /// Adds elements in ascending order of their positions.
  mutating func append(_ list: [(position: Int, element: Element)]) { lists.append(list) }

  /// All elements, ordered by position.
  var ordered: [(position: Int, element: Element)] {
    guard lists.count > 1 else { return lists.first ?? [] }
    return lists.flatMap(\.self).sorted { $0.position < $1.position }
  }
}

extension CBORDecoder {
  /// Begins an array of pairs that are not nested in arrays, and returns their number.
  @_lifetime(self: copy self)
  mutating func pairsHeader() throws(WireError) -> Int {
    let start = offset
    let count = try arrayHeader()
    guard count.isMultiple(of: 2) else { throw WireError(.typeMismatch(expected: "an array of pairs"), at: start) }
    return count / 2
  }
}
