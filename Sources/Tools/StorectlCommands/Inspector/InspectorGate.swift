internal import HTTPServer
internal import Wire

/// The access control of the inspector: it admits requests of its own page, opened with a valid link.
///
/// A link opens one session. The key of the session is in the memory of one browser tab and is sent in a header that
/// other sites cannot make a browser send. If another site's name resolves to this machine, its pages are refused by
/// their host name.
struct InspectorGate {
  /// The token of the link that is not used yet.
  private(set) var token = Self.secret()
  private var sessions: [String] = []
  private static let sessionLimit = 32

  /// Returns the refusal of a request; nil if the request may be served without a session.
  func refusal(of request: HTTPRequest) -> HTTPResponse? {
    guard let host = request.headers["host"], Self.isLocal(host) else {
      return .text(403, "this is served to browsers of the same machine, as localhost or 127.0.0.1\n")
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      return .text(403, "this is not served to pages of \(origin)\n")
    }
    // Browsers name the page from which a request comes. Another port of this machine is another page.
    guard let site = request.headers["sec-fetch-site"] else { return nil }
    if site == "same-origin" { return nil }
    // The user has typed the address, pasted it, or opened it from another program. That is no request of a script.
    if site == "none", !request.path.hasPrefix("/api/") { return nil }
    return .text(
      403, "this is not served to pages of other sites; paste the link of storectl inspect into the address bar\n")
  }

  /// Opens a session if the request has the token of the link, and replaces the token.
  mutating func session(for request: HTTPRequest) -> String? {
    guard let given = Self.bearer(request), Self.areEqual(given, token) else { return nil }
    token = Self.secret()
    if sessions.count == Self.sessionLimit { sessions.removeFirst() }
    sessions.append(Self.secret())
    return sessions.last
  }

  /// Returns true if a request belongs to a session.
  func isOpen(_ request: HTTPRequest) -> Bool {
    guard let given = Self.bearer(request) else { return false }
    return sessions.contains { Self.areEqual($0, given) }
  }

  private static func bearer(_ request: HTTPRequest) -> String? {
    guard let value = request.headers["authorization"], value.hasPrefix("Bearer ") else { return nil }
    return String(value.dropFirst(7))
  }

  /// Returns true if a host name, with or without a port, is local. Any port is accepted, because ssh may forward one.
  static func isLocal(_ host: String) -> Bool {
    for name in ["localhost", "127.0.0.1", "[::1]"] where host.lowercased().hasPrefix(name) {
      let port = host.dropFirst(name.count)
      if port.isEmpty { return true }
      return port.hasPrefix(":") && port.count > 1 && port.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }
    return false
  }

  /// Returns 128 random bits in hexadecimal.
  private static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    let numbers: [UInt64] = [generator.next(), generator.next()]
    return numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }.hexadecimal
  }

  /// Compares in constant time.
  private static func areEqual(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
