/// The reason why a request to a web server failed.
package nonisolated enum HTTPError: Error, Equatable, Sendable {
  /// The URL is not an absolute http or https URL.
  case badURL(String, reason: String)
  /// The server could not be reached, or the connection broke; libcurl's message.
  case transport(String)
  /// No response arrived in time.
  case timedOut(after: Duration)
  /// The body of the response is larger than the limit.
  case tooLarge(limit: Int)
}

nonisolated extension HTTPError: CustomStringConvertible {
  /// A description as a clause.
  package var description: String {
    switch self {
    case .badURL(let url, let reason): "'\(url)' is not a web address: \(reason)"
    case .transport(let words): words
    case .timedOut(let duration): "no response within \(duration)"
    case .tooLarge(let limit): "the response is larger than \(limit) bytes"
    }
  }
}

/// The response of a web server.
package nonisolated struct HTTPResponse: Equatable, Sendable {
  /// The status, such as 200 (RFC 9110 §15).
  package let status: Int
  /// The body.
  package let body: [UInt8]
}
