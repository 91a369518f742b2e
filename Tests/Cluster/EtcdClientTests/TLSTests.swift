import EtcdClient
import EtcdMessages
import EventLoop
import Foundation
import NetworkStream
import Testing

/// Both sides of TLS, in memory: the bytes of one are passed to the other.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Certificates.isInstalled, Certificates.skipped))
struct TLSSessionTests {
  private let certificates: Certificates

  init() throws { certificates = try Certificates() }

  private func session(
    _ role: TLSCredentials.Role, _ files: TLSFiles, host: String, protocolName: String = "link"
  ) throws -> TLSSession {
    TLSSession(try TLSCredentials(files, role: role, protocolName: protocolName), host: host)
  }

  /// What both sides have received, and their errors.
  private struct Exchange {
    var toClient: [UInt8] = []
    var toServer: [UInt8] = []
    var clientError: TLSError?
    var serverError: TLSError?
  }

  /// Passes bytes until both sides are silent.
  private func exchange(_ client: TLSSession, _ server: TLSSession) -> Exchange {
    var exchange = Exchange()
    do throws(TLSError) { try client.shakeHands() } catch { exchange.clientError = error }
    var isSilent = false
    while !isSilent {
      isSilent = true
      for isClient in [true, false] {
        let (from, to) = isClient ? (client, server) : (server, client)
        var bytes: [UInt8] = []
        from.takeOutput { $0.withUnsafeBytes { bytes += $0 } }
        guard !bytes.isEmpty else { continue }
        isSilent = false
        do throws(TLSError) {
          try to.receive(bytes.span.bytes) { plain in
            plain.withUnsafeBytes { if isClient { exchange.toServer += $0 } else { exchange.toClient += $0 } }
          }
        } catch {
          if isClient { exchange.serverError = error } else { exchange.clientError = error }
        }
      }
    }
    return exchange
  }

  @Test func bothSidesProveThemselvesAndBytesPass() throws {
    let client = try session(.client, certificates.client, host: "127.0.0.1")
    let server = try session(.server, certificates.files("server"), host: "10.0.0.2")
    let first = exchange(client, server)
    #expect(first.clientError == nil && first.serverError == nil)
    #expect(client.isReady && server.isReady)
    #expect(client.peerName == "server")
    #expect(server.peerName == "client")
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    try client.send(bytes.span.bytes)
    try server.send([UInt8](bytes.reversed()).span.bytes)
    let second = exchange(client, server)
    #expect(second.toServer == bytes)
    #expect(second.toClient == bytes.reversed())
    client.end()
    _ = exchange(client, server)
    #expect(server.hasEnded)
  }

  @Test func aHostIsComparedWithTheNames() throws {
    let server = try session(.server, certificates.files("server"), host: "10.0.0.2")
    let named = try session(.client, certificates.client, host: "localhost")
    #expect(exchange(named, server).clientError == nil)
    for host in ["127.0.0.2", "other.example", "::1"] {
      let server = try session(.server, certificates.files("server"), host: "10.0.0.2")
      let client = try session(.client, certificates.client, host: host)
      let result = exchange(client, server)
      #expect(result.clientError == .otherHost(peer: host))
      #expect(!client.isReady)
      // The client says why, too.
      guard case .refusedByPeer(peer: "10.0.0.2", _)? = result.serverError else {
        Issue.record("\(String(describing: result.serverError))")
        continue
      }
    }
  }

  @Test func aServerOfAnotherAuthorityIsNotTrusted() throws {
    try certificates.makeAuthority("other")
    try certificates.make("stranger", names: "IP:127.0.0.1", authority: "other")
    let server = try session(.server, certificates.files("stranger", authority: "ca"), host: "10.0.0.2")
    let client = try session(.client, certificates.client, host: "127.0.0.1")
    guard case .untrusted(peer: "127.0.0.1", let reason)? = exchange(client, server).clientError else {
      Issue.record("the server was trusted")
      return
    }
    #expect(reason.contains("issuer"), "\(reason)")
  }

  @Test func aClientOfAnotherAuthorityIsNotTrusted() throws {
    try certificates.makeAuthority("other")
    try certificates.make("stranger", names: "DNS:stranger", authority: "other")
    let server = try session(.server, certificates.files("server"), host: "10.0.0.2")
    let client = try session(.client, certificates.files("stranger"), host: "127.0.0.1")
    let result = exchange(client, server)
    guard case .untrusted(peer: "10.0.0.2", _)? = result.serverError else {
      Issue.record("the client was trusted")
      return
    }
    #expect(!server.isReady)
    guard case .refusedByPeer(peer: "127.0.0.1", _)? = result.clientError else {
      Issue.record("\(String(describing: result.clientError))")
      return
    }
  }

