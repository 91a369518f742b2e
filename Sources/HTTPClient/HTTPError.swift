/// Why there is no answer from a web server.
public nonisolated enum HTTPError: Error, Equatable, Sendable {
  /// The address is none that this client asks: it must begin with http:// or https://.
  case badURL(String)
  /// The server could not be reached, or broke off; libcurl's words.
  case transport(String)
  /// The answer did not come in time.
  case timedOut(after: Duration)
  /// The answer is larger than what was asked for.
  case tooLarge(limit: Int)
}

nonisolated extension HTTPError: CustomStringConvertible {
  /// What happened, as a clause.
  public var description: String {
    switch self {
    case .badURL(let url): "“\(url)” is no address that begins with http:// or https://"
    case .transport(let words): words
    case .timedOut(let duration): "no answer within \(duration)"
    case .tooLarge(let limit): "the answer is larger than \(limit) bytes"
    }
  }
}

/// A web server's answer.
public nonisolated struct HTTPResponse: Equatable, Sendable {
  /// The status, such as 200 (RFC 9110 §15).
  public let status: Int
  /// The body.
  public let body: [UInt8]
}
