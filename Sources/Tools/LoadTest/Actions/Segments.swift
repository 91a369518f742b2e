internal import RandomNumbers

/// The bytes of an action or a value, with gaps that are filled in for each action.
struct Segments: Sendable, Equatable {
  /// A piece of the bytes.
  enum Segment: Sendable, Equatable {
    /// Constant bytes.
    case bytes([UInt8])
    /// The id of the action's element, or of the one after it.
    case id, nextID
    /// The number of the action.
    case number
    /// A random integer from a range.
    case random(ClosedRange<Int>)
    /// The opposite of the element's Boolean field.
    case toggle
    /// A text made of pieces, padded to a size.
    case text([TextPiece], size: Int)

    /// The placeholder as a user writes it; nil for constant bytes.
    var placeholder: String? {
      switch self {
      case .bytes: nil
      case .id: "{id}"
      case .nextID: "{next}"
      case .number: "{n}"
      case .random(let range): "{random:\(range.lowerBound)..\(range.upperBound)}"
      case .toggle: "{toggle}"
      case .text: "{text}"
      }
    }
  }

  /// A piece of a text.
  enum TextPiece: Sendable, Equatable {
    case bytes([UInt8])
    case number

    fileprivate var leastByteCount: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .number: 1
      }
    }
  }

  /// The values for the gaps of one action.
  struct Values {
    /// The number of the action in the run.
    var number = 0
    /// The element and the one after it, in the collection of the action's kind.
    var (element, next) = (0, 0)
    /// The new value of the element's Boolean field.
    var flag = false
  }

  var segments: [Segment] = []

  /// The bytes if there are no gaps, otherwise nil.
  var constant: [UInt8]? {
    segments.isEmpty ? [] : segments.count == 1 ? segments[0].constant : nil
  }

  /// True if no two actions have the same bytes.
  var isUnique: Bool {
    segments.contains { segment in
      if case .text(let pieces, _) = segment { pieces.contains(.number) } else { segment == .number }
    }
  }

  /// The number of bytes that every action has.
  var leastByteCount: Int {
    segments.reduce(0) { count, segment in
      switch segment {
      case .bytes(let bytes): count + bytes.count
      case .text(let pieces, let size): count + max(size, pieces.reduce(0) { $0 + $1.leastByteCount })
      case .id, .nextID, .number, .random, .toggle: count + 1
      }
    }
  }

  /// True if an element must be chosen.
  var needsElement: Bool { segments.contains { [.id, .nextID, .toggle].contains($0) } }

  /// Appends the bytes for one action.
  func append(_ values: Values, _ elements: Elements?, seed: UInt64, to output: inout [UInt8]) {
    var randoms: UInt64 = 0
    for segment in segments {
      switch segment {
      case .bytes(let bytes): output.append(contentsOf: bytes)
      case .id: elements?.append(values.element, to: &output)
      case .nextID: elements?.append(values.next, to: &output)
      case .number: Self.appendHead(0, UInt64(values.number), to: &output)
      case .toggle: output.append(values.flag ? 0xf5 : 0xf4)
      case .random(let range):
        // The n-th number of an action and that of its expected effect are the same.
        let value = range.value(Mix.hash(seed &+ randoms &* 0x2545_f491_4f6c_dd1d, UInt64(values.number)))
        randoms += 1
        value < 0
          ? Self.appendHead(1, UInt64(-1 - value), to: &output) : Self.appendHead(0, UInt64(value), to: &output)
      case .text(let pieces, let size): Self.append(pieces, size, values.number, to: &output)
      }
    }
  }

  private static func append(_ pieces: [TextPiece], _ size: Int, _ number: Int, to output: inout [UInt8]) {
    var length = 0
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): length += bytes.count
      case .number: length += digits(of: number)
      }
    }
    let padding = max(0, size - length)
    appendHead(3, UInt64(length + padding), to: &output)
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): output.append(contentsOf: bytes)
      case .number: append(decimal: number, to: &output)
      }
    }
    for _ in 0..<padding { output.append(UInt8(ascii: "x")) }
  }

  private static func digits(of number: Int) -> Int {
    var (rest, count) = (number / 10, 1)
    while rest > 0 { (rest, count) = (rest / 10, count + 1) }
    return count
  }

  private static func append(decimal number: Int, to output: inout [UInt8]) {
    let end = output.count + digits(of: number)
    for _ in output.count..<end { output.append(0) }
    var (rest, place) = (number, end)
    repeat {
      place -= 1
      output[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
  }

  /// Writes the head of a CBOR item (RFC 8949, section 3) in its shortest form.
  static func appendHead(_ major: UInt8, _ value: UInt64, to output: inout [UInt8]) {
    guard value >= 24 else { return output.append(major << 5 | UInt8(value)) }
    let logarithm: UInt8 = value < 1 << 8 ? 0 : value < 1 << 16 ? 1 : value < 1 << 32 ? 2 : 3
    output.append(major << 5 | 24 + logarithm)
    let bytes = 1 << Int(logarithm)
    for shift in (0..<bytes).reversed() { output.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(shift)))) }
  }
}

extension ClosedRange<Int> {
  /// Returns the number of the range for a random one. The range may have more numbers than an `Int` can count.
  fileprivate func value(_ random: UInt64) -> Int {
    let last = UInt64(bitPattern: Int64(upperBound &- lowerBound))
    return lowerBound &+ Int(truncatingIfNeeded: last == .max ? random : random % (last + 1))
  }
}

extension Segments.Segment {
  fileprivate var constant: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }
}

/// Hash functions as random numbers, so that every action can be generated again.
enum Mix {
  /// Returns SplitMix64 of two numbers.
  static func hash(_ first: UInt64, _ second: UInt64) -> UInt64 {
    SplitMix.mixed(first &* 0x9e37_79b9_7f4a_7c15 &+ second &* 0xd1b5_4a32_d192_ed03 &+ 0x9e37_79b9_7f4a_7c15)
  }

  /// Returns FNV-1a of bytes, finished by SplitMix64.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash(value, 0)
  }
}
