internal import EventLoop

/// An address of this machine, such as `127.0.0.1:7080` or `[::1]:7080`.
nonisolated struct ListenAddress: Equatable, Sendable {
  /// The numeric address, without brackets.
  let host: String
  /// The port; 0 for any free one.
  let port: UInt16

  /// The default: only this machine can connect.
  static let loopback = ListenAddress(host: "127.0.0.1", port: 7080)

  init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Parses an address; nil for names and other texts.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard SocketAddress(numeric: String(host), port: port) != nil else { return nil }
    self.init(host: String(host), port: port)
  }

  /// True if only this machine can connect.
  var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

  /// The address as in a URL.
  var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The address of a socket; nil for a name.
  var socketAddress: SocketAddress? { SocketAddress(numeric: host, port: port) }
}

/// The part of a peer's address for which limits hold: of IPv6 the network, because a host has a whole one.
nonisolated func limitedAddress(_ text: String) -> String {
  guard text.hasPrefix("["), let end = text.firstIndex(of: "]") else {
    return String(text.prefix { $0 != ":" })
  }
  let address = text[text.index(after: text.startIndex)..<end]
  if address.hasPrefix("::ffff:"), address.contains(".") { return String(address.dropFirst("::ffff:".count)) }
  // Up to the fourth group, with the groups that `::` stands for.
  let halves = address.components(separatedBy: "::")
  var groups = halves[0].split(separator: ":").map(String.init)
  if halves.count == 2 {
    let rest = halves[1].split(separator: ":").count
    groups +=
      [String](repeating: "0", count: max(8 - groups.count - rest, 0))
      + halves[1].split(separator: ":").map(String.init)
  }
  return groups.prefix(4).joined(separator: ":") + "::/64"
}

extension Substring {
  /// The parts between a separator, at most two.
  fileprivate nonisolated func components(separatedBy separator: String) -> [Substring] {
    guard let range = firstRange(of: separator) else { return [self] }
    return [self[..<range.lowerBound], self[range.upperBound...]]
  }
}
