internal import GatewayTokens
internal import ServiceProcess

/// The text of a gateway's metrics.
struct GatewayMetrics {
  private let process = ProcessFigures()
  private let version: String

  init(version: String) { self.version = version }

  /// Returns the metrics in the text format of Prometheus.
  func text(of gateway: Gateway, certificateExpiry: Int64?) -> String {
    var text = PrometheusText(prefix: "storegate_")
    let figures = gateway.figures
    text.info("build_info", "The version of the gateway.", [("version", version)])
    text.gauge("connections", "Open connections, with and without a WebSocket.", UInt64(gateway.connectionCount))
    text.gauge("websockets", "Open WebSockets with a valid token.", UInt64(gateway.connections.count))
    text.gauge("tokens", "Tokens, also expired ones.", UInt64(gateway.tokens.all.count))
    text.counter("accepted_total", "Accepted connections.", figures.accepted)
    text.counter("refused_connections_total", "Connections beyond a limit.", figures.refusedConnections)
    text.counter("refused_origins_total", "Requests of pages that may not connect.", figures.refusedOrigins)
    text.counter("wrong_tokens_total", "Requests without a valid token.", figures.wrongTokens)
    text.counter("refused_guesses_total", "Requests after too many wrong tokens.", figures.refusedGuesses)
    text.counter("refused_by_token_total", "Requests beyond the limit of a token.", figures.refusedByToken)
    text.counter("ended_tokens_total", "Connections closed because their token has ended.", figures.endedTokens)
    text.counter("hub_unreachable_total", "WebSockets for which the hub could not be reached.", figures.unreachable)
    text.counter("received_bytes_total", "Bytes passed from clients to the hub.", figures.traffic.fromClients)
    text.counter("sent_bytes_total", "Bytes passed from the hub to clients.", figures.traffic.toClients)
    if let certificateExpiry {
      text.gauge(
        "certificate_expiry_seconds", "The end of the certificate's validity in seconds since the Unix epoch.",
        UInt64(clamping: certificateExpiry))
    }
    var others = PrometheusText()
    process.add(to: &others)
    text.append(others)
    return text.text
  }
}
