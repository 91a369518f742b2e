import EventLoop
import Features
import Foundation
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct SocketTests {
  @Test func aSocketThatIsServedIsNotTakenOver() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    #expect(throws: HubError.alreadyServed(path: bench.path)) { try bench.serve() }
    let client = try bench.attach()
    #expect(await bench.until { client.connection == .live })
    client.close()
    #expect(await bench.stop(server))
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory).filter { $0 == "hub.sock" } == [])
    bench.clean()
  }

  @Test func aDeadSocketIsReplaced() async throws {
    let bench = try Bench()
    let (dead, bound) = bench.socket(bind)
    #expect(bound == 0)
    close(dead)

    let server = try bench.serve()
    let client = try bench.attach()
    #expect(await bench.until { client.connection == .live })
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func whatIsNoSocketIsLeftAsItIs() throws {
    let bench = try Bench()
    try "precious".write(toFile: bench.path, atomically: true, encoding: .utf8)
    #expect(throws: HubError.notASocket(path: bench.path)) { try bench.serve() }
    #expect(try String(contentsOfFile: bench.path, encoding: .utf8) == "precious")
    #expect(!FileManager.default.fileExists(atPath: bench.path + ".lock"))
    bench.clean()
  }

  @Test func aPathThatDoesNotFitIsRefusedInWords() throws {
    let bench = try Bench()
    let path = bench.directory + "/" + String(repeating: "x", count: 120)
    let error = #expect(throws: HubError.self) {
      _ = try HubServer(bench.engine, loop: bench.loop, path: path, log: Log(program: "test", level: .error))
    }
    #expect("\(try #require(error))".contains("107"))
    bench.clean()
  }

  @Test func aMissingFolderIsNamed() throws {
    let bench = try Bench()
    let path = bench.directory + "/missing/hub.sock"
    let error = #expect(throws: HubError.self) {
      _ = try HubServer(bench.engine, loop: bench.loop, path: path, log: Log(program: "test", level: .error))
    }
    #expect("\(try #require(error))".contains("missing"))
    bench.clean()
  }

  @Test func theSocketIsForItsOwnerAlone() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var status = stat()
    #expect(stat(bench.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(await bench.stop(server))
    bench.clean()
  }
}
