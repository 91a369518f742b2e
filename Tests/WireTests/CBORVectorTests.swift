import TestSupport
import Testing
import Wire

/// The examples of RFC 8949 Appendix A.
@Suite struct CBORVectorTests {
  static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8).map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Deterministic encodings with their diagnostic notation. Where two notations of a float are possible, ours is
  /// Swift's shortest.
  static let deterministic: [(hex: String, notation: String)] = [
    ("00", "0"), ("01", "1"), ("0a", "10"), ("17", "23"), ("1818", "24"), ("1819", "25"), ("1864", "100"),
    ("1903e8", "1000"), ("1a000f4240", "1000000"), ("1b000000e8d4a51000", "1000000000000"),
    ("1bffffffffffffffff", "18446744073709551615"), ("c249010000000000000000", "2(h'010000000000000000')"),
    ("3bffffffffffffffff", "-18446744073709551616"), ("c349010000000000000000", "3(h'010000000000000000')"),
    ("20", "-1"), ("29", "-10"), ("3863", "-100"), ("3903e7", "-1000"),
    ("f90000", "0.0"), ("f98000", "-0.0"), ("f93c00", "1.0"), ("fb3ff199999999999a", "1.1"), ("f93e00", "1.5"),
    ("f97bff", "65504.0"), ("fa47c35000", "100000.0"), ("fa7f7fffff", "3.4028234663852886e+38"),
    ("fb7e37e43c8800759c", "1e+300"), ("f90001", "5.960464477539063e-08"), ("f90400", "6.103515625e-05"),
    ("f9c400", "-4.0"), ("fbc010666666666666", "-4.1"), ("f97c00", "Infinity"), ("f97e00", "NaN"),
    ("f9fc00", "-Infinity"),
    ("f4", "false"), ("f5", "true"), ("f6", "null"), ("f7", "undefined"), ("f0", "simple(16)"),
    ("f8ff", "simple(255)"),
    ("c074323031332d30332d32315432303a30343a30305a", "0(\"2013-03-21T20:04:00Z\")"),
    ("c11a514b67b0", "1(1363896240)"), ("c1fb41d452d9ec200000", "1(1363896240.5)"), ("d74401020304", "23(h'01020304')"),
    ("d818456449455446", "24(h'6449455446')"),
    ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "32(\"http://www.example.com\")"),
    ("40", "h''"), ("4401020304", "h'01020304'"), ("60", "\"\""), ("6161", "\"a\""), ("6449455446", "\"IETF\""),
    ("62225c", "\"\\\"\\\\\""), ("62c3bc", "\"ü\""), ("63e6b0b4", "\"水\""), ("64f0908591", "\"𐅑\""),
    ("80", "[]"), ("83010203", "[1, 2, 3]"), ("8301820203820405", "[1, [2, 3], [4, 5]]"),
    (
      "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
      "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]"
    ),
    ("a0", "{}"), ("a201020304", "{1: 2, 3: 4}"), ("a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}"),
    ("826161a161626163", "[\"a\", {\"b\": \"c\"}]"),
    (
      "a56161614161626142616361436164614461656145",
      "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}"
    ),
  ]

  /// Well-formed but not deterministic items, rejected with a problem at an offset.
  static let refused: [(hex: String, problem: WireError.Problem, offset: Int)] = [
    ("fa7f800000", .notShortest, 0), ("fa7fc00000", .notShortest, 0), ("faff800000", .notShortest, 0),
    ("fb7ff0000000000000", .notShortest, 0), ("fb7ff8000000000000", .notShortest, 0),
    ("fbfff0000000000000", .notShortest, 0),
    ("5f42010243030405ff", .indefiniteLength, 0), ("7f657374726561646d696e67ff", .indefiniteLength, 0),
    ("9fff", .indefiniteLength, 0), ("9f018202039f0405ffff", .indefiniteLength, 0),
    ("83018202039f0405ff", .indefiniteLength, 5), ("83019f0203ff820405", .indefiniteLength, 2),
    ("bf61610161629f0203ffff", .indefiniteLength, 0), ("826161bf61626163ff", .indefiniteLength, 3),
    // Beyond the appendix: longer and reserved forms, unordered and duplicate keys, invalid text.
    ("1817", .notShortest, 0), ("1900ff", .notShortest, 0), ("1a0000ffff", .notShortest, 0),
    ("1b00000000ffffffff", .notShortest, 0), ("5800", .notShortest, 0),
    ("8201 1800".filter { $0 != " " }, .notShortest, 2),
    ("1c", .reserved, 0), ("fd", .reserved, 0), ("f818", .reserved, 0), ("ff", .indefiniteLength, 0),
    ("a201000100", .repeatedKey, 3), ("a202000100", .keysOutOfOrder, 3), ("61ff", .invalidUTF8, 0),
    ("0000", .trailingBytes, 1),
    // Impossible lengths, rejected before anything is allocated.
    ("5bffffffffffffffff", .tooLong(length: .max, limit: .max), 0), ("5b0fffffffffffffff", .truncated, 0),
    ("9bffffffffffffffff", .truncated, 0), ("bb0fffffffffffffff", .truncated, 0),
  ]

  @Test(arguments: deterministic)
  func aDeterministicItemComesBackAsItWas(vector: (hex: String, notation: String)) throws {
    let encoded = Self.bytes(vector.hex)
    let value = try CBORValue(decoding: encoded.span.bytes)
    #expect(value.description == vector.notation)
    #expect(value.encoded() == encoded)
  }

  @Test(arguments: refused)
  func whatIsNotDeterministicIsRefused(vector: (hex: String, problem: WireError.Problem, offset: Int)) {
    let encoded = Self.bytes(vector.hex)
    #expect(throws: WireError(vector.problem, at: vector.offset)) { try CBORValue(decoding: encoded.span.bytes) }
  }

  @Test(arguments: deterministic)
  func everyBeginningOfAnItemIsRefused(vector: (hex: String, notation: String)) {
    let encoded = Self.bytes(vector.hex)
    for count in 0..<encoded.count {
      let cut = Array(encoded[..<count])
      #expect(throws: WireError.self) { try CBORValue(decoding: cut.span.bytes) }
    }
  }

  @Test func nestingHasALimit() throws {
    let deep = [UInt8](repeating: 0x81, count: CBORDecoder.nestingLimit - 1) + [0x00]
    _ = try CBORValue(decoding: deep.span.bytes)
    let deeper = [0x81] + deep
    #expect(throws: WireError(.tooDeep(limit: CBORDecoder.nestingLimit), at: CBORDecoder.nestingLimit)) {
      try CBORValue(decoding: deeper.span.bytes)
    }
  }

  @Test func integersKeepToTheirTypes() throws {
    let large = CBORValue.unsigned(256).encoded()
    #expect(throws: WireError(.outOfRange(type: "UInt8"), at: 0)) { try UInt8(decoding: large.span.bytes) }
    let huge = CBORValue.unsigned(.max).encoded()
    #expect(throws: WireError(.outOfRange(type: "Int64"), at: 0)) { try Int(decoding: huge.span.bytes) }
    for value in [Int.min, -1, 0, 23, 24, .max] {
      let bytes = value.encoded()
      #expect(try Int(decoding: bytes.span.bytes) == value)
    }
  }

  @Test(arguments: [UInt64](1...8))
  func doublesComeBackBitForBitInTheShortestForm(seed: UInt64) throws {
    var generator = SplitMix(seed: seed)
    for _ in 0..<5000 {
      let state = generator.next()
      // Every third value can be represented as a float or a half.
      let value =
        state % 3 == 0 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: state >> 32))) : Double(bitPattern: state)
      let bytes = value.encoded()
      let back = try Double(decoding: bytes.span.bytes)
      #expect(back.bitPattern == value.bitPattern, "seed \(seed)")
      if !value.isNaN { #expect(bytes.count <= (Double(Float(value)) == value ? 5 : 9), "seed \(seed)") }
    }
  }
}
