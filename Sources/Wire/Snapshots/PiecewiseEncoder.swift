/// Encodes a value piece by piece, each in a time that is independent of the value's size.
///
/// The concatenated pieces are the value's bytes. Changes of copies do not affect the encoded value. Arrays, identified
/// arrays and stacks with more than a few elements are encoded one run of elements at a time. Everything else is
/// encoded at once, including sets, dictionaries and strings.
///
/// ```swift
/// var encoder = PiecewiseEncoder(state)
/// while let piece = encoder.next(limit: 60 * 1024) { send(piece) }
/// ```
public struct PiecewiseEncoder {
  /// Bytes with openings, and the number of bytes already returned.
  private struct Level {
    let bytes: [UInt8]
    var openings: ArraySlice<EncoderOpening>
    var position = 0
  }

  /// The outermost value first; each further level is a run of elements of the previous one.
  private var levels: [Level] = []

  /// Creates an encoder at the beginning of a value.
  public init(_ value: some WireValue) {
    enter { value.encode(to: &$0) }
  }

  /// Returns the next piece, of at most `limit` bytes; nil after the last one.
  /// - Complexity: O(limit) plus the size of the largest element that is not a collection.
  public mutating func next(limit: Int) -> [UInt8]? {
    precondition(limit > 0, "a piece has room for something")
    var piece: [UInt8] = []
    while piece.count < limit, let level = levels.indices.last {
      let end = levels[level].openings.first?.offset ?? levels[level].bytes.count
      let start = levels[level].position
      if start < end {
        levels[level].position = min(end, start + limit - piece.count)
        piece += levels[level].bytes[start..<levels[level].position]
      } else if let opening = levels[level].openings.first {
        var hasMore = true
        enter { hasMore = opening.encodeRun(&$0) }
        if !hasMore { levels[level].openings.removeFirst() }
      } else {
        levels.removeLast()
      }
    }
    return piece.isEmpty ? nil : piece
  }

  private mutating func enter(_ encode: (inout CBOREncoder) -> Void) {
    var encoder = CBOREncoder()
    encoder.openings = []
    encode(&encoder)
    levels.append(Level(bytes: encoder.bytes, openings: encoder.openings?[...] ?? []))
  }
}

/// A place in encoded bytes whose elements are not written yet.
struct EncoderOpening {
  /// The offset at which the elements are inserted.
  let offset: Int
  /// Writes the next elements; returns true if there are more.
  let encodeRun: (inout CBOREncoder) -> Bool
}

extension CBOREncoder {
  /// The number of elements that are always written at once.
  @usableFromInline static var elementsAtOnce: Int { 32 }
  /// The number of bytes of elements in one run.
  private static var bytesOfRun: Int { 16 * 1024 }

  /// Writes an array of elements, which a `PiecewiseEncoder` may split.
  @inlinable
  mutating func array<Elements: Collection>(_ elements: Elements) where Elements.Element: WireValue {
    guard elements.count > Self.elementsAtOnce else { return wholeArray(elements) }
    longArray(elements)
  }

  @inlinable
  mutating func wholeArray<Elements: Collection>(_ elements: Elements) where Elements.Element: WireValue {
    arrayHeader(count: elements.count)
    for element in elements { element.encode(to: &self) }
  }

  @usableFromInline
  mutating func longArray<Elements: Collection>(_ elements: Elements) where Elements.Element: WireValue {
    guard openings != nil else { return wholeArray(elements) }
    arrayHeader(count: elements.count)
    var rest = elements.makeIterator()
    var next = rest.next()
    let offset = count
    openings?.append(
      EncoderOpening(offset: offset) { encoder in
        let start = encoder.count
        while let element = next, encoder.count - start < Self.bytesOfRun {
          element.encode(to: &encoder)
          next = rest.next()
        }
        return next != nil
      })
  }
}
