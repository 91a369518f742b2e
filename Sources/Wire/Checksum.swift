internal import CXXHash

/// Checksums of stored data: XXH3-64. They detect damage, not tampering.
package enum Checksum {
  /// The checksum of bytes, continuing from that of earlier bytes.
  package static func of(_ bytes: RawSpan, seed: UInt64 = 0) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
  }

  /// The checksum of numbers, each as eight little-endian bytes.
  package static func of<let count: Int>(words: InlineArray<count, UInt64>) -> UInt64 {
    unsafe of(words.span.bytes)
  }
}
