internal import EventLoop
internal import GatewayTokens
internal import Glibc
internal import ServiceProcess
internal import WebSocketServer

/// A gateway: accepts connections, decides who may connect as which user, and connects each WebSocket with the hub.
final class Gateway {
  /// The numbers for the metrics, since the start.
  struct Figures {
    var accepted: UInt64 = 0
    var refusedConnections: UInt64 = 0
    var refusedOrigins: UInt64 = 0
    var wrongTokens: UInt64 = 0
    var refusedGuesses: UInt64 = 0
    var refusedByToken: UInt64 = 0
    var endedTokens: UInt64 = 0
    var unreachable: UInt64 = 0
    var traffic = GatewayConnection.Traffic()
  }

  /// The subprotocol of the WebSockets, and the beginning of the one that carries a token.
  static let subprotocol = "storehub"
  static let tokenPrefix = "storehub.token."

  /// What a browser shows, or curl, at the address of a gateway.
  private static let notice = """
    This is storegate, the gateway of a StoreHub hub. It answers WebSockets, at any path, with the
    subprotocol \(subprotocol) and a token. See storegate(8) and docs/GATEWAY.md of StoreHub.

    """

  private(set) var configuration: GatewayConfiguration
  private(set) var figures = Figures()
  private(set) var tokens = GatewayTokens()
  /// The open WebSockets with a valid token.
  private(set) var connections: [ObjectIdentifier: GatewayConnection] = [:]
  private let loop: EventLoop
  private let log: Log
  private let server: WebSocketServer
  private var listeners: [GatewayListener] = []
  private var admission = Admission()
  private var expiryTimer: Timer?
  private var onStopped: (() -> Void)?

  /// The longest time until the validity of tokens is checked again, since the wall clock may be set.
  private static let expiryStep: Int64 = 60

  init(_ configuration: GatewayConfiguration, _ tokens: GatewayTokens, on loop: EventLoop, log: Log) throws {
    (self.configuration, self.tokens, self.loop, self.log) = (configuration, tokens, loop, log)
    var limits = configuration.limits
    limits.requests = configuration.connections
    server = try WebSocketServer(on: loop, subprotocol: Self.subprotocol, limits: limits, tls: configuration.tls)
    server.files = configuration.root.flatMap { StaticFiles(root: $0) }
    server.notice = Self.notice
    server.onRequest = { [weak self] in self?.decide($0) ?? .refuse(503, "the gateway stops") }
    server.onEnd = { [weak self] in self?.ended($0) }
    expiryTimer = try Timer(on: loop) { [weak self] in self?.closeInvalid() }
    expiryTimer?.keepsLoopAlive(false)
  }

  // MARK: Listening

  /// Accepts connections on a socket that listens.
  func listen(on descriptor: CInt, at address: String) throws(UVError) {
    listeners.append(
      try GatewayListener(on: loop, adopting: descriptor, at: address) { [weak self] result in
        switch result {
        case .success(let descriptor): self?.accept(descriptor)
        case .failure(let error):
          self?.log.write(.error, cause: Log.Cause("failures to accept"), "cannot accept connections: \(error)")
        }
      })
  }

  private func accept(_ descriptor: CInt) {
    let address = limitedAddress(SocketAddress(of: descriptor, isPeer: true)?.text ?? "")
    if let refusal = admission.open(address, configuration) {
      close(descriptor)
      figures.refusedConnections += 1
      log.write(
        .warning, cause: Log.Cause("refused connections"),
        "refused a connection from \(address): the limit \(refusal.setting) is reached")
      return
    }
    figures.accepted += 1
    server.adopt(descriptor, from: address)
  }

  private func ended(_ address: String) {
    admission.close(address)
    for listener in listeners { listener.resume() }
    finishStopping()
  }

  // MARK: Requests

  private func decide(_ request: WebSocketRequest) -> WebSocketDecision {
    guard onStopped == nil else { return .refuse(503, "the gateway stops") }
    guard request.subprotocols.contains(Self.subprotocol) else {
      return .refuse(400, "offer the subprotocol \(Self.subprotocol)")
    }
    // A page of another site has no token, but must not even try one.
    if let origin = request.origin, !configuration.origins.contains(origin.lowercased()) {
      figures.refusedOrigins += 1
      log.write(
        .warning, cause: Log.Cause("refused origins"),
        "refused a page of \(printable(origin)) from \(request.address): it is not among the origins")
      return .refuse(403, "pages of this origin may not connect")
    }
    guard let token = Self.token(of: request).flatMap({ tokens[text: $0] }), token.isValid(at: wallTime()) else {
      // Valid tokens are not limited: anyone could keep out all who share an address, such as that of a proxy.
      if admission.guess(from: request.address, at: loop.now, configuration) != nil {
        figures.refusedGuesses += 1
        return .refuse(429, "there were too many wrong tokens from this address; wait a minute")
      }
      admission.noteGuess(from: request.address)
      figures.wrongTokens += 1
      log.write(
        .warning, cause: Log.Cause("wrong tokens"),
        "a client at \(request.address) has no valid token")
      // A page learns nothing about a request that was refused, so it is told by the close code.
      return .accept { $0.close(.unauthorized, "the token is missing, unknown, revoked or expired") }
    }
    guard admission.refusal(of: token.digest, configuration) == nil else {
      figures.refusedByToken += 1
      return .refuse(503, "too many connections have this token")
    }
    return .accept { [weak self] in self?.open($0, token) }
  }

