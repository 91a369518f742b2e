import TestSupport
import Testing
import Wire

@Suite("Malformed bytes", .computing)
struct MalformedTests {
  private func problem(_ bytes: [UInt8]) -> WireError? {
    do throws(WireError) {
      _ = try CBORValue(decoding: bytes.span.bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("no major type has additional information 28 to 30, nor 31 here", arguments: [UInt8](0...7))
  func additionalInformation(major: UInt8) {
    for information in UInt8(28)...30 {
      #expect(problem([major << 5 | information, 0, 0]) == WireError(.reserved, at: 0))
    }
    #expect(problem([major << 5 | 31, 0xff]) == WireError(.indefiniteLength, at: 0))
  }

  @Test("every length takes its shortest form", arguments: [UInt8](0...6))
  func shortest(major: UInt8) {
    for argument: [UInt8] in [[24, 23], [25, 0, 255], [26, 0, 0, 255, 255], [27, 0, 0, 0, 0, 255, 255, 255, 255]] {
      #expect(problem([major << 5 | argument[0]] + argument[1...]) == WireError(.notShortest, at: 0))
    }
  }

  @Test("a simple value of one byte is not written in two", arguments: [UInt8](0...31))
  func simpleValues(value: UInt8) {
    #expect(problem([0xf8, value]) == WireError(.reserved, at: 0))
  }

  @Test(
    "text is UTF-8",
    arguments: [
      [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0x61, 0xc3], [0xe6, 0xb0],
    ] as [[UInt8]])
  func utf8(text: [UInt8]) {
    #expect(problem([0x60 | UInt8(text.count)] + text) == WireError(.invalidUTF8, at: 0))
    // Also where the text is not kept.
    let map: [UInt8] = [0xa3, 0x00, 0x01, 0x01, 0x01, 0x09, 0x60 | UInt8(text.count)] + text
    #expect(throws: WireError(.invalidUTF8, at: 6)) { try Hello(decoding: map.span.bytes) }
  }

  @Test("keys ascend bytewise, at any depth")
  func keys() {
    // {"b": 0, "a": 0} and {100: 0, -1: 0} are rejected at the second key; {-1: 0, "": 0} is in order.
    #expect(problem([0xa2, 0x61, 0x62, 0x00, 0x61, 0x61, 0x00]) == WireError(.keysOutOfOrder, at: 4))
    #expect(problem([0xa2, 0x20, 0x00, 0x18, 100, 0x00]) == WireError(.keysOutOfOrder, at: 3))
    #expect(problem([0xa2, 0x18, 100, 0x00, 0x20, 0x00]) == nil)
    #expect(problem([0xa2, 0x20, 0x00, 0x60, 0x00]) == nil)
    #expect(problem([0x81, 0xa1, 0x00, 0xa2, 0x01, 0x00, 0x01, 0x00]) == WireError(.repeatedKey, at: 6))
  }

  @Test("a length beyond the received bytes is refused, however large", arguments: [UInt8](2...5))
  func lengths(major: UInt8) {
    for length: UInt64 in [1, 24, 0xffff, 0x7fff_ffff, 0xffff_ffff, .max >> 1, 1 << 63, .max] {
      var bytes = CBORValue.unsigned(length).encoded()
      bytes[0] |= major << 5
      #expect(problem(bytes) != nil, "\(length)")
    }
  }

  @Test("nesting is limited in arrays, maps and tags", arguments: [[0x81], [0xa1, 0x00], [0xc1]] as [[UInt8]])
  func nesting(opening: [UInt8]) {
    func nested(_ depth: Int) -> [UInt8] { (0..<depth).flatMap { _ in opening } + [0x00] }
    #expect(problem(nested(CBORDecoder.nestingLimit - 1)) == nil)
    #expect(problem(nested(CBORDecoder.nestingLimit))?.problem == .tooDeep(limit: CBORDecoder.nestingLimit))
    #expect(problem(nested(1_000_000))?.problem == .tooDeep(limit: CBORDecoder.nestingLimit))
  }

  @Test("an integer fits its type or is refused")
  func integers() throws {
    func check<T: FixedWidthInteger & WireValue>(_: T.Type) throws {
      for value in [T.min, 0, T.max] {
        let bytes = value.encoded()
        #expect(try T(decoding: bytes.span.bytes) == value)
      }
      if T.max < UInt64.max {
        let above = CBORValue.unsigned(UInt64(T.max) + 1).encoded()
        #expect(throws: WireError.self) { try T(decoding: above.span.bytes) }
      }
      let below = CBORValue.negative(T.isSigned ? UInt64(T.max) + 1 : 0).encoded()
      #expect(throws: WireError.self) { try T(decoding: below.span.bytes) }
    }
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(Int.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(UInt.self)
  }

  @Test("an enum case has one form")
  func enumCases() throws {
    // [0] is a longer encoding of the case 0; [] is not a case.
    for (bytes, problem): ([UInt8], WireError.Problem) in [
      ([0x81, 0x00], .arrayOfOne), ([0x80], .typeMismatch(expected: "the key of a case")),
    ] {
      #expect(throws: WireError(problem, at: 0)) {
        var decoder = CBORDecoder(bytes.span.bytes)
        _ = try decoder.caseKey()
      }
    }
    for bytes: [UInt8] in [[0x82, 0x18, 0x05, 0x00], [0x82, 0x20, 0x00], [0xf4], []] {
      #expect(throws: WireError.self) {
        var decoder = CBORDecoder(bytes.span.bytes)
        _ = try decoder.caseKey()
      }
    }
  }

  /// Any bytes give an error or a value that is encoded as the same bytes, never a trap.
  @Test("changed bytes are refused or decode to one value", arguments: [UInt64](1...4))
  func mutations(seed: UInt64) {
    var generator = SplitMix(seed: seed)
    let seeds =
      (CBORVectorTests.deterministic.map(\.hex) + CBORVectorTests.refused.map(\.hex)).map(CBORVectorTests.bytes)
    for _ in 0..<20_000 {
      var bytes = seeds.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let at = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.insert(.random(in: 0...255, using: &generator), at: at)
        case 1 where at < bytes.count: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2 where at < bytes.count: bytes.remove(at: at)
        default: bytes.append(contentsOf: (seeds.randomElement(using: &generator) ?? []).prefix(8))
        }
      }
      if let value = try? CBORValue(decoding: bytes.span.bytes) {
        #expect(value.encoded() == bytes, "seed \(seed): \(bytes.hexadecimal)")
      }
      _ = try? Int(decoding: bytes.span.bytes)
      _ = try? UInt8(decoding: bytes.span.bytes)
      _ = try? Double(decoding: bytes.span.bytes)
      _ = try? String??(decoding: bytes.span.bytes)
      _ = try? SessionID(decoding: bytes.span.bytes)
      _ = try? Goodbye(decoding: bytes.span.bytes)
      _ = try? Ping(decoding: bytes.span.bytes)
      _ = try? SnapshotPiece(CBORDecoder(bytes.span.bytes)).offset
      _ = try? Attach(decoding: bytes.span.bytes)
      var frames = FrameDecoder(payloadLimit: 1 << 20)
      try? frames.feed(bytes.span.bytes) { _, _ in }
    }
  }
}
