import ComposableArchitecture
import EventLoop
import Features
import Foundation
import Glibc
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Wire

typealias Client = StoreClient<AppFeature.State, AppFeature.Action>

/// A temporary directory, a loop, and the servers and clients of a test.
final class Bench {
  let loop: EventLoop
  let directory: String
  /// The engine of the last hub.
  private(set) var engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
  var path: String { directory + "/hub.sock" }

  init() throws {
    loop = try EventLoop()
    directory = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  func serve(limits: HubLimits = HubLimits()) throws -> HubServer {
    engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
    return try serve(engine, limits: limits)
  }

  func serve<State, Action>(
    _ engine: FeatureEngine<State, Action>, limits: HubLimits = HubLimits()
  ) throws -> HubServer {
    try HubServer(
      engine, limits: limits, name: "test hub", loop: loop, path: path, log: Log(program: "test", level: .error))
  }

  func attach() throws -> Client {
    var options = ReplicaOptions()
    options.shortestDelay = .milliseconds(5)
    options.longestDelay = .milliseconds(50)
    let client = try Client(loop: loop, path: path, options: options)
    client.start()
    return client
  }

  /// Creates a plain socket and connects or binds it to the hub's path, without the loop.
  func socket(_ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> (descriptor: Int32, result: Int32) {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return (descriptor, result)
  }

  func until(_ condition: () -> Bool) async -> Bool {
    await loop.pump(until: condition)
  }

  func stop(_ server: HubServer) async -> Bool {
    var isStopped = false
    server.stop(reason: "the test stops it") { isStopped = true }
    return await until { isStopped }
  }

  func clean() {
    loop.close()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
