/// A GET request. The server refuses other methods and ignores request bodies.
public nonisolated struct HTTPRequest: Equatable, Sendable {
  /// The path, such as `/metrics`.
  public var path: String
  /// The decoded query parameters. If a parameter is repeated, the last value counts.
  public var query: [String: String]
  /// The headers by lower-case name. The values of a repeated header are joined by a comma and a space.
  public var headers: [String: String]

  /// Creates a request.
  public init(path: String, query: [String: String] = [:], headers: [String: String] = [:]) {
    (self.path, self.query, self.headers) = (path, query, headers)
  }
}

/// The response to a request.
public nonisolated struct HTTPResponse: Equatable, Sendable {
  /// The status code.
  public var status: UInt32
  /// The names and values of the headers. The server adds the content length.
  public var headers: [(String, String)]
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(_ status: UInt32, _ type: String, _ body: [UInt8], headers: [(String, String)] = []) {
    (self.status, self.body) = (status, body)
    self.headers = [("Content-Type", type)] + headers
  }

  /// Creates a response with plain text.
  public static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
    HTTPResponse(status, "text/plain; charset=utf-8", Array(text.utf8))
  }

  /// Returns true if status, headers and body are equal.
  public static func == (a: HTTPResponse, b: HTTPResponse) -> Bool {
    a.status == b.status && a.body == b.body && a.headers.elementsEqual(b.headers, by: ==)
  }
}

/// A request together with its response, which may be given later.
public final class HTTPExchange {
  /// The request.
  public let request: HTTPRequest
  /// The timeout for silence of the request's connection from now on, in seconds; nil for the server's. Set it before
  /// the function that receives the exchange returns.
  public var idleSeconds: UInt32?
  private(set) var response: HTTPResponse?
  /// Resumes the connection, which is suspended until the response is given.
  var resume: (() -> Void)?

  init(_ request: HTTPRequest) { self.request = request }

  /// True if the response was given or the peer no longer waits for it.
  public var isOver: Bool { response != nil }

  /// Gives the response. A second response has no effect.
  public func answer(_ response: HTTPResponse) {
    guard self.response == nil else { return }
    self.response = response
    resume.take()?()
  }
}
