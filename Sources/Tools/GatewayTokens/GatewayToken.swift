internal import Glibc
internal import Wire

/// A token: who has the text of it may use a hub through a gateway, as a user of the hub's configuration.
///
/// The text has 256 random bits, so that it cannot be guessed, and its digest needs no slow hash: that protects words
/// that people choose, of which an attacker can try all likely ones.
package struct GatewayToken: Equatable, Sendable {
  /// The name, for lists and the log.
  package let name: String
  /// The SHA-256 of the text; the text itself is stored nowhere.
  package let digest: [UInt8]
  /// The number of the user, who has a section in the hub's configuration.
  package let user: UInt32
  /// The time of its creation, in seconds since 1970.
  package let created: Int64
  /// The time from which on it is not valid, in seconds since 1970; nil if it does not expire.
  package let expiry: Int64?

  /// Creates the description of a token.
  package init(name: String, digest: [UInt8], user: UInt32, created: Int64, expiry: Int64?) {
    (self.name, self.digest, self.user, self.created, self.expiry) = (name, digest, user, created, expiry)
  }

  /// Returns true if the token is valid at a time in seconds since 1970.
  package func isValid(at now: Int64) -> Bool { expiry.map { now < $0 } ?? true }

  /// Makes the text of a new token, from the kernel's random numbers.
  package static func newText() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return prefix + base64URL(bytes)
  }

  /// The beginning of each text, by which scanners of source code find tokens that were published.
  package static let prefix = "sgt_"

  /// The digest of a text.
  package static func digest(of text: String) -> [UInt8] { SHA256.digest(of: Array(text.utf8)) }

  /// Returns true if a name is valid: 1 to 40 letters of ASCII, digits, points, underscores and dashes.
  package static func isName(_ name: String) -> Bool {
    1...40 ~= name.utf8.count && name.utf8.allSatisfy { isalnum(CInt($0)) != 0 && $0 < 128 || "._-".utf8.contains($0) }
  }

  /// The alphabet of RFC 4648, 5, without padding: all of it may stand in a subprotocol and in a header.
  private static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var (text, pool, bits) = ("", UInt32(0), 0)
    for byte in bytes {
      (pool, bits) = (pool << 8 | UInt32(byte), bits + 8)
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(pool >> UInt32(bits)) & 63])
      }
    }
    if bits > 0 { text.append(alphabet[Int(pool << UInt32(6 - bits)) & 63]) }
    return text
  }
}

/// The tokens of a gateway.
package struct GatewayTokens: Equatable, Sendable {
  /// The tokens, in the order of their creation.
  package private(set) var all: [GatewayToken] = []
  private var byDigest: [[UInt8]: GatewayToken] = [:]

  /// Creates a list of no tokens.
  package init() {}

  /// Returns the token of a text, valid or not; nil if there is none.
  ///
  /// The time that it takes does not depend on the text: each digest is compared to its end.
  /// - Complexity: O(tokens).
  package subscript(text text: String) -> GatewayToken? {
    let wanted = GatewayToken.digest(of: text)
    var found: GatewayToken?
    for token in all {
      let difference = zip(token.digest, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
      if difference == 0 { found = token }
    }
    return found
  }

  /// Returns the token with a digest that is known to be one's, such as that of an open connection.
  package subscript(digest digest: [UInt8]) -> GatewayToken? { byDigest[digest] }

  /// Returns the token with a name.
  package func named(_ name: String) -> GatewayToken? { all.first { $0.name == name } }

  /// Adds a token.
  /// - Returns: False if there is one with this name or digest, or no room for another one.
  package mutating func add(_ token: GatewayToken) -> Bool {
    guard named(token.name) == nil, byDigest[token.digest] == nil, all.count < Self.limit else { return false }
    all.append(token)
    byDigest[token.digest] = token
    return true
  }

  /// Removes a token.
  /// - Returns: False if there is none with this name.
  package mutating func remove(_ name: String) -> Bool {
    guard let index = all.firstIndex(where: { $0.name == name }) else { return false }
    byDigest[all.remove(at: index).digest] = nil
    return true
  }

  /// The maximum number of tokens.
  package static let limit = 4096
}
