internal import IdentifiedCollections

// Where a delta has the offset of a moved or inserted element, a change has its place, `[offset in the result, anchor]`.

extension IdentifiedChanges {
  /// The offset in the result from which all elements up to its end are moved or inserted.
  @usableFromInline
  func firstAtEnd(of count: Int) -> Int {
    var (first, moved, inserted) = (count, moved[...], inserted[...])
    while first > 0 {
      if moved.last?.offset == first - 1 {
        moved.removeLast()
      } else if inserted.last?.offset == first - 1 {
        inserted.removeLast()
      } else {
        break
      }
      first -= 1
    }
    return first
  }
}

extension CBOREncoder {
  /// Writes `[offset, anchor]`.
  @usableFromInline
  mutating func place(_ offset: Int, isAtEnd: Bool, after previous: (some WireValue)?) {
    arrayHeader(count: 2)
    unsigned(UInt64(offset))
    if let previous, !isAtEnd {
      arrayHeader(count: 1)
      previous.encode(to: &self)
    } else {
      unsigned(isAtEnd ? 1 : 0)
    }
  }
}

/// The place of an element that a change moves or inserts.
private struct Place<ID: WireValue> {
  enum Anchor {
    case start, end
    case after(ID)
  }

  let offset: UInt64
  let anchor: Anchor

  init(_ decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    offset = try decoder.unsigned()
    guard try decoder.nextType() != .array else {
      try decoder.tuple(1)
      anchor = .after(try ID(from: &decoder))
      return
    }
    let start = decoder.offset
    switch try decoder.unsigned() {
    case 0: anchor = .start
    case 1: anchor = .end
    case let key: throw WireError(.unknownCase(key, type: "anchor of an element"), at: start)
    }
  }
}

/// Elements with their places in a result, in ascending order of offsets.
private typealias Places<Element: Identifiable> = [(place: Place<Element.ID>, element: Element)]
where Element.ID: WireValue

extension IdentifiedArray where Element: Replicated & Identifiable, ID == Element.ID, ID: WireValue {
  /// Merges `{? 0: removed, ? 1: moved, ? 2: inserted, ? 3: changed}`.
  ///
  /// The ids of removed, moved and changed elements that are gone are passed over. An inserted element with an id that
  /// exists replaces that element where it is.
  /// - Complexity: O(k log n) for k changes.
  mutating func mergeParts(_ decoder: inout CBORDecoder) throws(WireError) {
    var (moved, inserted): (Places<Element>, Places<Element>) = ([], [])
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: for _ in 0..<(try decoder.arrayHeader()) { remove(id: try ID(from: &decoder)) }
      case 1:
        moved = try Self.places(&decoder) { (decoder) throws(WireError) in remove(id: try ID(from: &decoder)) }
      case 2:
        inserted = try Self.places(&decoder) { (decoder) throws(WireError) in try Self.element(&decoder) }
      case 3:
        place(moved, inserted)
        (moved, inserted) = ([], [])
        try update(&decoder)
      case let key: throw WireError(.unknownCase(key, type: "change of an identified array"), at: decoder.offset)
      }
    }
    place(moved, inserted)
  }

  private static func places(
    _ decoder: inout CBORDecoder, _ element: (inout CBORDecoder) throws(WireError) -> Element?
  ) throws(WireError) -> Places<Element> {
    var (places, previous): (Places<Element>, UInt64?) = ([], nil)
    for _ in 0..<(try decoder.pairsHeader()) {
      let start = decoder.offset
      let place = try Place<ID>(&decoder)
      if let previous, place.offset <= previous { throw WireError(.keysOutOfOrder, at: start) }
      previous = place.offset
      if let element = try element(&decoder) { places.append((place, element)) }
    }
    return places
  }

  /// Inserts the elements of both lists in ascending order of offsets, so that each finds the one before it.
  private mutating func place(_ moved: Places<Element>, _ inserted: Places<Element>) {
    var (moved, inserted) = (moved[...], inserted[...])
    func next() -> Places<Element>.Element? {
      guard let move = moved.first, let insertion = inserted.first else {
        return moved.popFirst() ?? inserted.popFirst()
      }
      return move.place.offset <= insertion.place.offset ? moved.popFirst() : inserted.popFirst()
    }
    while let next = next() { updateOrInsert(next.element, at: offset(of: next.place)) }
  }

  private func offset(of place: Place<ID>) -> Int {
    switch place.anchor {
    case .start: return 0
    case .end: return count
    case .after(let id):
      if let index = index(id: id) { return index + 1 }
      return Int(Swift.min(place.offset, UInt64(count)))
    }
  }
}