  @Test func aClientWithoutACertificateIsRefused() throws {
    let server = try session(.server, certificates.files("server"), host: "10.0.0.2")
    let client = try session(.client, TLSFiles(authority: certificates.path("ca.pem")), host: "127.0.0.1")
    #expect(exchange(client, server).serverError == .noCertificate(peer: "10.0.0.2"))
  }

  @Test func anExpiredCertificateIsNamed() throws {
    try certificates.make("old", names: "IP:127.0.0.1", days: -1)
    let server = try session(.server, certificates.files("old"), host: "10.0.0.2")
    let client = try session(.client, certificates.client, host: "127.0.0.1")
    let expected = TLSError.outsideOfValidity(peer: "127.0.0.1", reason: "certificate has expired")
    #expect(exchange(client, server).clientError == expected)
  }

  @Test func bothSidesNameOneProtocol() throws {
    let server = try session(.server, certificates.files("server"), host: "10.0.0.2", protocolName: "link")
    let client = try session(.client, certificates.client, host: "127.0.0.1", protocolName: "h2")
    let result = exchange(client, server)
    #expect(result.clientError != nil && result.serverError != nil)
    #expect(!client.isReady && !server.isReady)
  }

  @Test func bytesThatAreNotOfTLSAreAnError() throws {
    let client = try session(.client, certificates.client, host: "127.0.0.1")
    try client.shakeHands()
    let error = #expect(throws: TLSError.self) {
      try client.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).span.bytes) { _ in }
    }
    guard case .violation(peer: "127.0.0.1", _)? = error else { Issue.record("\(String(describing: error))"); return }
  }

  // MARK: Files

  @Test func filesThatCannotBeUsedAreNamed() throws {
    let good = certificates.files("client")
    func error(_ files: TLSFiles, _ role: TLSCredentials.Role = .client) -> String {
      do throws(TLSError) { _ = try TLSCredentials(files, role: role, protocolName: "h2") } catch { return "\(error)" }
      return "none"
    }
    #expect(error(good) == "none")
    var files = good
    files.authority = "/nonexistent/ca.pem"
    #expect(error(files).hasPrefix("/nonexistent/ca.pem cannot be used for TLS: "), "\(error(files))")
    files = good
    files.key = nil
    #expect(error(files).contains("a certificate without a key"))
    files = good
    files.certificate = nil
    #expect(error(files).contains("a key without a certificate"))
    files = good
    files.key = certificates.path("server.key")
    #expect(error(files).contains("does not belong to the certificate"), "\(error(files))")
    files = good
    files.key = certificates.path("client.pem")
    #expect(error(files).contains("without a passphrase"), "\(error(files))")
    files = TLSFiles(authority: good.authority)
    #expect(error(files, .server).contains("a server needs a certificate"))
  }

  /// OpenSSL would ask on the terminal.
  @Test func anEncryptedKeyIsRefused() throws {
    try certificates.openssl(
      "ec", "-in", certificates.path("client.key"), "-aes128", "-passout", "pass:secret", "-out",
      certificates.path("locked.key"))
    var files = certificates.client
    files.key = certificates.path("locked.key")
    #expect(throws: TLSError.self) { try TLSCredentials(files, role: .client, protocolName: "h2") }
  }

  @Test func aCertificateOfAnotherNodeIsNoticed() throws {
    try certificates.make("node", names: "DNS:node")
    let credentials = try TLSCredentials(certificates.files("node"), role: .client, protocolName: "h2")
    #expect(credentials.nameWarning(of: "node") == nil)
    let warning = credentials.nameWarning(of: "c")
    #expect(warning?.contains("has the common name 'node', but this node is 'c'") == true, "\(warning ?? "")")
  }

  @Test func aWarningPrecedesTheEndOfTheCertificate() throws {
    try certificates.make("short", names: "DNS:a", days: 20)
    let credentials = try TLSCredentials(certificates.files("short"), role: .client, protocolName: "h2")
    let expiry = try #require(credentials.expiry)
    let day: Int64 = 86_400
    #expect(abs(expiry - Int64(Date().timeIntervalSince1970) - 20 * day) < day)
    #expect(credentials.expiryWarning(at: expiry - 14 * day) == nil)
    let warning = credentials.expiryWarning(at: expiry - 13 * day)
    let remedy = "renew it, and reload the hub"
    #expect(warning == "the certificate \(certificates.path("short.pem")) expires in 13 days: \(remedy)")
    #expect(credentials.expiryWarning(at: expiry)?.contains("has expired") == true)
  }
}

