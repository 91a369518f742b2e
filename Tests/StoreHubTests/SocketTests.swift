import EventLoop
import Features
import Foundation
import HubCore
import ReplicaCore
import StoreClient
import Testing

@testable import StoreHub

@Suite(.serialized, .timeLimit(.minutes(30))) struct SocketTests {
  @Test func aPathOfAnotherUserHasARemedy() {
    let error = HubError.system(operation: "open", path: "/run/a.sock.lock", errno: EACCES)
    #expect(
      "\(error)" == """
        cannot open /run/a.sock.lock: Permission denied; start the hub as the user to whom the file or its directory \
        belongs, or choose another path with --socket
        """)
  }

  @Test func aPathThatCannotBeWrittenHasARemedy() {
    let error = HubError.system(operation: "open", path: "/run/a.sock.lock", errno: EROFS)
    #expect(
      "\(error)" == """
        cannot open /run/a.sock.lock: Read-only file system; mount its file system writable, or choose another path \
        with --socket
        """)
  }

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

  /// The options may have changed between two processes.
  @Test(arguments: [false, true]) func aSocketOfThePreviousProcessGetsItsNewPathAndMode(isMoved: Bool) async throws {
    let bench = try Bench()
    let log = Log(program: "test", level: .error)
    func serve(_ path: String, mode: UInt32, _ inherited: Inheritance.Listener?) throws -> ServedSocket {
      try ServedSocket(
        on: bench.loop, path: path, mode: mode, inherited: inherited, log: log, onConnection: { _ in }, onLost: { _ in }
      )
    }
    var previous: ServedSocket? = try serve(bench.path, mode: 0o666, nil)
    let descriptor = dup(try #require(previous?.handOver()))
    previous = nil
    let path = isMoved ? bench.directory + "/moved.sock" : bench.path
    let socket = try serve(path, mode: 0o640, .init(descriptor: descriptor, path: bench.path, isOwn: true))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(socket.path == path)
    let files = Set(try FileManager.default.contentsOfDirectory(atPath: bench.directory))
    let name = isMoved ? "moved.sock" : "hub.sock"
    #expect(files == [name, name + ".lock"])
    socket.stopListening()
    bench.clean()
  }
}
