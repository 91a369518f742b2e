import Foundation
import GatewayTokens
import TestSupport
import Testing
import Wire

/// Attacks on a gateway, and its ends, with real processes.
@Suite(.timeLimit(.minutes(30)), .blocking) struct GatewayProgramTests {
  private func hello() -> [UInt8] { bytes(Hello(name: "test")) }

  private func bytes(_ message: some Message) -> [UInt8] {
    var writer = FrameWriter()
    let range = writer.frame(message)
    return writer.span(range).withUnsafeBytes { Array($0) }
  }

  /// Returns the kind of the first frame of the protocol that the client receives.
  private func kind(_ client: RawWebSocket) -> FrameKind? {
    let head = client.readMessages(16)
    return head.count < 16 ? nil : FrameKind(rawValue: head[4])
  }

  @Test func aClientWithATokenTalksToTheHub() throws {
    let gateway = try GatewayProcess()
    let client = try gateway.open(try gateway.createToken())
    client.send(opcode: 2, hello())
    #expect(kind(client) == .welcome)
    // The header, which programs that are no browsers can set, will do as well.
    let other = try gateway.connect()
    let token = try gateway.createToken("other")
    #expect(other.open(token: nil, "Authorization: Bearer \(token)\r\n") == 101)
    other.send(opcode: 2, hello())
    #expect(kind(other) == .welcome)
    #expect(gateway.stop() == 0)
    #expect(client.readCloseCode() == 1001)
  }

  // MARK: Admission

  @Test func pagesOfOtherSitesAreRefused() throws {
    let gateway = try GatewayProcess("origins = https://board.example.org")
    let token = try gateway.createToken()
    for origin in ["https://evil.example", "http://board.example.org", "https://board.example.org:8443", "null"] {
      #expect(try gateway.connect().open(token: token, origin: origin) == 403, "\(origin)")
    }
    #expect(try gateway.connect().open(token: token, origin: "https://board.example.org") == 101)
    #expect(gateway.log.contains("refused a page of https://evil.example from 127.0.0.1"))
  }

  @Test func aClientMustOfferTheSubprotocol() throws {
    let gateway = try GatewayProcess()
    let token = try gateway.createToken()
    #expect(try gateway.connect().open(token: token, protocols: "chat") == 400)
    #expect(try gateway.connect().open(token: nil, protocols: "") == 400)
  }

  @Test func guessingTokensIsLimited() throws {
    let gateway = try GatewayProcess("[limits]\nguesses-per-minute = 3")
    let token = try gateway.createToken()
    for guess in [nil, "sgt_wrong", String(token.dropLast())] {
      let client = try gateway.connect()
      #expect(client.open(token: guess) == 101)
      #expect(client.readCloseCode() == 4401)
    }
    #expect(try gateway.connect().open(token: "sgt_wrong") == 429)
    // Otherwise anyone could keep out the clients behind the same proxy.
    let client = try gateway.open(token)
    client.send(opcode: 2, hello())
    #expect(kind(client) == .welcome)
  }

  @Test func slowAndSilentRequestsEnd() throws {
    let gateway = try GatewayProcess("[limits]\nrequest-timeout = 1s")
    let (silent, slow) = (try gateway.connect(), try gateway.connect())
    slow.send("GET / HTTP/1.1\r\n")
    // Bytes that arrive do not extend the time: otherwise it would never end.
    let hasEnded = poll {
      slow.send("X")
      return slow.isClosed
    }
    #expect(hasEnded)
    #expect(silent.readAll().isEmpty && silent.hasEnded)
  }

  @Test func connectionsAreLimited() throws {
    let gateway = try GatewayProcess(
      "[limits]\nconnections-per-address = 3\nconnections-per-token = 2\nrequest-timeout = 60s")
    let token = try gateway.createToken()
    let (one, two) = (try gateway.open(token), try gateway.open(token))
    let third = try gateway.connect()
    #expect(third.open(token: token) == 503)
    _ = third.readAll()
    let (idle, refused) = (try gateway.connect(), try gateway.connect())
    #expect(refused.readAll().isEmpty && refused.hasEnded)
    let reason = "refused a connection from 127.0.0.1: the limit connections-per-address is reached"
    #expect(poll { gateway.log.contains(reason) })
    withExtendedLifetime((one, two, idle)) {}
  }

  // MARK: Messages

  @Test func textsAndMessagesThatAreTooLargeCloseTheirConnection() throws {
    let gateway = try GatewayProcess("[limits]\nmessage-bytes = 1K")
    let token = try gateway.createToken()
    let text = try gateway.open(token)
    text.send(opcode: 1, Array("hello".utf8))
    #expect(text.readCloseCode() == 1003)
    // Only the head arrives, which announces a terabyte.
    let announced = try gateway.open(token)
    announced.send(opcode: 2, [1], length: 1 << 40)
    #expect(announced.readCloseCode() == 1009)
    let fragments = try gateway.open(token)
    // The beginning of a hello of 4,000 bytes, whose rest the hub awaits.
    let beginning: [UInt8] = [0xa0, 0x0f, 0, 0, FrameKind.hello.rawValue] + [UInt8](repeating: 0, count: 995)
    fragments.send(opcode: 2, beginning, isFinal: false)
    fragments.send(opcode: 0, [UInt8](repeating: 0, count: 1000))
    #expect(fragments.readCloseCode() == 1009)
    let unknown = try gateway.open(token)
    unknown.send(opcode: 3, [1])
    _ = unknown.readAll()
    #expect(unknown.hasEnded)
  }

  @Test func fragmentsAndGluedFramesAreOneStream() throws {
    let gateway = try GatewayProcess()
    let client = try gateway.open(try gateway.createToken())
    let bytes = hello() + self.bytes(Ping(number: 7))
    for (index, byte) in bytes.enumerated() {
      client.send(opcode: index == 0 ? 2 : 0, [byte], isFinal: index == bytes.count - 1)
      if index == 5 { client.send(opcode: 9, [1, 2]) }
    }
    // The answer to the ping may come before the hub's or after it.
    var (pongs, messages): ([[UInt8]], [UInt8]) = ([], [])
    while pongs.isEmpty || messages.count < 16, let frame = client.readFrame() {
      if frame.opcode == 10 { pongs.append(frame.payload) } else { messages += frame.payload }
    }
    #expect(pongs == [[1, 2]])
    #expect(messages.count >= 16 && FrameKind(rawValue: messages[4]) == .welcome)
  }

  @Test func aClientCannotNameAnotherUser() throws {
    let gateway = try GatewayProcess()
    let client = try gateway.open(try gateway.createToken())
    client.send(opcode: 2, bytes(Represent(user: 3_000_000_002)) + hello())
    #expect(kind(client) == .error)
    #expect(client.readCloseCode() == 1012)
  }

  @Test func aUserWithoutASectionIsRefusedByTheHub() throws {
    let gateway = try GatewayProcess()
    let client = try gateway.open(try gateway.createToken(user: 3_000_000_002))
    client.send(opcode: 2, hello())
    #expect(kind(client) == .error)
    #expect(client.readCloseCode() == 1012)
  }

  // MARK: The hub and the tokens

  @Test func aHubThatEndsOrIsAbsentIsReported() throws {
    let gateway = try GatewayProcess()
    let token = try gateway.createToken()
    let client = try gateway.open(token)
    client.send(opcode: 2, hello())
    #expect(kind(client) == .welcome)
    _ = gateway.hub.kill(SIGKILL)
    #expect(client.readCloseCode() == 1012)
    // The answer to the close is read, although the client had to wait for the hub: otherwise the gateway would wait for
    // it. A pause of this machine may take as long.
    let isAnswerRead = try (0..<20).contains { _ in
      let refused = try gateway.open(token)
      #expect(refused.readCloseCode() == 1013)
      let answered = ContinuousClock.now
      refused.send(opcode: 8, [0x03, 0xf5])
      _ = refused.readAll()
      #expect(refused.hasEnded)
      return ContinuousClock.now - answered < .seconds(4)
    }
    #expect(isAnswerRead)
    #expect(gateway.log.contains("the hub cannot be reached: "))
    try gateway.hub.start(["--config", gateway.directory + "/hub.conf"])
    let again = try gateway.open(token)
    again.send(opcode: 2, hello())
    #expect(kind(again) == .welcome)
  }

  @Test func aTokenThatIsRevokedOrExpiresClosesItsConnections() throws {
    let gateway = try GatewayProcess()
    let (revoked, kept) = (
      try gateway.open(try gateway.createToken("a")), try gateway.open(try gateway.createToken("b"))
    )
    #expect(try Program(name: "storectl").run("token", "revoke", "a", "--file", gateway.tokens).status == 0)
    #expect(revoked.readCloseCode() == 4401)
    let short = try openBriefly(gateway).client
    #expect(short.readCloseCode() == 4401)
    kept.send(opcode: 2, hello())
    #expect(kind(kept) == .welcome)
  }

  /// Opens a connection with a token that expires soon, and waits for that; returns it with the name of the token.
  private func openBriefly(_ gateway: GatewayProcess) throws -> (client: RawWebSocket, name: String) {
    for seconds in [2, 10, 60] as [Int64] {
      let (name, text) = ("short\(seconds)", GatewayToken.newText())
      let (before, now) = (gateway.log.matches(of: /read [0-9]+ token/).count, Int64(time(nil)))
      try TokenFile(gateway.tokens).update {
        _ = $0.add(
          GatewayToken(
            name: name, digest: GatewayToken.digest(of: text), user: UInt32(GatewayProcess.user), created: now,
            expiry: now + seconds))
      }
      try #require(poll { gateway.log.matches(of: /read [0-9]+ token/).count > before })
      let client = try gateway.open(text)
      // If this machine was paused, the token had expired before.
      if poll(for: Double(seconds) + 10, until: { gateway.log.contains("the token \(name) has expired") }) {
        return (client, name)
      }
    }
    let none: (client: RawWebSocket, name: String)? = nil
    return try #require(none, "no token was valid when its connection was opened: \(gateway.log)")
  }

  @Test func aClientThatIgnoresTheEndOfItsTokenHoldsNobodyUp() throws {
    let gateway = try GatewayProcess()
    let other = try gateway.open(try gateway.createToken())
    let (silent, name) = try openBriefly(gateway)
    // The close is neither read nor answered meanwhile.
    other.send(opcode: 2, hello())
    #expect(kind(other) == .welcome)
    #expect(gateway.log.ranges(of: "the token \(name) has expired").count == 1)
    withExtendedLifetime(silent) {}
  }

  @Test func aClientThatLeavesCountsUntilTheHubHasItsBytes() throws {
    let gateway = try GatewayProcess("[limits]\nconnections-per-token = 1\nping-interval = 1s")
    let token = try gateway.createToken()
    _ = gateway.stop()
    let metrics = gateway.directory + "/metrics.sock"
    try gateway.start(["--metrics", metrics])
    let hub = try #require(gateway.hub.process)
    stopProcess(hub.processIdentifier)
    defer { kill(hub.processIdentifier, SIGCONT) }
    do {
      // More than the hub's socket takes.
      let client = try gateway.open(token)
      client.send(opcode: 2, [UInt8](repeating: 0, count: 1 << 20))
    }
    let http = LocalHTTP(address: .path(metrics))
    try #require(poll { http.request("GET", "/metrics")?.text.contains("storegate_connections 0\n") == true })
    // Otherwise each further one would take a descriptor and memory, in no limit.
    #expect(try gateway.connect().open(token: token) == 503)
    // The hub refuses the bytes.
    kill(hub.processIdentifier, SIGCONT)
    #expect(poll { (try? gateway.connect().open(token: token)) == 101 })
  }

  @Test func aFileOfTokensThatIsRightAgainEndsTheReport() throws {
    let gateway = try GatewayProcess()
    _ = gateway.stop()
    let metrics = gateway.directory + "/metrics.sock"
    try gateway.start(["--metrics", metrics])
    let http = LocalHTTP(address: .path(metrics))
    _ = try gateway.createToken("a")
    try #require(chmod(gateway.tokens, 0o644) == 0)
    #expect(poll { http.request("GET", "/health")?.text.contains("other users could read or change it") == true })
    try #require(chmod(gateway.tokens, 0o600) == 0)
    #expect(poll { http.request("GET", "/health")?.text == "ok\n" })
  }

  // MARK: Files

  @Test func onlyTheFilesOfTheDirectoryAreServed() throws {
    let gateway = try GatewayProcess()
    #expect(try get(gateway, "/").status == 426, "no files without [files]")
    _ = gateway.stop()
    let page = gateway.directory + "/page"
    try FileManager.default.createDirectory(atPath: page, withIntermediateDirectories: true)
    try "<p>board</p>".write(toFile: page + "/index.html", atomically: true, encoding: .utf8)
    try gateway.configure("[files]\nroot = \(page)")
    try gateway.start()
    let answer = try get(gateway, "/?query")
    #expect(answer.status == 200 && answer.text.hasSuffix("<p>board</p>"))
    #expect(answer.text.contains("content-security-policy: default-src 'self'"))
    for path in [
      "/../gateway.conf", "/%2e%2e/gateway.conf", "/..%2fgateway.conf", "/x/../../gateway.conf", "//../gateway.conf",
      "/%00", "/.", "/index.html%00.txt", "/tokens/file", "http://localhost/../gateway.conf",
    ] {
      let answer = try get(gateway, path)
      #expect(!answer.text.contains("[gateway]"), "\(path)")
    }
    let post = try gateway.connect()
    post.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    #expect(post.readHead().status != 200)
  }

  /// An address that answers only WebSockets says so to those who look at it with a browser or curl.
  @Test func aRequestWithoutAWebSocketIsToldWhatThisIs() throws {
    let gateway = try GatewayProcess()
    for path in ["/", "/any/path"] {
      let answer = try get(gateway, path)
      #expect(answer.status == 426 && answer.text.lowercased().contains("\r\nupgrade: websocket\r\n"), "\(answer.text)")
      #expect(answer.text.contains("\r\nconnection: upgrade, close\r\n"), "\(answer.text)")
      #expect(answer.text.contains("\r\n\r\nThis is storegate, "), "\(answer.text)")
      #expect(answer.text.contains("subprotocol storehub") && answer.text.contains("token"), "\(answer.text)")
      // Where the hub is concerns nobody on the network.
      #expect(!answer.text.contains(gateway.hub.socket))
    }
    let post = try gateway.connect()
    post.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    #expect(post.readHead().status == 426)
    let guide = try String(contentsOfFile: RepositoryFiles.root.path + "/docs/GATEWAY.md", encoding: .utf8)
    for line in try get(gateway, "/").text.replacing("\r\n", with: "\n").split(separator: "\n") {
      let shown = line.trimmingCharacters(in: .whitespaces)
      #expect(guide.contains("\n   \(shown)\n"), "docs/GATEWAY.md does not show '\(shown)'")
    }
    _ = gateway.stop()
    let page = gateway.directory + "/page"
    try FileManager.default.createDirectory(atPath: page, withIntermediateDirectories: true)
    try gateway.configure("[files]\nroot = \(page)")
    try gateway.start()
    let missing = try get(gateway, "/")
    #expect(missing.status == 404 && missing.text.contains("there is no such page"), "\(missing.text)")
    #expect(missing.text.contains("This is storegate, "), "\(missing.text)")
  }

  private func get(_ gateway: GatewayProcess, _ path: String) throws -> (status: Int, text: String) {
    let client = try gateway.connect()
    client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let head = client.readHead()
    return (head.status, head.text + "\r\n\r\n" + client.readAll())
  }

  // MARK: The program

  @Test func theConfigurationIsCheckedAndReadAgain() throws {
    let gateway = try GatewayProcess("origins = https://a.example")
    let token = try gateway.createToken()
    let file = gateway.directory + "/gateway.conf"
    let check = try Program(name: "storegate").run("--config", file, "--check-config")
    #expect(check.status == 0 && check.output.contains("origins = https://a.example\n"))
    let process = try #require(gateway.process)
    try gateway.configure("origins = https://b.example")
    kill(process.processIdentifier, SIGHUP)
    try #require(poll { gateway.log.contains("reloaded the configuration") })
    #expect(try gateway.connect().open(token: token, origin: "https://a.example") == 403)
    #expect(try gateway.connect().open(token: token, origin: "https://b.example") == 101)
    // The time limit of requests is one of the library's, too, which does not change.
    try gateway.configure("origins = https://b.example\n[limits]\nrequest-timeout = 20s")
    kill(process.processIdentifier, SIGHUP)
    // The port is written into the file now; it was 0 at the start.
    #expect(poll { gateway.log.contains("reloaded the configuration; at the next start: listen, request-timeout") })
    // A mistake changes nothing, and a start with it fails for good.
    try gateway.configure("origin = https://c.example")
    kill(process.processIdentifier, SIGHUP)
    try #require(
      poll { gateway.log.contains("the configuration is unchanged: \(file):5: [gateway] has no setting 'origin'") })
    #expect(try gateway.connect().open(token: token, origin: "https://b.example") == 101)
    #expect(try Program(name: "storegate").run("--config", file).status == 2)
    #expect(try Program(name: "storegate").run("--config", file, "--check-config").status == 2)
  }

  private static let openssl = Program(path: "/usr/bin/openssl")

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: openssl.url.path), "openssl(1) is needed"))
  func aRenewedCertificateIsServedAfterAReload() throws {
    let gateway = try GatewayProcess()
    _ = gateway.stop()
    let (certificate, key) = (gateway.directory + "/c.pem", gateway.directory + "/k.pem")
    func make(_ name: String) throws {
      let made = try Self.openssl.run(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=\(name)", "-keyout", key, "-out", certificate)
      try #require(made.status == 0, "\(made.errors)")
    }
    func served() throws -> String {
      try Self.openssl.run("s_client", "-connect", "127.0.0.1:\(gateway.port)").output
    }
    try make("first")
    try gateway.configure("[tls]\ncertificate = \(certificate)\nkey = \(key)")
    try gateway.start()
    #expect(try served().contains("CN = first"))
    try make("second")
    let process = try #require(gateway.process)
    kill(process.processIdentifier, SIGHUP)
    try #require(poll { gateway.log.contains("reloaded the configuration") })
    #expect(try served().contains("CN = second"))
    // A key of another certificate changes nothing.
    let kept = try Data(contentsOf: URL(fileURLWithPath: key))
    try make("third")
    try kept.write(to: URL(fileURLWithPath: key))
    kill(process.processIdentifier, SIGHUP)
    try #require(poll { gateway.log.contains("does not belong to the certificate") })
    #expect(try served().contains("CN = second"))
  }

  /// The unit has no network of its own, and gets the socket from the service manager.
  @Test(.enabled(if: Python.isInstalled), arguments: ["127.0.0.1", "0.0.0.0"])
  func theServiceManagersSocketIsServed(address: String) throws {
    let gateway = try GatewayProcess()
    let token = try gateway.createToken()
    _ = gateway.stop()
    let script = """
      import os, socket, sys
      listening = socket.socket()
      listening.bind(("\(address)", 0))
      listening.listen()
      os.dup2(listening.fileno(), 3)
      os.set_inheritable(3, True)
      os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES="gateway")
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let first = gateway.port
    try gateway.start(shell: "exec \(try #require(Python.path)) -c '\(script)'")
    #expect(gateway.port != first, "the configured address is not used")
    let client = try gateway.open(token)
    client.send(opcode: 2, hello())
    #expect(kind(client) == .welcome)
    #expect(gateway.log.contains("without [tls], tokens and states pass the network") == (address == "0.0.0.0"))
  }

  @Test func tokensAreListedWithoutTheirTexts() throws {
    let gateway = try GatewayProcess()
    let token = try gateway.createToken("alice")
    let list = try Program(name: "storectl").run("token", "list", "--file", gateway.tokens)
    #expect(list.status == 0 && list.output.contains("alice  3000000001") && !list.output.contains(token))
    let again = try Program(name: "storectl").run(
      "token", "create", "alice", "--user", "3000000001", "--file", gateway.tokens)
    #expect(again.status == 1 && again.errors.contains("has a token alice already"))
    #expect(try Program(name: "storectl").run("token", "revoke", "bob", "--file", gateway.tokens).status == 7)
    for arguments in [
      ["create"], ["create", "a b"], ["create", "a"], ["create", "a", "--user", "1"], ["erase", "a"],
    ] {
      let outcome = try Program(name: "storectl").run(["token", "--file", gateway.tokens] + arguments)
      #expect(outcome.status == 2, "\(arguments)")
    }
  }
}
