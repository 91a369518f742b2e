import EventLoop
import Features
import Foundation
import HubCore
import ReplicaCore
import StoreClient
import Testing

@testable import StoreHub

/// A socket's path that is changed under a running hub. Connected clients are served in any case.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RestoredSocketTests {
  /// A hub with a client, and a directory for the test's own files.
  private func serving(_ change: (Bench) async throws -> Void) async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var lost: HubError?
    server.onSocketLost = { lost = $0 }
    let client = try bench.attach()
    #expect(await bench.until { client.connection == .live })
    try await change(bench)
    let other = try bench.attach()
    #expect(await bench.until { other.connection == .live })
    #expect(client.connection == .live && lost == nil && server.health == .ok)
    client.close()
    other.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  private func isSocket(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Copies the sockets that have a path, as a program that is being started does.
  private func copies(of path: String) -> [CInt] {
    (CInt(0)..<1024).compactMap { descriptor in
      var (address, size) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
      let named = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
      }
      guard named == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
      let name = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return name == path ? dup(descriptor) : nil
    }
  }

  @Test(arguments: ["nowhere", "file", "directory", "dead", "moved", "copied"])
  func aLinkWithoutAServerIsReplaced(target: String) async throws {
    try await serving { bench in
      let path = bench.directory + "/" + target
      var copies: [CInt] = []
      defer { for copy in copies { close(copy) } }
      switch target {
      case "file": try "precious".write(toFile: path, atomically: true, encoding: .utf8)
      case "directory": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      case "dead":
        rename(bench.path, path)
        #expect(await bench.until { isSocket(bench.path) })
      case "moved": rename(bench.path, path)
      case "copied":
        copies = self.copies(of: bench.path)
        #expect(!copies.isEmpty)
        rename(bench.path, path)
      default: break
      }
      // As with `ln -sf`.
      #expect(symlink(path, bench.path + ".new") == 0 && rename(bench.path + ".new", bench.path) == 0)
      #expect(await bench.until { isSocket(bench.path) })
      if target == "file" { #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious") }
    }
  }

  @Test func aLinkToAnotherServerIsATakeover() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var lost: HubError?
    server.onSocketLost = { lost = $0 }
    let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(other) }
    let path = bench.directory + "/other.sock"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(other, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(bound == 0 && listen(other, 1) == 0)
    #expect(symlink(path, bench.path + ".new") == 0 && rename(bench.path + ".new", bench.path) == 0)
    #expect(await bench.until { lost != nil })
    #expect(lost == .alreadyServed(path: bench.path))
    #expect(!isSocket(bench.path))
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// A file that is not a socket is kept, and the hub listens again when it is gone.
  @Test func aFileInTheWayIsWaitedFor() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var lost: HubError?
    server.onSocketLost = { lost = $0 }
    let client = try bench.attach()
    #expect(await bench.until { client.connection == .live })
    try "precious".write(toFile: bench.path, atomically: true, encoding: .utf8)
    #expect(await bench.until { server.health != .ok })
    #expect(server.health == .degraded("new clients cannot connect: \(HubError.notASocket(path: bench.path))"))
    #expect(try String(contentsOfFile: bench.path, encoding: .utf8) == "precious")
    try FileManager.default.removeItem(atPath: bench.path)
    #expect(await bench.until { isSocket(bench.path) })
    #expect(server.health == .ok && client.connection == .live && lost == nil)
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
