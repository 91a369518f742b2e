/// Encodes a value piece by piece, each in a time that does not grow with the value.
///
/// The pieces joined are the value's bytes. The value is kept as it was, whatever becomes of copies of it. Arrays,
/// identified arrays and stacks of more than a few elements are left open where they stand and are encoded a run of
/// elements at a time; what is not in one of those is encoded at once, and so are a set, a dictionary and a string.
///
/// ```swift
/// var encoder = PiecewiseEncoder(state)
/// while let piece = encoder.next(limit: 60 * 1024) { send(piece) }
/// ```
public struct PiecewiseEncoder {
  /// Bytes with openings, and how far they were handed out.
  private struct Level {
    let bytes: [UInt8]
    var openings: ArraySlice<EncoderOpening>
    var position = 0
  }

  /// The outermost value first; each further one is a run of elements inside the one before.
  private var levels: [Level] = []

  /// Creates an encoder that stands at the beginning of a value.
  public init(_ value: some WireValue) {
    enter { value.encode(to: &$0) }
  }

  /// The next piece, of at most `limit` bytes; nil behind the last one.
  /// - Complexity: O(limit), and the size of the largest element that is no collection.
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

/// A place in encoded bytes where elements are still to be written.
struct EncoderOpening {
  /// The byte before which they belong.
  let offset: Int
  /// Writes the next elements, and says whether there are more.
  let encodeRun: (inout CBOREncoder) -> Bool
}

extension CBOREncoder {
  /// How many elements are always written at once.
  private static var elementsAtOnce: Int { 32 }
  /// How many bytes of elements are written in one run.
  private static var bytesOfRun: Int { 16 * 1024 }

  /// Writes an array of elements; see `PiecewiseEncoder` for what is different there.
  mutating func array<Elements: Collection>(_ elements: Elements) where Elements.Element: WireValue {
    arrayHeader(count: elements.count)
    guard openings != nil, elements.count > Self.elementsAtOnce else {
      for element in elements { element.encode(to: &self) }
      return
    }
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
