import ComposableArchitecture
import EventLoop
import Features
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import Wire

/// A client without a hub is not silent.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ConnectionNoticeTests {
  private let options = ReplicaOptions(
    name: "of the options", shortestDelay: .milliseconds(5), longestDelay: .milliseconds(50))

  @Test func waitingAndItsEndAreSaidOnce() async throws {
    let bench = try Bench()
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    var notices: [String] = []
    client.onConnectionNotice = { notices.append($0) }
    #expect(client.connectionNotice == nil)
    client.start()
    func hasTried(_ count: Int) -> Bool {
      if case .connecting(let attempt, _) = client.connection { attempt >= count } else { false }
    }
    #expect(await bench.until { hasTried(4) })
    #expect(notices.count == 1)
    #expect(notices.first == "waiting for the hub at \(bench.path); none is running there")
    #expect(client.connectionNotice == notices.first)

    let server = try bench.serve()
    #expect(await bench.until { client.connection == .live })
    #expect(client.connectionNotice == nil)
    #expect(notices.dropFirst() == ["connected to the hub at \(bench.path)"])

    #expect(await bench.stop(server))
    #expect(await bench.until { notices.count == 3 })
    #expect(notices[2].hasPrefix("waiting for the hub at \(bench.path), which was lost: "))
    client.close()
    bench.clean()
  }

  /// A service manager's socket accepts connections for a hub that cannot start.
  @Test func aHubThatEndsWithoutAnAnswerHasALog() async throws {
    let bench = try Bench()
    let hub = try ScriptedHub(on: bench)
    let once = ReplicaOptions(name: "once", shortestDelay: .seconds(600), longestDelay: .seconds(600))
    let client = try Client(loop: bench.loop, path: bench.path, options: once)
    client.start()
    let peer = await hub.accept()
    #expect(await bench.until { hub.hasBytes(from: peer) })
    hub.close()
    func failure() -> String? {
      if case .connecting(_, let failure) = client.connection { failure } else { nil }
    }
    #expect(await bench.until { failure() != nil })
    #expect(failure() == "the hub ended without reading what was sent, or could not start: see its log")
    client.close()
    bench.clean()
  }

  @Test func aRefusalIsSaid() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: Other(), reducer: EmptyReducer<Other, Never>())
    let server = try bench.serve(engine)
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    var notices: [String] = []
    client.onConnectionNotice = { notices.append($0) }
    client.start()
    #expect(await bench.until { !notices.isEmpty })
    #expect(notices[0].hasPrefix("the hub at \(bench.path) refused this client: "))
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aClientHasItsName() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let named = try Client(loop: bench.loop, path: bench.path, name: "statusbar", options: options)
    let other = try Client(loop: bench.loop, path: bench.path, options: options)
    let clients = named.attachToHub { $0.attendees }
    named.start()
    other.start()
    #expect(await bench.until { Set(clients.store?.state.map(\.name) ?? []) == ["statusbar", "of the options"] })
    named.close()
    other.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}

@Replicated
private struct Other: Equatable { var title = "" }
