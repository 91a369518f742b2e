internal import HTTPServer
internal import Wire

/// Decides which requests the inspector answers: those of pages that it served itself, for whoever has a link.
///
/// A link opens one session. The session's key is in the memory of one tab of a browser, and comes in a header that no
/// other site can make a browser send. A page of another site that lets its name point at this machine is refused by
/// its host name.
struct InspectorGate {
  /// The token of the link that nobody has used so far.
  private(set) var token = Self.secret()
  private var sessions: [String] = []
  private static let sessionLimit = 32

  /// Why a request is refused; nil for one that may be answered without a session.
  func refusal(of request: HTTPRequest) -> HTTPResponse? {
    guard let host = request.headers["host"], Self.isLocal(host) else {
      return .text(403, "this is served to browsers of the same machine, as localhost or 127.0.0.1\n")
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      return .text(403, "this is not served to pages of \(origin)\n")
    }
    // A browser says whether another site's page asks; it may show the page itself, which contains nothing.
    if request.path.hasPrefix("/api/"), let site = request.headers["sec-fetch-site"], site != "same-origin" {
      return .text(403, "this is not served to pages of other sites\n")
    }
    return nil
  }

  /// Opens a session for who has the token of the link, which is another one from then on.
  mutating func session(for request: HTTPRequest) -> String? {
    guard let given = Self.bearer(request), Self.areEqual(given, token) else { return nil }
    token = Self.secret()
    if sessions.count == Self.sessionLimit { sessions.removeFirst() }
    sessions.append(Self.secret())
    return sessions.last
  }

  /// Whether a request belongs to a session.
  func isOpen(_ request: HTTPRequest) -> Bool {
    guard let given = Self.bearer(request) else { return false }
    return sessions.contains { Self.areEqual($0, given) }
  }

  private static func bearer(_ request: HTTPRequest) -> String? {
    guard let value = request.headers["authorization"], value.hasPrefix("Bearer ") else { return nil }
    return String(value.dropFirst(7))
  }

  /// Whether a host name, with or without a port, is this machine's own. Any port is right: ssh may forward another one.
  static func isLocal(_ host: String) -> Bool {
    for name in ["localhost", "127.0.0.1", "[::1]"] where host.lowercased().hasPrefix(name) {
      let port = host.dropFirst(name.count)
      if port.isEmpty { return true }
      return port.hasPrefix(":") && port.count > 1 && port.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }
    return false
  }

  /// 128 random bits.
  private static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    let numbers: [UInt64] = [generator.next(), generator.next()]
    return numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }.hexadecimal
  }

  /// Compares in a time that does not tell how much is right.
  private static func areEqual(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
