/// A request for a resource, without a body: other methods than GET are refused before anybody sees them.
public nonisolated struct HTTPRequest: Equatable, Sendable {
  /// The path, such as `/metrics`.
  public var path: String
  /// The decoded parameters of the query; the last of several with the same name.
  public var query: [String: String]
  /// The headers by their names in lower case; several of one name are joined by a comma and a space.
  public var headers: [String: String]

  /// Creates a request.
  public init(path: String, query: [String: String] = [:], headers: [String: String] = [:]) {
    (self.path, self.query, self.headers) = (path, query, headers)
  }
}

/// The answer to a request.
public nonisolated struct HTTPResponse: Equatable, Sendable {
  /// The status code.
  public var status: UInt32
  /// The names and values of the headers; the length of the body is added.
  public var headers: [(String, String)]
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(_ status: UInt32, _ type: String, _ body: [UInt8], headers: [(String, String)] = []) {
    (self.status, self.body) = (status, body)
    self.headers = [("Content-Type", type)] + headers
  }

  /// Creates a response with a plain text.
  public static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
    HTTPResponse(status, "text/plain; charset=utf-8", Array(text.utf8))
  }

  /// Returns true if status, headers and body are the same.
  public static func == (a: HTTPResponse, b: HTTPResponse) -> Bool {
    a.status == b.status && a.body == b.body && a.headers.elementsEqual(b.headers, by: ==)
  }
}

/// A request that is to be answered, now or later.
public final class HTTPExchange {
  /// The request.
  public let request: HTTPRequest
  private(set) var response: HTTPResponse?
  /// Continues a connection that waits for the answer.
  var resume: (() -> Void)?

  init(_ request: HTTPRequest) { self.request = request }

  /// True if the answer was given, or the peer does not wait for it any more.
  public var isOver: Bool { response != nil }

  /// Answers the request; a second answer has no effect.
  public func answer(_ response: HTTPResponse) {
    guard self.response == nil else { return }
    self.response = response
    resume.take()?()
  }
}
