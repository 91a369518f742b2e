import Features
import Glibc
import ReplicaCore
import StoreClient
import Testing
import Wire

/// A connection that a client has given up for another one.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ReplacedConnectionTests {
  /// The hub stalls with the client's output in its socket, and goes on when the client has already reconnected.
  @Test func itDoesNotDisturbTheNewConnection() async throws {
    let bench = try Bench()
    let hub = try ScriptedHub(on: bench)
    var options = ReplicaOptions()
    (options.timeout, options.shortestDelay, options.longestDelay) = (.seconds(2), .milliseconds(5), .milliseconds(50))
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    client.start()
    func open() async -> Int32 {
      while true {
        let peer = await hub.accept()
        // If this test is paused, the client has given it up for another one.
        guard !hub.isClosed(peer) else { continue }
        hub.send(to: peer) {
          $0.welcome()
          $0.snapshot(of: AppFeature.State(), scope: 0, revision: 0)
        }
        #expect(await bench.until { client.connection == .live || hub.isClosed(peer) })
        if client.connection == .live { return peer }
      }
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

  /// Otherwise the client would send an action on the new connection while that one is stalled too.
  @Test func itsLastBytesDoNotEndTheWaitForTheNewConnection() async throws {
    let bench = try Bench()
    let hub = try ScriptedHub(on: bench)
    var options = ReplicaOptions()
    // If this test is paused, the client must not give up the second connection.
    (options.timeout, options.shortestDelay, options.longestDelay) = (
      .seconds(3600), .milliseconds(5), .milliseconds(50)
    )
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    client.start()
    let (long, short) = (
      AppFeature.Action.todos(.addButtonTapped(text: String(repeating: "x", count: 1_000_000))),
      AppFeature.Action.counter(.incrementButtonTapped)
    )
    /// Opens a session and sends more than the socket accepts.
    func stall() async -> Int32 {
      let peer = await hub.accept()
      hub.send(to: peer) {
        $0.welcome()
        $0.snapshot(of: AppFeature.State(), scope: 0, revision: 0)
      }
      #expect(await bench.until { client.connection == .live })
      client.store?.send(long)
      bench.loop.run(.noWait)
      return peer
    }
    let first = await stall()
    hub.send(to: first) { $0.frame(PeerError(.timedOut, "the rest of a frame did not arrive in time")) }
    #expect(await bench.until { client.connection != .live })
    let second = await stall()
    #expect(
      await bench.until {
        _ = hub.read(from: first)
        return hub.isClosed(first)
      })
    for _ in 0..<3 {
      client.store?.send(short)
      bench.loop.run(.noWait)
    }
    var frames: [[UInt8]] = []
    var decoder = FrameDecoder(payloadLimit: 1 << 20)
    try #require(
      await bench.until {
        let bytes = hub.read(from: second)
        try? decoder.feed(bytes.span.bytes) { header, payload in
          if header.kind == FrameKind.actions.rawValue { frames.append(payload.withUnsafeBytes { [UInt8]($0) }) }
        }
        return frames.count > 1
      })
    // The second frame has all that waited.
    let waiting = Array(repeating: short.encoded(), count: 3).flatMap(\.self)
    #expect(frames[1].suffix(waiting.count) == waiting[...])
    client.close()
    hub.close()
    bench.clean()
  }
}
