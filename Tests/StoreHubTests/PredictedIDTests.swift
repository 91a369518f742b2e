import ComposableArchitecture
import EventLoop
import Foundation
import Glibc
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import TestSupport
import Testing
import Wire

/// A client that predicts an action makes the ids that the hub will make.
@Suite(.serialized, .timeLimit(.minutes(30))) struct PredictedIDTests {
  @Reducer
  struct Notes {
    @ObservableState @Replicated
    struct State: Equatable, Sendable {
      var notes: IdentifiedArrayOf<Note> = []
      var rolls: [Int] = []
    }

    @Replicated
    struct Note: Equatable, Identifiable, Sendable {
      let id: UUID
      var text: String
      var author: UInt64
    }

    @Replicated
    enum Action: Sendable {
      /// Adds so many notes; refuses 13.
      case added(Int, String)
      case rolled(Int)
      case removed(UUID)
      /// Adds a note with the time zone and the locale.
      case signed
    }

    @Dependency(\.uuid) var uuid
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
    @Dependency(\.sender) var sender
    @Dependency(\.timeZone) var timeZone
    @Dependency(\.locale) var locale

    var body: some ReducerOf<Self> {
      Reduce { state, action throws(Refusal) in
        switch action {
        case .added(let count, let text):
          for _ in 0..<count {
            state.notes.append(Note(id: uuid(), text: text, author: sender.client?.session ?? 0))
          }
          guard count != 13 else { throw Refusal("thirteen notes are unlucky") }
        case .rolled(let count):
          for _ in 0..<count {
            state.rolls.append(withRandomNumberGenerator { Int.random(in: 1...6, using: &$0) })
          }
        case .signed:
          state.notes.append(Note(id: uuid(), text: "\(timeZone.identifier) \(locale.identifier)", author: 0))
        case .removed(let id):
          guard state.notes.remove(id: id) != nil else { throw Refusal("there is no such note") }
        }
        return .none
      }
    }
  }

  private typealias NotesClient = StoreClient<Notes.State, Notes.Action>

  private func options(_ name: String) -> ReplicaOptions {
    var options = ReplicaOptions(name: name)
    (options.shortestDelay, options.longestDelay) = (.milliseconds(5), .milliseconds(20))
    return options
  }

  /// A client with the state of the hub.
  private func attach(to bench: Bench) async throws -> (NotesClient, StoreOf<Notes>) {
    let client = try NotesClient(
      loop: bench.loop, path: bench.path, options: options("one"), predictingWith: Notes())
    client.start()
    #expect(await bench.until { client.store != nil })
    return (client, try #require(client.store))
  }

  /// Notes the ids that an action predicts, until the hub has them.
  @Test func anElementKeepsItsPredictedID() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: Notes.State(), reducer: Notes())
    let server = try bench.serve(engine)
    let (client, store) = try await attach(to: bench)
    let task = store.send(.added(2, "milk"))
    let predicted = store.notes.map(\.id)
    #expect(predicted.count == 2 && Set(predicted).count == 2 && engine.state.notes.isEmpty)
    // It is named before the hub has answered.
    store.send(.removed(predicted[0]))
    #expect(await bench.until { task.isOver && client.pendingActionCount == 0 })
    #expect(engine.state.notes.map(\.id) == [predicted[1]])
    #expect(engine.state.notes.first?.author == client.identity?.session)
    #expect(store.state == engine.state)
    // The kernel says who it is, also to itself.
    let (identity, user) = (try #require(client.identity), SystemUser.current)
    #expect(identity.name == "one" && identity.process == getpid() && identity.connection == 1)
    #expect(identity.user.id == user.id && identity.user.name == user.name)
    #expect(Set(identity.user.groups) == Set(user.groups))
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aPredictionHasTheTimeZoneAndTheLocaleOfTheHub() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: Notes.State(), reducer: Notes())
    let server = try bench.serve(engine)
    let (client, store) = try await attach(to: bench)
    store.send(.signed)
    #expect(store.notes.map(\.text) == ["GMT en_US_POSIX"] && engine.state.notes.isEmpty)
    #expect(await bench.until { client.pendingActionCount == 0 })
    #expect(store.state == engine.state)
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// `STOREHUB_HISTORIES=200` runs more of them.
  private nonisolated static let histories =
    UInt64(ProcessInfo.processInfo.environment["STOREHUB_HISTORIES"] ?? "") ?? 10

  /// Random histories of three clients with refusals, lost connections and restarts of the hub. Each predicted id of an
  /// action that the hub applied is in the hub's history.
  @Test(arguments: 1...histories) func allPredictedIDsAreTheHubs(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let bench = try Bench()
    let directory = bench.directory + "/state"
    var (server, recording): (HubServer?, Recording?) = (nil, nil)
    var made: Set<UUID> = []
    var predicted: [(ids: [UUID], task: StoreTask)] = []
    func start() throws -> FeatureEngine<Notes.State, Notes.Action> {
      let engine = FeatureEngine(initialState: Notes.State(), reducer: Notes())
      let log = Log(program: "test", level: .error)
      let opened = try Recording.open(engine, directory: directory, log: log)
      server = try HubServer(
        engine, name: "test hub", loop: bench.loop, path: bench.path, recording: opened, log: log)
      recording = opened
      return engine
    }
    var engine = try start()
    let clients = try (0..<3).map {
      try NotesClient(loop: bench.loop, path: bench.path, options: options("client \($0)"), predictingWith: Notes())
    }
    for client in clients { client.start() }
    #expect(await bench.until { clients.allSatisfy { $0.store != nil } })
    for _ in 0..<60 {
      let client = clients[Int.random(in: 0..<3, using: &random)]
      let store = try #require(client.store)
      let before = Set(store.notes.map(\.id))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        let count = Int.random(in: 0...4, using: &random)
        let task = store.send(.added(count, "note"))
        predicted.append((store.notes.map(\.id).filter { !before.contains($0) }, task))
        #expect(predicted.last?.ids.count == count, "seed \(seed)")
      case 6: store.send(.added(13, "unlucky"))
      case 7: store.send(.rolled(Int.random(in: 0...9, using: &random)))
      case 8:
        let turns = Int.random(in: 0...3, using: &random)
        var count = 0
        let hasTurned = await bench.until {
          count += 1
          return count > turns
        }
        #expect(hasTurned)
      default:
        made.formUnion(engine.state.notes.map(\.id))
        if let running = server { #expect(await bench.stop(running)) }
        recording?.close()
        engine = try start()
      }
    }
    #expect(await bench.until { clients.allSatisfy { $0.pendingActionCount == 0 } })
    made.formUnion(engine.state.notes.map(\.id))
    var count = 0
    for (ids, task) in predicted {
      try await task.taken()
      for id in ids {
        #expect(made.contains(id), "seed \(seed): \(id)")
        count += 1
      }
    }
    #expect(count > 20)
    for client in clients {
      #expect(await bench.until { client.store?.state == engine.state }, "seed \(seed)")
      client.close()
    }
    if let server { #expect(await bench.stop(server)) }
    recording?.close()
    bench.clean()
  }
}