  /// The token of a request: that of the header Authorization, which pages cannot set, or of a subprotocol.
  private static func token(of request: WebSocketRequest) -> String? {
    if let words = request.authorization?.split(separator: " "), words.count == 2, words[0].lowercased() == "bearer" {
      return String(words[1])
    }
    let offered = request.subprotocols.first { $0.hasPrefix(tokenPrefix) }
    return offered.map { String($0.dropFirst(tokenPrefix.count)) }
  }

  private func printable(_ text: String) -> String {
    String(text.unicodeScalars.prefix(100).map { (32..<127).contains($0.value) ? Character($0) : "?" })
  }

  private func open(_ socket: WebSocket, _ token: GatewayToken) {
    let connection = GatewayConnection(socket, token, on: loop) { [weak self] in
      self?.figures.traffic[keyPath: $0] += UInt64($1)
    }
    connections[ObjectIdentifier(connection)] = connection
    admission.open(token.digest)
    connection.onEnd = { [weak self] connection in
      self?.connections[ObjectIdentifier(connection)] = nil
      self?.admission.close(connection.token.digest)
    }
    connection.onUnreachable = { [weak self] error in
      self?.figures.unreachable += 1
      self?.log.write(.error, cause: Log.Cause("failures to reach the hub"), "the hub cannot be reached: \(error)")
    }
    log.write(
      .debug, "connected: token \(token.name), user \(token.user), from \(socket.address)")
    connection.connect(to: configuration.hub)
    armExpiry()
  }

  // MARK: Tokens

  /// Takes other tokens, and closes the connections of those that are not valid any more.
  func take(_ tokens: GatewayTokens) {
    self.tokens = tokens
    closeInvalid()
  }

  private func closeInvalid() {
    let now = wallTime()
    for connection in connections.values where !connection.hasLeft {
      let token = tokens[digest: connection.token.digest]
      guard token?.user != connection.token.user || token?.isValid(at: now) != true else { continue }
      figures.endedTokens += 1
      let reason = token.map { $0.isValid(at: now) ? "has another user now" : "has expired" } ?? "was revoked"
      log.write(
        .info, cause: Log.Cause("ended tokens"),
        "closed a connection from \(connection.socket.address): the token \(connection.token.name) \(reason)")
      connection.socket.close(.unauthorized, "the token \(reason)")
      // The hub hears no more from it, even if it does not take the close.
      connection.leave()
    }
    armExpiry()
  }

  private func armExpiry() {
    // The time of a connection that is being closed is in the past: the timer would fire again within the same turn.
    let open = connections.values.filter { !$0.hasLeft }
    let times = open.compactMap { tokens[digest: $0.token.digest]?.expiry }
    guard let next = times.min() else { return expiryTimer?.stop() ?? () }
    expiryTimer?.start(after: .seconds(min(max(next - wallTime(), 0), Self.expiryStep)))
  }

  // MARK: Operation

  /// Takes another configuration. Returns the settings that take effect at the next start.
  func take(_ new: GatewayConfiguration) -> [String] {
    let later = GatewaySetting.later.filter { $0.get(new) != $0.get(configuration) }.map(\.name)
    let old = configuration
    configuration = new
    (configuration.listen, configuration.hub, configuration.tokens) = (old.listen, old.hub, old.tokens)
    (configuration.certificate, configuration.key) = (old.certificate, old.key)
    (configuration.limits.requestTime, configuration.limits.pingInterval) = (
      old.limits.requestTime, old.limits.pingInterval
    )
    server.limits.messageBytes = new.limits.messageBytes
    server.files = new.root.flatMap { StaticFiles(root: $0) }
    // The files of other paths were checked, but these are served from the next start on.
    if let tls = configuration.tls, tls == new.tls { server.renewCertificate() }
    return later
  }

  /// The number of open connections, with and without a WebSocket.
  var connectionCount: Int { admission.connectionCount }

  /// Closes all connections, and calls `onStopped` when they are closed.
  func stop(_ onStopped: @escaping () -> Void) {
    self.onStopped = onStopped
    listeners = []
    for connection in connections.values { connection.socket.close(.goingAway, "the gateway stops") }
    finishStopping()
  }

  private func finishStopping() {
    if admission.connectionCount == 0 { onStopped.take()?() }
  }
}

extension Admission.Refusal {
  /// The limit that is exceeded.
  var setting: String {
    switch self {
    case .connections: "connections"
    case .connectionsPerAddress: "connections-per-address"
    case .connectionsPerToken: "connections-per-token"
    case .guesses: "guesses-per-minute"
    }
  }
}

extension CloseCode {
  /// The token is missing or not valid. The code is the gateway's own (docs/GATEWAY.md).
  static let unauthorized = CloseCode(4401)
}

/// The wall-clock time in seconds since 1970.
nonisolated func wallTime() -> Int64 { Int64(time(nil)) }
