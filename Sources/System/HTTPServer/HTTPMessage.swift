/// A GET request. The server refuses other methods and ignores request bodies.
package nonisolated struct HTTPRequest: Equatable, Sendable {
  /// The path, such as `/metrics`.
  package var path: String
  /// The decoded query parameters. If a parameter is repeated, the last value counts.
  package var query: [String: String]
  /// The headers by lower-case name. The values of a repeated header are joined by a comma and a space.
  package var headers: [String: String]

  /// Creates a request.
  package init(path: String, query: [String: String] = [:], headers: [String: String] = [:]) {
    (self.path, self.query, self.headers) = (path, query, headers)
  }
}

/// The response to a request.
package nonisolated struct HTTPResponse: Equatable, Sendable {
  /// The status code.
  package var status: UInt32
  /// The names and values of the headers. The server adds the content length.
  package var headers: [(String, String)]
  /// The body.
  package var body: [UInt8]

  /// Creates a response.
  package init(_ status: UInt32, _ type: String, _ body: [UInt8], headers: [(String, String)] = []) {
    (self.status, self.body) = (status, body)
    self.headers = [("Content-Type", type)] + headers
  }

  /// Creates a response with plain text.
  package static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
    HTTPResponse(status, "text/plain; charset=utf-8", Array(text.utf8))
  }

  /// Returns true if status, headers and body are equal.
  package static func == (a: HTTPResponse, b: HTTPResponse) -> Bool {
    a.status == b.status && a.body == b.body && a.headers.elementsEqual(b.headers, by: ==)
  }
}

/// A request together with its response, which may be given later.
package final class HTTPExchange {
  /// The request.
  package let request: HTTPRequest
  /// The timeout for silence of the request's connection from now on, in seconds; nil for the server's. Set it before
  /// the function that receives the exchange returns.
  package var idleSeconds: UInt32?
  private(set) var response: HTTPResponse?
  /// Resumes the connection, which is suspended until the response is given.
  var resume: (() -> Void)?

  init(_ request: HTTPRequest) { self.request = request }

  /// True if the response was given or the peer no longer waits for it.
  package var isOver: Bool { response != nil }

  /// Gives the response. A second response has no effect.
  package func answer(_ response: HTTPResponse) {
    guard self.response == nil else { return }
    self.response = response
    resume.take()?()
  }
}
