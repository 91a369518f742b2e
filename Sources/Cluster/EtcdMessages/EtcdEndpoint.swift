/// The address at which a member of etcd serves its clients, such as `https://a:2379` or `http://[::1]:2379`.
package struct EtcdEndpoint: Hashable, Sendable {
  /// True for TLS.
  package let isSecure: Bool
  /// The name or the address, without brackets.
  package let host: String
  package let port: UInt16

  /// Reads an endpoint. The port may be left out: 2379.
  /// - Throws: `EtcdEndpointError` for any other text.
  package init(_ text: String) throws(EtcdEndpointError) {
    guard let schemeEnd = text.firstRange(of: "://") else { throw EtcdEndpointError(text, "it has no scheme") }
    switch text[..<schemeEnd.lowerBound] {
    case "https": isSecure = true
    case "http": isSecure = false
    case let scheme: throw EtcdEndpointError(text, "\(scheme) is neither https nor http")
    }
    var rest = text[schemeEnd.upperBound...]
    if rest.hasSuffix("/") { rest.removeLast() }
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { throw EtcdEndpointError(text, "there is no ] after [") }
      host = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
    } else {
      host = String(rest.prefix { $0 != ":" })
      rest = rest.dropFirst(host.count)
    }
    let isHost = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && !host.contains(where: "/?#@[]".contains)
    guard !host.isEmpty, host.utf8.count <= 253, isHost else { throw EtcdEndpointError(text, "it has no host") }
    guard rest.isEmpty || rest.hasPrefix(":") else { throw EtcdEndpointError(text, "\(rest) follows the host") }
    guard let port = rest.isEmpty ? 2379 : UInt16(rest.dropFirst()), port > 0 else {
      throw EtcdEndpointError(text, "\(rest.dropFirst()) is not a port")
    }
    self.port = port
  }

  /// The host and the port, as HTTP names the server.
  package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension EtcdEndpoint: CustomStringConvertible {
  package var description: String { "\(isSecure ? "https" : "http")://\(authority)" }
}

/// A text that is not an endpoint.
package struct EtcdEndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ text: String, _ reason: String) {
    description = "\"\(text)\" is not an endpoint of etcd (\(reason)); one is, for example, https://10.0.0.1:2379"
  }
}
