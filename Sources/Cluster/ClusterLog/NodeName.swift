package import Wire

/// The name of a node: a machine with a hub of the cluster. It is part of keys, of log lines and of the operator's
/// commands.
package struct NodeName: Hashable, Comparable, Sendable {
  /// From 1 to 32 of the characters `a` to `z`, `0` to `9` and `-`.
  package let text: String

  /// The longest name, in bytes.
  package static let longest = 32

  /// Returns nil for a text that is not a name.
  package init?(_ text: String) {
    guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.text < rhs.text }
}

extension NodeName: CustomStringConvertible {
  package var description: String { text }
}

extension NodeName: WireValue {
  /// Writes a text.
  package func encode(to encoder: inout CBOREncoder) { encoder.text(text) }

  /// Reads a text that is a name.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let name = NodeName(try decoder.text(limit: Self.longest)) else {
      throw WireError(.typeMismatch(expected: "a node's name of a-z, 0-9 and -"), at: start)
    }
    self = name
  }
}
