import Features
import Glibc
import ReplicaCore
import StoreClient
import Testing
import Wire

/// A connection that a client has given up for another one.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ReplacedConnectionTests {
  /// The hub stalls with the client's output in its socket, and goes on when the client has already reconnected.
  @Test func itDoesNotDisturbTheNewConnection() async throws {
    let bench = try Bench()
    let hub = try ScriptedHub(on: bench)
    var options = ReplicaOptions()
    (options.timeout, options.shortestDelay) = (.milliseconds(100), .milliseconds(5))
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    client.start()
    func open() async -> Int32 {
      let peer = await hub.accept()
      hub.send(to: peer) {
        $0.welcome()
        $0.snapshot(of: AppFeature.State(), scope: 0, revision: 0)
      }
      #expect(await bench.until { client.connection == .live })
      return peer
    }
    let first = await open()
    // More than the socket accepts, so the client keeps it open after the time limit.
    let task = client.store?.send(.todos(.addButtonTapped(text: String(repeating: "x", count: 1_000_000))))
    #expect(await bench.until { client.connection != .live })
    let second = await open()
    #expect(task?.isOver == true && !hub.isClosed(first))

    var connections: [ConnectionState] = []
    client.onConnectionChange = { connections.append(client.connection) }
    hub.send(to: first) { $0.frame(PeerError(.timedOut, "the rest of a frame did not arrive in time")) }
    shutdown(first, Int32(SHUT_WR))
    // The end still releases the client's side.
    #expect(await bench.until { hub.isClosed(first) || !connections.isEmpty })
    #expect(connections == [] && !hub.isClosed(second))
    client.close()
    hub.close()
    bench.clean()
  }
}
