import EventLoop
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct ListenerTests {
  /// A listener, and clients waiting to be accepted.
  private func waitingClients(_ count: Int, _ pair: Pair, _ onConnection: @escaping (UVError?) -> Void) throws -> [CInt]
  {
    pair.listener = try PipeListener(on: pair.loop, path: pair.path, onConnection: onConnection)
    return try (0..<count).map { _ in
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: pair.path.utf8) }
      let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
      return descriptor
    }
  }

  /// Clients that connected as fast as they were accepted once blocked the loop.
  @Test func acceptingTakesTurnsWithTheRestOfTheLoop() throws {
    let pair = try Pair()
    var count = 0
    let clients = try waitingClients(200, pair) { error in
      #expect(error == nil)
      count += 1
    }
    pair.run { count > 0 }
    #expect(count <= 64)
    pair.run { count == 200 }
    // Connections that were not accepted in the callback were closed.
    var byte: UInt8 = 0
    for client in clients {
      #expect(read(client, &byte, 1) == 0)
      close(client)
    }
    pair.end()
  }

  @Test func aPausedListenerLetsClientsWait() throws {
    let pair = try Pair()
    var count = 0
    let clients = try waitingClients(3, pair) { _ in
      count += 1
      pair.listener?.pause()
    }
    pair.run { count == 1 }
    for _ in 0..<10 { pair.loop.run(.noWait) }
    #expect(count == 1)
    pair.listener?.resume()
    pair.run { count == 2 }
    pair.listener?.resume()
    pair.run { count == 3 }
    for client in clients { close(client) }
    pair.end()
  }

  @Test func aListenerLeavesAnothersFileAlone() throws {
    let pair = try Pair()
    pair.listener = try PipeListener(on: pair.loop, path: pair.path) { _ in }
    try FileManager.default.removeItem(atPath: pair.path)
    try "precious".write(toFile: pair.path, atomically: true, encoding: .utf8)
    pair.listener = nil
    #expect(try String(contentsOfFile: pair.path, encoding: .utf8) == "precious")
    pair.end()
  }

  @Test func aListenerThatCannotListenLeavesNothingBehind() throws {
    let pair = try Pair()
    try pair.connect()
    let handles = pair.loop.handleCount
    let error = #expect(throws: UVError.self) {
      _ = try PipeListener(on: pair.loop, path: pair.path) { _ in }
    }
    #expect(error?.code == UVError.Code.addressInUse)
    #expect(throws: UVError.self) {
      _ = try PipeListener(on: pair.loop, path: pair.directory + "/missing/s") { _ in }
    }
    #expect(throws: UVError.self) {
      _ = try PipeListener(on: pair.loop, path: "/" + String(repeating: "x", count: 107)) { _ in }
    }
    pair.loop.run(.noWait)
    #expect(pair.loop.handleCount == handles)
    #expect(FileManager.default.fileExists(atPath: pair.path), "the path of the first one is still its own")
    pair.end()
  }

  @Test func theFileOfAListenerGoesWithIt() throws {
    let pair = try Pair()
    try pair.connect()
    #expect(FileManager.default.fileExists(atPath: pair.path))
    pair.listener = nil
    #expect(!FileManager.default.fileExists(atPath: pair.path))
    pair.end()
  }

  @Test func aListenerMayGoAwayInItsOwnCallback() throws {
    let pair = try Pair()
    var calls = 0
    pair.listener = try PipeListener(on: pair.loop, path: pair.path) { _ in
      calls += 1
      pair.server = try? pair.listener?.accept()
      pair.listener = nil
    }
    var connected = 0
    let first = try PipeStream(on: pair.loop)
    let second = try PipeStream(on: pair.loop)
    try first.connect(to: pair.path) { _ in connected += 1 }
    try second.connect(to: pair.path) { _ in connected += 1 }
    pair.run { calls == 1 && connected == 2 }
    first.close()
    second.close()
    pair.end()
  }
}
