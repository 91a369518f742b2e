import CXXHash
import TestSupport
import Wire

/// The hash of a value as defined in docs/PROTOCOL.md, computed from the value's bytes and a description of its type.
/// It shares only XXH3 with the hub.
indirect enum Layout: Sendable {
  /// A type without identified arrays.
  case plain
  case fields([UInt64: Layout])
  case elements(Layout)
  case values(Layout)
  case identified(Layout)
  /// An enum's payload, or a pair: the layouts of the items of an array.
  case items([Int: Layout])

  func hash(of bytes: [UInt8]) throws -> UInt64 {
    XXHash.hash(summary(of: try CBORValue(decoding: bytes.span.bytes)).encoded())
  }

  func summary(of value: CBORValue) -> CBORValue {
    switch (self, value) {
    case (.fields(let layouts), .map(let pairs)):
      .map(
        pairs.map { pair in
          guard case .unsigned(let key) = pair.key, let layout = layouts[key] else { return pair }
          return CBORValue.Pair(key: pair.key, value: layout.summary(of: pair.value))
        })
    case (.values(let layout), .map(let pairs)):
      .map(pairs.map { CBORValue.Pair(key: $0.key, value: layout.summary(of: $0.value)) })
    case (.elements(let layout), .array(let elements)):
      .array(elements.map { layout.summary(of: $0) })
    case (.items(let layouts), .array(let items)):
      .array(items.enumerated().map { layouts[$0.offset]?.summary(of: $0.element) ?? $0.element })
    case (.identified(let layout), .array(let elements)):
      .bytes(Self.digest(elements.map { XXHash.hash(layout.summary(of: $0).encoded()) }))
    default: value
    }
  }

  private static func digest(_ hashes: [UInt64]) -> [UInt8] {
    let prime: UInt128 = (1 << 61) - 1
    var sum: UInt128 = 0
    for hash in hashes { sum = (sum * 0x13c6_ef37_2fe9_4f8e + UInt128(hash)) % prime }
    return [UInt64(hashes.count), UInt64(sum)].flatMap { number in (0..<8).map { UInt8(number >> ($0 * 8) & 0xff) } }
  }
}

enum XXHash {
  static func hash(_ bytes: [UInt8]) -> UInt64 { XXH3_64bits(bytes, bytes.count) }
}
