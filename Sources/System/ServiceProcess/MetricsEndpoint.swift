package import EventLoop
package import HTTPServer

/// Serves the metrics of a service over HTTP: `GET /metrics` in Prometheus' text format, and `GET /health`.
///
/// It accepts at most 16 connections of 32 KiB each and closes a connection after 5 seconds of silence. Requests are
/// answered by the loop, and wait until it runs.
package final class MetricsEndpoint {
  /// The resources of the endpoint.
  package struct Content {
    /// Returns the metrics; called once for each request.
    package var metrics: () -> String
    /// Returns the health of the service; called once for each request.
    package var health: () -> Health

    /// Creates the content.
    package init(metrics: @escaping () -> String, health: @escaping () -> Health) {
      (self.metrics, self.health) = (metrics, health)
    }
  }

  /// The condition of a service.
  package nonisolated enum Health: Equatable, Sendable {
    /// It serves its clients: status 200.
    case ok
    /// It runs, but cannot do everything, for this reason: status 503.
    case degraded(String)
    /// It stops: status 503.
    case stopping
  }

  private let server: HTTPServer

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - address: The address. A dead socket at a path is replaced.
  ///   - mode: The permissions of a socket at a path.
  ///   - content: The source of the answers.
  /// - Throws: The reason why it cannot listen there.
  package init(on loop: EventLoop, at address: HTTPAddress, mode: UInt32, _ content: Content) throws(UVError) {
    var limits = HTTPServer.Limits()
    limits.mode = mode
    server = try HTTPServer(on: loop, at: address, limits: limits) { Self.answer($0, content) }
  }

  /// Starts to serve on a listening socket that the service manager has passed, which it keeps.
  package init(on loop: EventLoop, adopting descriptor: CInt, _ content: Content) throws(UVError) {
    server = try HTTPServer(on: loop, adopting: descriptor) { Self.answer($0, content) }
  }

  /// Stops serving, and removes the socket if it is not the service manager's.
  package func close() { server.close() }

  private static func answer(_ exchange: HTTPExchange, _ content: Content) {
    switch exchange.request.path {
    case "/metrics":
      exchange.answer(HTTPResponse(200, "text/plain; version=0.0.4; charset=utf-8", Array(content.metrics().utf8)))
    case "/health":
      switch content.health() {
      case .ok: exchange.answer(.text(200, "ok\n"))
      case .degraded(let reason): exchange.answer(.text(503, "degraded: \(reason)\n"))
      case .stopping: exchange.answer(.text(503, "stopping\n"))
      }
    default: exchange.answer(.text(404, "there are /metrics and /health\n"))
    }
  }
}
