import ClusterHub
import ClusterLink
import ClusterLog
import Configuration
import EventLoop
import Foundation
import NetworkStream
import Testing

/// The link port of a node under a flood of connections that never show a certificate. All sides run on one loop, over
/// sockets of TCP. No time passes, so that no connection ends because it is late.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Certificates.isInstalled, Certificates.skipped))
struct NodeLinksTests {
  private let loop: EventLoop
  private let certificates: Certificates
  private let ports: [Int]

  init() throws {
    loop = try EventLoop()
    certificates = try Certificates()
    for name in ["a", "b"] { try certificates.make(name, names: "IP:127.0.0.1") }
    ports = try EtcdServer.freePorts(2)
  }

  /// The links of a node, and what they report.
  private final class Node {
    private(set) var links: NodeLinks?
    private(set) var opened: [String] = []
    private(set) var closed: [String] = []
    private(set) var failures: [String] = []

    init(_ name: String, _ loop: EventLoop, _ settings: ClusterSettings) throws {
      let node = try #require(NodeName(name))
      let options = LinkOptions(node: node, process: 1, members: Set(settings.nodes.keys))
      links = try NodeLinks(on: loop, settings, now: { .zero }, options: { options }) { [weak self] event in
        switch event {
        case .opened(let node, _): self?.opened.append("\(node)")
        case .closed(let node, _): self?.closed.append("\(node)")
        case .failed(_, let reason): self?.failures.append(reason)
        case .happened: break
        }
      }
    }

    func close() { links?.close() }
  }

  private func node(_ name: String) throws -> Node {
    let path = certificates.path("\(name).conf")
    let lines = """
      [cluster]
      node = \(name)
      nodes = a@127.0.0.1:\(ports[0]), b@127.0.0.1:\(ports[1])
      etcd = https://127.0.0.1:2379
      uids = shared
      ca = \(certificates.path("ca.pem"))
      cert = \(certificates.path("\(name).pem"))
      key = \(certificates.path("\(name).key"))

      """
    try lines.write(toFile: path, atomically: true, encoding: .utf8)
    return try Node(name, loop, try #require(try OperatorConfiguration.cluster(in: path)))
  }

  /// Connects from an address of this machine, and says nothing.
  private func connectSilently(from host: Int, to port: Int) throws -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    for (host, port, call) in [("127.0.0.\(host)", 0, bind), ("127.0.0.1", port, connect)] {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      try #require(inet_pton(AF_INET, host, &address.sin_addr) == 1)
      let code = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(code == 0, "\(host): \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// The number of connections that the other end has closed.
  private func closedCount(of descriptors: [CInt]) -> Int {
    descriptors.count { descriptor in
      var byte: UInt8 = 0
      let count = recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT))
      return count == 0 || (count < 0 && errno != EAGAIN)
    }
  }

  /// From another address than that of the node which links, from the same one, from several, and each from one of its
  /// own.
  @Test(arguments: [[2], [1], [2, 3, 4, 5, 6], Array(2...121)])
  func aFloodKeepsNoNodeFromLinking(hosts: [Int]) async throws {
    let called = try node("b")
    defer { called.close() }
    var flood: [CInt] = []
    defer { for descriptor in flood { close(descriptor) } }
    for _ in 0..<60 { flood.append(try connectSilently(from: hosts[flood.count % hosts.count], to: ports[1])) }
    // All of them have been accepted: those beyond the limit are closed.
    #expect(await loop.pump(until: { closedCount(of: flood) == 60 - 24 }))

    let caller = try node("a")
    defer { caller.close() }
    caller.links?.advance(to: .zero)
    #expect(await loop.pump(until: { caller.opened == ["b"] && called.opened == ["a"] }, timeout: .seconds(60)))

    // An open link does not count, and loses its place to nobody.
    for _ in 0..<60 { flood.append(try connectSilently(from: hosts[flood.count % hosts.count], to: ports[1])) }
    #expect(await loop.pump(until: { closedCount(of: flood) == 120 - 24 }))
    #expect(called.closed.isEmpty && caller.closed.isEmpty)
    #expect(called.failures.count == 120 - 24 && caller.failures.isEmpty)
    #expect(called.failures.first?.hasPrefix("too many connections from 127.0.0.\(hosts[0]) ") == true)
  }
}
