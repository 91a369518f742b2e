public import Foundation
public import ReplicatedArchitecture
public import TestSupport
public import Wire

/// A type with values that are hard to compare, to order or to encode.
public protocol HostileValue: Replicated, Hashable, Sendable {
  static func hostile(using random: inout SplitMix) -> Self
}

extension SplitMix {
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}

extension Double: HostileValue {
  /// Values that equal nothing, or another value with other bytes, and values at the limits of each width.
  public static func hostile(using random: inout SplitMix) -> Double {
    random.pick([
      0, -0.0, 1, 1.5, -2, 65504, 65505, 5.960464477539063e-8, .infinity, -.infinity, .greatestFiniteMagnitude,
      .leastNonzeroMagnitude, 0.1, 1e300, .nan, -.nan, .signalingNaN, Double(nan: 0x1234, signaling: false),
      Double(nan: 7, signaling: true), Double(bitPattern: random.next()),
    ])
  }
}

extension Float: HostileValue {
  public static func hostile(using random: inout SplitMix) -> Float {
    random.pick([
      0, -0.0, 1, 3.5, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, .nan, .signalingNaN,
      Float(bitPattern: UInt32(truncatingIfNeeded: random.next())),
    ])
  }
}

extension String: HostileValue {
  /// Texts that are equal although their bytes differ, and texts that C, JSON and terminals treat specially.
  public static func hostile(using random: inout SplitMix) -> String {
    random.pick([
      "", "a", "caf\u{e9}", "cafe\u{301}", "\u{212b}", "\u{c5}", "A\u{30a}", "\u{0}", "a\u{0}b", "a\u{0}", "\u{fffd}",
      "\u{feff}a", "水", "👩‍👩‍👧‍👦", "\u{10ffff}", "\r\n", "\"\\", "NaN", "0", String(repeating: "x", count: 300),
    ])
  }
}

extension Int64: HostileValue {
  public static func hostile(using random: inout SplitMix) -> Int64 {
    random.pick([0, 1, -1, 23, 24, -24, -25, 255, 256, 65_536, .min, .max, .min + 1, Int64(bitPattern: random.next())])
  }
}

extension UInt64: HostileValue {
  public static func hostile(using random: inout SplitMix) -> UInt64 {
    random.pick([0, 1, 23, 24, 0xffff_ffff, 0x1_0000_0000, UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
  }
}

extension Int128: HostileValue {
  public static func hostile(using random: inout SplitMix) -> Int128 {
    random.pick([0, -1, .min, .max, Int128(UInt64.max), Int128(UInt64.max) + 1, -Int128(UInt64.max) - 2])
  }
}

extension Date: HostileValue {
  public static func hostile(using random: inout SplitMix) -> Date {
    random.pick([
      .distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSinceReferenceDate: -0.0),
      Date(timeIntervalSince1970: 0.1), Date(timeIntervalSinceReferenceDate: 1e300),
      Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude), Date(timeIntervalSinceReferenceDate: .infinity),
      Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: 978_307_200.000001),
    ])
  }
}

extension Data: HostileValue {
  public static func hostile(using random: inout SplitMix) -> Data {
    random.pick([Data(), Data([0]), Data([0xff, 0x00]), Data(count: 300), Data([1, 2, 3, 4]).dropFirst(2)])
  }
}

extension Optional: HostileValue where Wrapped: HostileValue {
  /// No value, at any depth, or a value.
  public static func hostile(using random: inout SplitMix) -> Wrapped? {
    random.below(3) == 0 ? nil : .some(.hostile(using: &random))
  }
}

extension Array: HostileValue where Element: HostileValue {
  public static func hostile(using random: inout SplitMix) -> [Element] {
    (0..<random.below(3)).map { _ in .hostile(using: &random) }
  }
}

/// A value of which only a part is on the wire: different labels can have the same bytes.
@Replicated
public struct HostileLabel: Hashable, Sendable, HostileValue {
  public var name = ""
  @Replicated(omit) public var rank = 0

  public init(name: String = "", rank: Int = 0) { (self.name, self.rank) = (name, rank) }

  public static func hostile(using random: inout SplitMix) -> Self {
    Self(name: random.pick(["", "a", "b", .hostile(using: &random)]), rank: random.below(3))
  }
}

/// An enum whose payloads may equal nothing.
@Replicated
public enum HostileMeasure: Hashable, Sendable, HostileValue {
  case none
  case one(Double)
  case named(String, value: Double?)
  case labelled(HostileLabel)
  indirect case inside(HostileMeasure)

  public static func hostile(using random: inout SplitMix) -> Self {
    switch random.below(6) {
    case 0: .none
    case 1: .one(.hostile(using: &random))
    case 2: .named(.hostile(using: &random), value: .hostile(using: &random))
    case 3: .labelled(.hostile(using: &random))
    case 4: .inside(.hostile(using: &random))
    default: (0..<random.pick([3, 62, 63, 64, 65, 70])).reduce(.none) { inner, _ in .inside(inner) }
    }
  }
}
