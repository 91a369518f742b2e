import ComposableArchitecture
import EventLoop
import Features
import Foundation
import HubCore
import ReplicaCore
import StoreClient
import Synchronization
import Testing
import Wire

/// Through a real hub, clients hold and cancel effects.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ClientEffectTests {
  /// The effects that run in the hub.
  final class Running: Sendable {
    private let counts = Mutex((now: 0, begun: 0))
    var now: Int { counts.withLock(\.now) }
    var begun: Int { counts.withLock(\.begun) }

    func run() async {
      counts.withLock { $0 = ($0.now + 1, $0.begun + 1) }
      let (stream, continuation) = AsyncStream<Never>.makeStream()
      for await _ in stream {}
      continuation.finish()
      counts.withLock { $0.now -= 1 }
    }
  }

  struct App: Reducer {
    @Replicated @ObservableState
    struct State: Equatable, Sendable { var tasks = 0 }

    @CasePathable @Replicated
    enum Action: Sendable { case task, own, other }

    let running: Running

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.tasks += 1
        let effect = Effect<Action>.run { [running] _ in await running.run() }
        return switch action {
        case .task: effect.shared(id: "task")
        case .other: effect.shared(id: "other")
        case .own: effect
        }
      }
    }
  }

  @Test func theTaskOfTwoClientsIsOneEffect() async throws {
    let bench = try Bench()
    let running = Running()
    let server = try bench.serve(FeatureEngine(initialState: App.State(), reducer: App(running: running)))
    let clients = try (1...2).map { _ in try StoreClient<App.State, App.Action>(loop: bench.loop, path: bench.path) }
    for client in clients { client.start() }
    #expect(await bench.until { clients.allSatisfy { $0.store != nil } })
    let stores = try clients.map { try #require($0.store) }

    let views = stores.map { store in Task { @MainActor in await store.hold(.task) } }
    #expect(await bench.until { stores.allSatisfy { $0.tasks == 2 } && running.now == 1 })
    views[0].cancel()
    await views[0].value
    let own = stores[0].send(.own)
    #expect(await bench.until { running.now == 2 && own.isOver })
    #expect(running.begun == 2)
    own.cancel()
    #expect(await bench.until { running.now == 1 })
    views[1].cancel()
    #expect(await bench.until { running.now == 0 })
    #expect(running.begun == 2)

    // Cancelled before the hub has applied it.
    stores[1].send(.own).cancel()
    #expect(await bench.until { running.begun == 3 || stores[1].tasks == 4 })
    #expect(await bench.until { running.now == 0 && clients[1].pendingActionCount == 0 })

    // A client that closes does not hold the shared effect any more.
    let last = stores[0].send(.task)
    #expect(await bench.until { last.isOver && running.now == 1 })
    clients[0].close()
    #expect(await bench.until { running.now == 0 })
    clients[1].close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  // MARK: Clients without a connection

  /// A client in a process of its own, which sends actions and does nothing more.
  private func process(sending actions: [App.Action], to path: String) throws -> Process {
    var writer = FrameWriter()
    writer.frame(Hello(name: "killed"))
    writer.frame(.actions(seen: nil, mayCancel: true)) { encoder in
      encoder.unsigned(1)
      encoder.unsigned(0)
      for action in actions { action.encode(to: &encoder) }
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      """
      import socket, sys
      hub = socket.socket(socket.AF_UNIX)
      hub.connect(sys.argv[1])
      hub.sendall(bytes.fromhex(sys.argv[2]))
      while hub.recv(65536): pass
      """, path, writer.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
    ]
    try process.run()
    return process
  }

  @Test func aKilledClientHoldsASharedEffectForATimeOnly() async throws {
    let bench = try Bench()
    let running = Running()
    var limits = HubLimits()
    limits.holdTimeout = .milliseconds(200)
    let engine = FeatureEngine(initialState: App.State(), reducer: App(running: running))
    let server = try bench.serve(engine, limits: limits)
    let client = try StoreClient<App.State, App.Action>(loop: bench.loop, path: bench.path)
    client.start()
    #expect(await bench.until { client.store != nil })
    let store = try #require(client.store)
    let view = Task { @MainActor in await store.hold(.task) }
    let process = try process(sending: [.task, .own, .other], to: bench.path)
    #expect(await bench.until { store.tasks == 4 && running.now == 3 })
    kill(process.processIdentifier, SIGKILL)
    // The effect that it alone has held ends. The one that the view holds goes on, and so does its own.
    #expect(await bench.until { running.now == 2 })
    view.cancel()
    await view.value
    #expect(await bench.until { running.now == 1 })
    #expect(running.begun == 3 && store.tasks == 4)
    process.waitUntilExit()
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// The hub has lost the session, and may have begun the effect or not.
  @Test func anEffectIsBegunAgainIfItsActionHasNoOutcome() async throws {
    let bench = try Bench()
    defer { bench.clean() }
    let hub = try ScriptedHub(on: bench)
    defer { hub.close() }
    let client = try bench.attach()
    var peer = await hub.accept()
    func welcome() {
      hub.send(to: peer) {
        $0.welcome()
        $0.snapshot(of: AppFeature.State(), scope: 0, revision: 0)
      }
    }
    welcome()
    #expect(await bench.until { client.store != nil })
    let store = try #require(client.store)
    func receives(_ kind: FrameKind) async -> Bool {
      var bytes: [UInt8] = []
      return await bench.until {
        bytes += hub.read(from: peer)
        var offset = 0
        while offset + FrameHeader.byteCount <= bytes.count {
          let header = FrameHeader(bytes.span.bytes, at: offset)
          if header.kind == kind.rawValue { return true }
          offset += FrameHeader.byteCount + Int(header.length)
        }
        return false
      }
    }
    var hasEnded = false
    Task { @MainActor in
      await store.hold(.counter(.toggleTimerButtonTapped))
      hasEnded = true
    }
    #expect(await receives(.actions))
    shutdown(peer, Int32(SHUT_RDWR))
    peer = await hub.accept()
    #expect(await receives(.hello))
    welcome()
    #expect(await receives(.actions))
    // A rejection ends it.
    hub.send(to: peer) {
      $0.frame(Rejected(sequence: 1, code: .notPermitted, reason: "no"))
      $0.frame(FrameHeader(kind: .applied, revision: 0)) { $0.unsigned(1) }
    }
    #expect(await bench.until { hasEnded })
    client.close()
  }

  /// The hub's state as a part of a client's own.
  struct Screen: Reducer {
    @ObservableState
    struct State: Equatable { var hub = App.State() }

    @CasePathable
    enum Action { case hub(App.Action) }

    var body: some ReducerOf<Self> {
      Reduce<State, Action> { _, _ in .none }.hub(\.hub, action: \.hub) { App(running: Running()) }
    }
  }

  /// Its effects have ended with the hub's process.
  @Test(arguments: [false, true])
  func aViewOfAnotherProcessOfTheHubHoldsItsEffectsAgain(isComposed: Bool) async throws {
    let bench = try Bench()
    let processes = [Running(), Running()]
    let options = ReplicaOptions(shortestDelay: .milliseconds(5), longestDelay: .milliseconds(50))
    let client = try StoreClient<App.State, App.Action>(loop: bench.loop, path: bench.path, options: options)
    client.onConnectionNotice = nil
    let screen = isComposed ? client.store(initialState: Screen.State()) { Screen() } : nil
    client.start()
    var view: Task<Void, Never>?
    for (index, running) in processes.enumerated() {
      let server = try bench.serve(FeatureEngine(initialState: App.State(), reducer: App(running: running)))
      #expect(await bench.until { client.connection == .live })
      if let screen {
        view = view ?? Task { @MainActor in await screen.hold(.hub(.task)) }
        #expect(await bench.until { running.now == 1 && screen.hub.tasks == 1 })
      } else {
        let store = try #require(client.store)
        view = view ?? Task { @MainActor in await store.hold(.task) }
        #expect(await bench.until { running.now == 1 && store.tasks == 1 })
      }
      #expect(running.begun == 1)
      if index == 1 {
        view?.cancel()
        #expect(await bench.until { running.now == 0 })
      }
      #expect(await bench.stop(server))
      #expect(await bench.until { client.connection != .live })
    }
    client.close()
    bench.clean()
  }
}
