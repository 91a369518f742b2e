internal import ProgramOptions
internal import WebSocketServer

/// A setting of a gateway's file: its name, its form and its meaning.
nonisolated struct GatewaySetting: Sendable {
  let section: String
  let name: String
  /// The permitted values, after "must be".
  let form: String
  let meaning: String
  /// Sets the value; returns false if the text has another form.
  let set: @Sendable (inout GatewayConfiguration, String) -> Bool
  /// The value as text; nil if there is none.
  let get: @Sendable (GatewayConfiguration) -> String?

  /// The settings that a running gateway does not change.
  static let later = all.filter {
    ["listen", "hub", "tokens", "certificate", "key", "request-timeout", "ping-interval"].contains($0.name)
  }

  static let sections = ["gateway", "tls", "limits", "files"]

  /// All settings, in the order of the manual page.
  static let all: [GatewaySetting] = [
    GatewaySetting(
      section: "gateway", name: "listen", form: "numeric addresses with ports, such as 127.0.0.1:7080, [::1]:7080",
      meaning: """
        the addresses to listen on, unless the service manager passes a socket; default 127.0.0.1:7080. Addresses that \
        other machines can reach need [tls]
        """
    ) { configuration, text in
      let addresses = words(text).map { ListenAddress($0) }
      guard !addresses.isEmpty, !addresses.contains(nil) else { return false }
      configuration.listen = addresses.compactMap(\.self)
      return true
    } get: {
      $0.listen.map(\.text).joined(separator: ", ")
    },
    path("gateway", "hub", \.hub, "the path of the hub's socket; default: that of this user's hub"),
    path("gateway", "tokens", \.tokens, "the file with the tokens, which `storectl token` writes"),
    GatewaySetting(
      section: "gateway", name: "origins", form: "origins of pages, such as https://board.example.org",
      meaning: """
        the pages that may connect, by scheme, host and port as in the header Origin; default none. Programs that are \
        no browsers send no origin, and need none
        """
    ) { configuration, text in
      let origins = words(text)
      guard origins.allSatisfy(isOrigin) else { return false }
      configuration.origins = Set(origins.map { $0.lowercased() })
      return true
    } get: {
      $0.origins.isEmpty ? nil : $0.origins.sorted().joined(separator: ", ")
    },
    optionalPath("tls", "certificate", \.certificate, "the certificate in PEM, followed by those of its authorities"),
    optionalPath("tls", "key", \.key, "its key in PEM, without a passphrase; SIGHUP reads both again"),
    count("connections", \.connections, 1...65_000, "the number of open connections; further ones are closed at once"),
    count(
      "connections-per-address", \.connectionsPerAddress, 1...65_000,
      "the number of open connections from one address, or from one network of IPv6; raise it behind a proxy"),
    count("connections-per-token", \.connectionsPerToken, 1...65_000, "the number of open WebSockets with one token"),
    count(
      "guesses-per-minute", \.guessesPerMinute, 1...100_000,
      "the number of wrong tokens from one address in a minute; further ones are refused at once for the rest of it"
    ),
    time("request-timeout", \.limits.requestTime, 1...600, "the time for a TLS handshake and a whole request"),
    time(
      "ping-interval", \.limits.pingInterval, 1...3600,
      "the silence after which a WebSocket is pinged; after twice it is closed"),
    GatewaySetting(
      section: "limits", name: "message-bytes", form: "a number of bytes from 1K to 64M, such as 4M",
      meaning: "the maximum size of a WebSocket message; a larger one closes its connection before it has arrived"
    ) { configuration, text in
      guard let count = bytes(text), 1 << 10...64 << 20 ~= count else { return false }
      configuration.limits.messageBytes = count
      return true
    } get: {
      "\($0.limits.messageBytes)"
    },
    optionalPath(
      "files", "root", \.root, "a directory whose files everyone may read at /, without a token; default none"),
  ]

  private static func words(_ text: String) -> [String] {
    text.split { $0 == "," || $0.isWhitespace }.map(String.init)
  }

  /// Returns true for a scheme, a host and perhaps a port, without a path.
  private static func isOrigin(_ text: String) -> Bool {
    guard let range = text.firstRange(of: "://"), ["http", "https"].contains(text[..<range.lowerBound].lowercased())
    else { return false }
    let host = text[range.upperBound...]
    return !host.isEmpty && !host.contains { "/?#@*".contains($0) }
  }

  private static func bytes(_ text: String) -> Int? {
    for (suffix, unit) in [("K", 1 << 10), ("M", 1 << 20)] where text.hasSuffix(suffix) {
      return Int(text.dropLast()).flatMap { 0...1 << 20 ~= $0 ? $0 * unit : nil }
    }
    return Int(text)
  }

  private static func path(
    _ section: String, _ name: String, _ value: any WritableKeyPath<GatewayConfiguration, String> & Sendable,
    _ meaning: String
  ) -> GatewaySetting {
    path(section, name, meaning) {
      $0[keyPath: value] = $1
    } get: {
      $0[keyPath: value]
    }
  }

  private static func optionalPath(
    _ section: String, _ name: String, _ value: any WritableKeyPath<GatewayConfiguration, String?> & Sendable,
    _ meaning: String
  ) -> GatewaySetting {
    path(section, name, meaning) {
      $0[keyPath: value] = $1
    } get: {
      $0[keyPath: value]
    }
  }

  private static func path(
    _ section: String, _ name: String, _ meaning: String,
    set: @escaping @Sendable (inout GatewayConfiguration, String) -> Void,
    get: @escaping @Sendable (GatewayConfiguration) -> String?
  ) -> GatewaySetting {
    GatewaySetting(
      section: section, name: name, form: "a path", meaning: meaning,
      set: {
        set(&$0, $1)
        return !$1.isEmpty
      }, get: get)
  }

  private static func count(
    _ name: String, _ value: any WritableKeyPath<GatewayConfiguration, Int> & Sendable, _ range: ClosedRange<Int>,
    _ meaning: String
  ) -> GatewaySetting {
    GatewaySetting(
      section: "limits", name: name, form: "a number from \(range.lowerBound) to \(range.upperBound)", meaning: meaning
    ) {
      guard let count = Int($1), range.contains(count) else { return false }
      $0[keyPath: value] = count
      return true
    } get: {
      "\($0[keyPath: value])"
    }
  }

  private static func time(
    _ name: String, _ value: any WritableKeyPath<GatewayConfiguration, Duration> & Sendable,
    _ range: ClosedRange<Int64>, _ meaning: String
  ) -> GatewaySetting {
    GatewaySetting(
      section: "limits", name: name,
      form: "a time of whole seconds from \(range.lowerBound)s to \(range.upperBound)s, such as 30s", meaning: meaning
    ) {
      guard let time = Duration(text: $1), time.components.attoseconds == 0, range.contains(time.components.seconds)
      else { return false }
      $0[keyPath: value] = time
      return true
    } get: {
      "\($0[keyPath: value].components.seconds)s"
    }
  }
}
