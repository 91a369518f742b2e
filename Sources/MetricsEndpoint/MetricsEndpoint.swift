package import EventLoop
package import HTTPServer

/// Serves a hub's metrics over HTTP: `GET /metrics` in Prometheus' text format, and `GET /health` while the loop turns.
///
/// It accepts at most 16 connections of 32 KiB each and closes a connection after 5 seconds of silence.
package final class MetricsEndpoint {
  private let server: HTTPServer

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - address: The address. A dead socket at a path is replaced.
  ///   - mode: The permissions of a socket at a path.
  ///   - text: Returns the metrics; called once for each request.
  /// - Throws: The reason why it cannot listen there.
  package init(
    on loop: EventLoop, at address: HTTPAddress, mode: UInt32, _ text: @escaping () -> String
  ) throws(UVError) {
    var limits = HTTPServer.Limits()
    limits.mode = mode
    server = try HTTPServer(on: loop, at: address, limits: limits) {
      $0.answer(Self.response(to: $0.request.path, text))
    }
  }

  /// Stops serving and removes the socket.
  package func close() { server.close() }

  private static func response(to path: String, _ text: () -> String) -> HTTPResponse {
    switch path {
    case "/metrics": HTTPResponse(200, "text/plain; version=0.0.4; charset=utf-8", Array(text().utf8))
    case "/health": .text(200, "ok\n")
    default: .text(404, "there are /metrics and /health\n")
    }
  }
}