/// A real etcd that requires certificates.
@Suite(
  .serialized, .timeLimit(.minutes(30)), .enabled(if: EtcdServer.isInstalled, EtcdServer.skipped),
  .enabled(if: Certificates.isInstalled, Certificates.skipped))
struct EtcdTLSTests {
  private let loop: EventLoop
  private let certificates: Certificates

  init() throws {
    loop = try EventLoop()
    certificates = try Certificates()
  }

  /// The reason why no connection is made.
  /// Fails until a failure says something; a connection that the other side ends may be reset before its reason is read.
  @discardableResult
  private func failure(_ settings: EtcdSettings, saying text: String = "") async throws -> String {
    let client = try EtcdClient(on: loop, settings)
    defer { client.close() }
    var failures: [String] = []
    client.onFailure = { failures.append($1) }
    var error: EtcdError?
    client.call(EtcdStatus(), timeout: .seconds(240)) { error = $0.failure }
    #expect(await loop.pump(until: { failures.contains { text.isEmpty || $0.contains(text) } }), "\(failures)")
    client.close()
    #expect(error?.effect == EtcdError.Effect.none)
    return try #require(failures.first)
  }

  @Test func callsAndTheirFailuresAreThoseOfTheCertificates() async throws {
    let server = try await EtcdServer(certificates: certificates, on: loop)
    let client = try EtcdClient(on: loop, server.settings())
    defer { client.close() }
    let value = [UInt8](repeating: 5, count: 300_000)
    _ = try await client.outcome(EtcdPut([97], value), on: loop).get()
    #expect(try await client.outcome(EtcdRange(EtcdKeyRange([97])), on: loop).get().values.first?.value == value)
    #expect(client.expiryWarning(at: Int64(Date().timeIntervalSince1970)) == nil)

    try certificates.makeAuthority("other")
    try certificates.make("stranger", names: "DNS:a", authority: "other")
    try certificates.make("old", names: "DNS:a", days: -1)
    var settings = try server.settings()

    settings.tls?.authority = certificates.path("other.pem")
    try await failure(settings, saying: "is not trusted")
    settings.tls = certificates.files("stranger")
    try await failure(settings, saying: "refuses the connection")
    settings.tls = certificates.files("old")
    try await failure(settings, saying: "refuses the connection")
    settings.tls = TLSFiles(authority: certificates.path("ca.pem"))
    try await failure(settings, saying: "refuses the connection")
    // A member without TLS, as the other side of the same mistake.
    let plain = try EtcdEndpoint("http://127.0.0.1:\(server.endpoint(0).port)")
    #expect(!(try await failure(EtcdSettings(endpoints: [plain], seed: 1))).isEmpty)
    settings.tls = nil
    #expect(throws: EtcdClientError.self) { try EtcdClient(on: loop, settings) }
  }

  @Test func renewedFilesCountForTheNextConnection() async throws {
    let server = try await EtcdServer(certificates: certificates, on: loop)
    try certificates.make("node", names: "DNS:node")
    var settings = try server.settings()
    settings.tls = certificates.files("node")
    let client = try EtcdClient(on: loop, settings)
    defer { client.close() }
    _ = try await client.outcome(EtcdStatus(), on: loop).get()
    // An expired certificate, which the connection that is open does not need.
    try certificates.make("node", names: "DNS:node", days: -1)
    try client.reload()
    #expect(client.expiryWarning(at: Int64(Date().timeIntervalSince1970))?.contains("has expired") == true)
    _ = try await client.outcome(EtcdStatus(), on: loop).get()
    server.kill(0)
    try server.start(0)
    let error = try #require(await client.outcome(EtcdStatus(), on: loop, timeout: .seconds(3)).failure)
    #expect(error.effect == .none || error.effect == .unknown)
    try certificates.make("node", names: "DNS:node")
    try client.reload()
    _ = try await client.answer(EtcdStatus(), on: loop).get()
    // Files that cannot be used change nothing.
    try "nonsense".write(toFile: certificates.path("node.pem"), atomically: true, encoding: .utf8)
    #expect(throws: TLSError.self) { try client.reload() }
    _ = try await client.answer(EtcdStatus(), on: loop).get()
  }
}
