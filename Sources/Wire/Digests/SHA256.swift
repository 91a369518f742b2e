internal import CLibmd

/// SHA-256 (FIPS 180-4), from libmd.
package enum SHA256 {
  /// The number of bytes of a digest.
  package static var byteCount: Int { 32 }
  /// The number of bytes that are compressed together.
  static var blockByteCount: Int { 64 }

  /// Returns the digest of bytes.
  package static func digest(of content: [UInt8]) -> [UInt8] {
    var context = SHA2_CTX()
    var digest = [UInt8](repeating: 0, count: byteCount)
    unsafe SHA256Init(&context)
    unsafe SHA256Update(&context, content, content.count)
    unsafe SHA256Final(&digest, &context)
    return digest
  }

  /// Returns the code of bytes under a key: HMAC-SHA-256 (RFC 2104).
  static func code(of content: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockByteCount ? digest(of: key) : key
    block += [UInt8](repeating: 0, count: blockByteCount - block.count)
    return digest(of: block.map { $0 ^ 0x5c } + digest(of: block.map { $0 ^ 0x36 } + content))
  }
}
