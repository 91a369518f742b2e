internal import EventLoop
internal import Glibc
internal import HTTPServer
internal import JSONText
internal import ProgramOptions

extension ProgramOptions.Command {
  nonisolated static let inspect = Self(
    "inspect", "show the state and its history in a web browser",
    options: [
      .init(
        "listen", argument: "ADDRESS",
        "a port of 127.0.0.1, or the path of a Unix socket; default: a free port"), .directory,
    ],
    details: [
      .text(
        """
        Prints a link to a page with the live state, the clients, the rate of actions and the response time; with \
        --state-dir also the actions of the journal with their changes, and the state at any of its revisions. The page \
        changes nothing and loads nothing from other hosts.
        """),
      .text(
        """
        Only browsers on this machine can reach the page, and each link works once; then the next one is printed. The \
        page stays open while the hub is down, and continues when it is back. SIGINT ends the command.
        """),
    ])
}

extension Tool {
  /// The command `inspect`: serves the inspector until a signal arrives.
  func inspect() async throws(ToolFailure) {
    let directory = try await stateDirectoryIfKnown()
    let journal: InspectorJournal? = if let directory { try InspectorJournal(directory, loop: loop) } else { nil }
    let address = options.string("listen").flatMap { HTTPAddress($0) } ?? .port(0)
    let inspector = Inspector(self, journal: journal)
    var count = 0
    try await inspector.run(at: address, { await self.rest($0) }) { [self] link in
      count += 1
      if isJSON {
        var members = [JSONValue.Member("event", "link"), .init("link", .string(link))]
        if case .path(let path) = address { members.append(.init("socket", .string(path))) }
        return print(.object(members))
      }
      var link = link
      // A browser cannot open a socket, but ssh can forward a port to it.
      if case .path = address { link = "http://localhost:8080" + link.dropFirst("http://localhost".count) }
      if count > 1 {
        return output.line("The link was used. Another one, for another browser: \(palette.strong(link))")
      }
      output.line("The inspector of \(path): \(palette.strong(link))")
      if case .path(let path) = address {
        output.line("It listens on \(path). Forward a port to it first, for example with ssh -L 8080:\(path) HOST.")
      }
      if journal == nil { output.line(palette.faint("With --state-dir it also shows the actions of the journal.")) }
      if output.isTerminal { output.line(palette.faint("Ctrl-C ends it.")) }
    }
    try checkInterruption()
  }

  /// Pauses for the given time, or until a signal arrives.
  private func rest(_ duration: Duration) async {
    try? await pause(duration)
  }
}
