public import Dependencies
internal import Foundation
public import FoundationNetworking

extension DependencyValues {
  /// The session for loading URLs: the shared one; in tests, one that is reported and fails each request.
  ///
  /// ```swift
  /// @Dependency(\.urlSession) var urlSession
  /// let (data, _) = try await urlSession.data(from: url)
  /// ```
  ///
  /// A custom dependency with just the function that a feature needs is easier to override in tests.
  public var urlSession: URLSession {
    get { self[URLSessionKey.self] }
    set { self[URLSessionKey.self] = newValue }
  }
}

private enum URLSessionKey: DependencyKey {
  static let liveValue = URLSession.shared
  static var testValue: URLSession {
    reportUnimplemented("urlSession")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [RefusingURLProtocol.self]
    return URLSession(configuration: configuration)
  }
}

/// Answers every request with an error, so that tests never reach the network.
private final class RefusingURLProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    client?.urlProtocol(self, didFailWithError: RefusedRequest(url: request.url?.absoluteString ?? "nothing"))
  }

  override func stopLoading() {}
}

/// The reason why a request of a test failed.
private struct RefusedRequest: Error, CustomStringConvertible {
  let url: String

  var description: String { "the test did not override urlSession, which was to load \(url)" }
}
