import Glibc
import TestSupport
import Testing

@testable import LoadTest

/// A listener that accepts no connection.
private final class Listener {
  let path = "/tmp/storehub-silent-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
  private let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
  private var clients: [CInt] = []

  init() {
    _ = withAddress { bind(descriptor, $0, $1) }
    listen(descriptor, 0)
  }

  /// Connects until the queue is full.
  func fill() {
    while true {
      let client = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
      clients.append(client)
      if withAddress({ Glibc.connect(client, $0, $1) }) != 0 { return }
    }
  }

  private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  deinit {
    for descriptor in clients + [descriptor] { close(descriptor) }
    unlink(path)
  }
}

@Suite(.timeLimit(.minutes(30)), .blocking) struct SilentHubTests {
  private func run(_ listener: Listener, wait: ((Double) -> Int32?)? = nil) throws -> LoadReport {
    var plan = try Hub.plan("[action a]\nsend = counter.incrementButtonTapped")
    plan.timeout = wait == nil ? 0.1 : 1000
    let test = LoadTest(path: listener.path, plan: plan)
    if let wait { test.wait = wait }
    return test.run()
  }

  @Test(arguments: [false, true]) func aHubThatDoesNotAnswerEndsTheRun(isFull: Bool) throws {
    let listener = Listener()
    if isFull { listener.fill() }
    let report = try run(listener)
    #expect(report.exitStatus == 6)
    let reason = isFull ? "its queue of new connections is full" : "no request for its schema"
    #expect(report.failure?.description.contains(reason) == true, "\(report.failure?.description ?? "")")
  }

  @Test func aProcessThatDoesNotExistIsNotMeasured() throws {
    let plan = try Hub.plan("[action a]\nsend = counter.incrementButtonTapped")
    let report = LoadTest(path: "/nonexistent/hub.sock", plan: plan, process: .max).run()
    #expect(report.exitStatus == 2)
    #expect(report.failure?.description.hasPrefix("there is no process 2147483647 to measure") == true)
  }

  @Test(arguments: [false, true]) func aSignalEndsTheWaitForAHub(isFull: Bool) throws {
    let listener = Listener()
    if isFull { listener.fill() }
    #expect(try run(listener) { _ in SIGTERM }.exitStatus == 143)
  }
}
