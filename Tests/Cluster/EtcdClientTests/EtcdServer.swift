import EtcdClient
import EtcdMessages
import EventLoop
import Foundation
import GRPCConnection
import NetworkStream
import TestSupport
import Testing

/// Members of etcd on free ports, in a temporary directory, that end with the object.
final class EtcdServer {
  /// Debian's package etcd-server, or an installation by hand.
  nonisolated static let program = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  nonisolated static var isInstalled: Bool { program != nil }
  nonisolated static let skipped: Comment = "skipped: etcd is not installed (Debian package etcd-server)"

  let directory: URL
  private(set) var members: [Process?] = []
  private let clientPorts: [Int]
  private let peerPorts: [Int]
  private let options: [String]
  private let certificates: Certificates?
  /// What tells a cluster from an earlier one with the same addresses.
  private var token = ""

  /// Starts members, and waits until they answer.
  init(
    members count: Int = 1, certificates: Certificates? = nil, options: [String] = [], on loop: EventLoop
  ) async throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "etcd-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let ports = try Self.freePorts(2 * count)
    (clientPorts, peerPorts) = (Array(ports[..<count]), Array(ports[count...]))
    (self.options, self.certificates) = (options, certificates)
    members = .init(repeating: nil, count: count)
    for index in 0..<count { try start(index) }
    for index in 0..<count { try await waitForAnswer(of: index, on: loop) }
  }

  isolated deinit {
    stop()
  }

  /// Kills all members and removes their data.
  func stop() {
    for index in members.indices { kill(index) }
    try? FileManager.default.removeItem(at: directory)
  }

  /// Ports that nobody has. The kernel gives none of them to another socket before the members listen: they are below
  /// those that it chooses for connections and for listeners without a port.
  static func freePorts(_ count: Int) throws -> [Int] {
    let range = (try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)) ?? ""
    let first = range.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 32_768
    // A machine may have no ports below, or few.
    let candidates = first > 12_000 ? 10_000..<first : 10_000..<65_536
    var ports: Set<Int> = []
    for _ in 0..<10_000 where ports.count < count {
      let port = Int.random(in: candidates)
      if isFree(port) { ports.insert(port) }
    }
    try #require(ports.count == count)
    return ports.shuffled()
  }

  /// True if a socket can be bound to a port of this machine.
  private static func isFree(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private var scheme: String { certificates == nil ? "http" : "https" }

  /// The endpoint of a member.
  func endpoint(_ index: Int) throws -> EtcdEndpoint { try EtcdEndpoint("\(scheme)://127.0.0.1:\(clientPorts[index])") }

  /// The endpoint of a member by a name of this host.
  func namedEndpoint(_ index: Int) throws -> EtcdEndpoint {
    try EtcdEndpoint("\(scheme)://localhost:\(clientPorts[index])")
  }

  /// Settings for a client of all members, or of some.
  func settings(_ indices: [Int]? = nil) throws -> EtcdSettings {
    let endpoints = try (indices ?? Array(members.indices)).map(endpoint)
    return EtcdSettings(endpoints: endpoints, tls: certificates?.client, seed: 1)
  }

  /// Starts a member, again with its data.
  func start(_ index: Int) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.program))
    let (client, peer) = ("\(scheme)://127.0.0.1:\(clientPorts[index])", "http://127.0.0.1:\(peerPorts[index])")
    let cluster = peerPorts.enumerated().map { "e\($0)=http://127.0.0.1:\($1)" }.joined(separator: ",")
    process.arguments =
      [
        "--name", "e\(index)", "--data-dir", directory.appending(path: "e\(index)").path,
        "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
        "--initial-advertise-peer-urls", peer, "--initial-cluster", cluster, "--initial-cluster-state", "new",
        "--initial-cluster-token", directory.lastPathComponent + token, "--heartbeat-interval", "50",
        "--election-timeout", "500", "--logger", "zap", "--log-level", "error",
      ] + (certificates?.serverOptions ?? []) + options
    let log = directory.appending(path: "e\(index).log").path
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardOutput = FileHandle(forWritingAtPath: log)
    process.standardError = FileHandle(forWritingAtPath: log)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    members[index] = process
  }

  /// Replaces the only member by one of another cluster without data, as the restoration of a backup does.
  func replace(on loop: EventLoop) async throws {
    kill(0)
    try FileManager.default.removeItem(at: directory.appending(path: "e0"))
    token += "-again"
    try start(0)
    try await waitForAnswer(of: 0, on: loop)
  }

  private func waitForAnswer(of index: Int, on loop: EventLoop) async throws {
    var settings = try settings([index])
    settings.connectTimeout = .seconds(5)
    let client = try EtcdClient(on: loop, settings)
    defer { client.close() }
    // A transaction, because only that needs the others.
    let result = await client.answer(EtcdPut([0], [0]), on: loop, timeout: .seconds(240))
    if let error = result.failure {
      let log = try? String(contentsOf: directory.appending(path: "e\(index).log"), encoding: .utf8)
      Issue.record("etcd does not answer: \(error)\n\(log ?? "")")
      throw error
    }
  }

  // MARK: Signals

  /// Stops a member, which answers nothing until `resume`.
  func halt(_ index: Int) {
    if let process = members[index] { stopProcess(process.processIdentifier) }
  }

  func resume(_ index: Int) {
    if let process = members[index] { Foundation.kill(process.processIdentifier, SIGCONT) }
  }

  func kill(_ index: Int) {
    guard let process = members[index].take() else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

extension EtcdClient {
  /// Makes a call and waits for the result; a call that fails only because the cluster is not ready is repeated.
  func answer<Request: EtcdRequest>(
    _ request: Request, on loop: EventLoop, timeout: Duration = .seconds(120)
  ) async -> Result<Request.Response, EtcdError> {
    let end = ContinuousClock.now + timeout
    while true {
      let result = await outcome(request, on: loop, timeout: .seconds(1))
      guard case .failure(let error) = result, ContinuousClock.now < end else { return result }
      switch error.reason {
      case .status(let status) where status.code == .unavailable: continue
      case .notConnected, .disconnected, .deadline: continue
      default: return result
      }
    }
  }

  /// Makes a call once and waits for the result.
  func outcome<Request: EtcdRequest>(
    _ request: Request, on loop: EventLoop, timeout: Duration = .seconds(60)
  ) async -> Result<Request.Response, EtcdError> {
    var result: Result<Request.Response, EtcdError>?
    call(request, timeout: timeout) { result = $0 }
    _ = await loop.pump(until: { result != nil }, timeout: timeout + .seconds(120))
    guard let result else { preconditionFailure("a call has ended after its deadline") }
    return result
  }
}
