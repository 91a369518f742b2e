internal import HTTPServer
package import ProgramOptions
internal import ServiceProcess

/// The settings of a gateway's command line.
package nonisolated struct GatewayOptions {
  var file: (path: String, isOptional: Bool)?
  var isOnlyChecked: Bool
  var metrics: HTTPAddress?
  var level: Log.Level

  /// Reads the options.
  package init(_ parsed: ParsedOptions) throws(UsageError) {
    file = parsed.string("config").map { $0.hasPrefix("-") ? (String($0.dropFirst()), true) : ($0, false) }
    if file?.path.isEmpty == true { throw UsageError("--config needs the path of a file, but it is empty") }
    isOnlyChecked = parsed.flag("check-config")
    level = try parsed.choice("log-level", of: Log.Level.allCases.map { ("\($0)", $0) }, default: .info)
    guard let address = parsed.string("metrics") else { return }
    metrics = HTTPAddress(address)
    if metrics == nil {
      throw UsageError("--metrics needs a path with a slash or a port from 1 to 65535, not '\(address)'")
    }
  }
}

/// The command line of storegate, from which the parser, `--help`, the manual page and the completions are made.
package nonisolated func gatewayOptions() -> ProgramOptions {
  ProgramOptions(
    program: "storegate",
    purpose: "Lets browsers and remote programs attach to a hub, through WebSockets.",
    manualSection: 8,
    options: [
      .init(
        "config", argument: "FILE",
        "read the settings below from FILE; with a dash before FILE it may be missing; without this option the defaults hold",
        value: .file),
      .init("check-config", "check and print the configuration, and exit; the status is 0 if it is valid"),
      .init(
        "metrics", argument: "ADDRESS",
        """
        serve metrics for Prometheus at /metrics, and the health at /health, on the path of a Unix socket or on a port of \
        127.0.0.1; a socket with the name metrics from the service manager is served without this option
        """),
      .init(
        "log-level", argument: "LEVEL", "error, warning, info or debug; default info",
        value: .words(Log.Level.allCases.map { "\($0)" })),
    ],
    sections: [
      .init(
        "CONFIGURATION",
        [
          .text(
            "The file has sections in brackets, settings such as hub = /run/storehub/hub.sock, and comments after ;.")
        ]
          + GatewaySetting.sections.flatMap { section -> [ProgramOptions.Block] in
            let settings = GatewaySetting.all.filter { $0.section == section }
            return [.text("[\(section)]"), .terms(settings.map { ($0.name, $0.meaning) })]
          }),
      .init(
        "TOKENS",
        [
          .text(
            """
            A client needs a token, which `storectl token create` makes for a user of the hub's configuration. It sends \
            the token in the header Authorization, as Bearer TOKEN, or as the subprotocol storehub.token.TOKEN beside \
            storehub. A token that is revoked, or expires, closes its connections at once.
            """)
        ]),
      .init(
        "CLOSE CODES",
        [
          .terms([
            ("1001", "the gateway stops"), ("1003", "the client has sent a text"),
            ("1009", "a message exceeds message-bytes"),
            ("1012", "the hub has closed the connection, after its reason; the client may connect again"),
            ("1013", "the hub cannot be reached; the client may try again later"),
            ("4401", "the token is missing, unknown, revoked or expired"),
          ])
        ]),
      .init(
        "SIGNALS",
        [
          .terms([
            ("SIGTERM, SIGINT", "stop: close all WebSockets with code 1001, and exit"),
            ("SIGHUP", "read the configuration, the tokens and the certificate again"),
          ])
        ]),
      .init(
        "EXIT STATUS",
        [
          .terms([
            ("0", "stopped in order"), ("1", "the gateway could not start; another start may succeed"),
            ("2", "the command line or the configuration is wrong"),
          ])
        ]),
      .init("SEE ALSO", [.text("storectl(1), storehubd(8), storehub.conf(5), and GATEWAY.md in the documentation")]),
    ])
}
