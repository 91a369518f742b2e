/// The random numbers that a reducer draws while it handles an action.
///
/// They follow from a key and the number of the action: block `i` is the HMAC-SHA-256 of the text `random`, the number,
/// and `i`, each number in eight bytes, big-endian. So the hub and the client whose key it is draw the same ones, and
/// whoever lacks the key learns nothing of it, or of other numbers, from those that it sees.
package struct ActionRandomness {
  private let key: [UInt8]
  private var action: UInt64
  private var block: [UInt8] = []
  private var blockCount: UInt64 = 0
  private var offset = 0

  /// Begins with the first number of an action.
  package init(key: [UInt8], action: UInt64) { (self.key, self.action) = (key, action) }

  /// Begins with the first number of an action, unless it is the present one.
  package mutating func begin(_ action: UInt64) {
    guard action != self.action else { return }
    (self.action, block, blockCount, offset) = (action, [], 0, 0)
  }

  /// Returns the next number.
  package mutating func next() -> UInt64 {
    if offset == block.count {
      block = SHA256.code(of: Array("random".utf8) + action.bigEndianBytes + blockCount.bigEndianBytes, key: key)
      (blockCount, offset) = (blockCount + 1, 0)
    }
    defer { offset += 8 }
    return block[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the key of an action of the hub itself, which the journal stores. Each action has a number of its own.
  package static func seed(number: UInt64, key: [UInt8]) -> [UInt8] {
    Array(SHA256.code(of: Array("seed".utf8) + number.bigEndianBytes, key: key).prefix(16))
  }
}

extension SessionID {
  /// The identity of the session, which may be shown to everyone: it reveals nothing of the id, with which the session
  /// could be resumed.
  package var identity: UInt64 {
    SHA256.code(of: Array("identity".utf8), key: key).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 16 bytes: the key of the session's actions.
  package var key: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

extension UInt64 {
  /// The eight bytes, the most significant first.
  fileprivate var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}
