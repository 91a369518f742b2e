import EventLoop
import Foundation
import NetworkStream
import Testing

/// Both sides of a connection on one loop, over a pair of sockets.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Certificates.isInstalled, Certificates.skipped))
struct NetworkStreamTests {
  private let loop: EventLoop
  private let certificates: Certificates

  init() throws {
    loop = try EventLoop()
    certificates = try Certificates()
  }

  /// A connection, with TLS or without, and what its sides report.
  private final class Pair {
    let client: NetworkStream
    let server: NetworkStream
    var ready: Set<String> = []
    var received: [UInt8] = []
    var ends: [String] = []

    init(_ loop: EventLoop, client: TLSSession?, server: TLSSession?) throws {
      self.client = NetworkStream(on: loop, session: client)
      self.server = NetworkStream(on: loop, session: server)
      for (name, side) in [("client", self.client), ("server", self.server)] {
        side.onReady = { [weak self] in self?.ready.insert(name) }
        side.onEnd = { [weak self] in self?.ends.append("\(name): \($0)") }
      }
      self.server.onBytes = { [weak self] bytes in bytes.withUnsafeBytes { self?.received += $0 } }
      var sockets: [CInt] = [0, 0]
      try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
      self.client.adopt(try PipeStream.adopting(sockets[0], on: loop))
      self.server.adopt(try PipeStream.adopting(sockets[1], on: loop))
    }
  }

  private func session(_ role: TLSCredentials.Role, _ name: String, host: String) throws -> TLSSession {
    TLSSession(try TLSCredentials(certificates.files(name), role: role, protocolName: "link"), host: host)
  }

  /// More than the sockets take at once, so that some is queued.
  @Test(arguments: [false, true]) func bytesPassAndTheEndIsReported(isSecure: Bool) async throws {
    let pair = try Pair(
      loop, client: isSecure ? session(.client, "client", host: "127.0.0.1") : nil,
      server: isSecure ? session(.server, "server", host: "10.0.0.2") : nil)
    #expect(await loop.pump(until: { pair.ready.count == 2 }))
    #expect(pair.server.peerName == (isSecure ? "client" : nil))
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var isDrained = false
    pair.client.onDrained = { isDrained = true }
    pair.client.write(bytes.span.bytes)
    #expect(pair.client.queuedByteCount > 0)
    #expect(await loop.pump(until: { pair.received.count >= bytes.count && isDrained }))
    // Not `==`, which would look for the differences of millions of bytes.
    #expect(pair.received.elementsEqual(bytes))
    pair.client.close()
    #expect(await loop.pump(until: { !pair.ends.isEmpty }))
    #expect(pair.ends == ["server: the peer has closed the connection"])
  }

  /// Otherwise it would pass for a peer without TLS, whose name is not checked.
  @Test func aPeerWithoutACommonNameHasAnEmptyName() async throws {
    try certificates.make("nameless", names: "DNS:node-a", subject: "/O=somebody")
    let pair = try Pair(
      loop, client: session(.client, "nameless", host: "127.0.0.1"),
      server: session(.server, "server", host: "10.0.0.2"))
    #expect(await loop.pump(until: { pair.ready.count == 2 }))
    #expect(pair.server.peerName == "")
  }

  @Test func bothSidesLearnWhyAHandshakeHasFailed() async throws {
    let pair = try Pair(
      loop, client: session(.client, "client", host: "other.example"),
      server: session(.server, "server", host: "10.0.0.2"))
    #expect(await loop.pump(until: { pair.ends.count == 2 }))
    #expect(pair.ready.isEmpty)
    let ends = pair.ends.sorted()
    #expect(ends.first == "client: \(TLSError.otherHost(peer: "other.example"))")
    #expect(ends.last?.hasPrefix("server: 10.0.0.2 refuses the connection") == true, "\(ends)")
  }

  /// As between two hubs.
  @Test func aListenerRequiresACertificateOfTheAuthority() async throws {
    try certificates.makeAuthority("other")
    try certificates.make("stranger", names: "DNS:stranger", authority: "other")
    var (accepted, names, ends): ([NetworkStream], [String?], [String]) = ([], [], [])
    let listener = try NetworkListener(
      on: loop, at: try #require(SocketAddress(numeric: "127.0.0.1", port: 0)),
      credentials: TLSCredentials(certificates.files("server"), role: .server, protocolName: "link")
    ) { result in
      guard case .success(let stream) = result else { Issue.record("\(result)"); return }
      accepted.append(stream)
      stream.onReady = { [unowned stream] in names.append(stream.peerName) }
      stream.onEnd = { ends.append("\($0)") }
      // What arrives is sent back.
      stream.onBytes = { [unowned stream] in stream.write($0) }
    }
    defer { listener.close() }
    let port = try #require(UInt16(listener.address.text.split(separator: ":").last ?? ""))

    let client = NetworkStream(on: loop, session: try session(.client, "client", host: "localhost"))
    var echo: [UInt8] = []
    client.onReady = { [unowned client] in client.write(([1, 2, 3] as [UInt8]).span.bytes) }
    client.onBytes = { $0.withUnsafeBytes { echo += $0 } }
    client.onEnd = { Issue.record("\($0)") }
    client.connect(to: "localhost", port: port)
    #expect(await loop.pump(until: { echo == [1, 2, 3] }))
    #expect(names == ["client"])

    let stranger = NetworkStream(on: loop, session: try session(.client, "stranger", host: "127.0.0.1"))
    var refusal: String?
    stranger.onEnd = { refusal = "\($0)" }
    stranger.connect(to: "127.0.0.1", port: port)
    #expect(await loop.pump(until: { refusal != nil && !ends.isEmpty }))
    #expect(refusal?.hasPrefix("127.0.0.1 refuses the connection") == true, "\(refusal ?? "")")
    #expect(ends.first?.contains("is not trusted") == true, "\(ends)")
    #expect(names.count == 1)
    client.close()
    #expect(await loop.pump(until: { ends.count == 2 }))
  }
}
