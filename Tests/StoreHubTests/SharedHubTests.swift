import ComposableArchitecture
import EventLoop
import Foundation
import HubCore
import Journal
import ReplicaCore
import ReplicatedArchitecture
import StoreClient
import StoreHub
import Testing
import Wire

/// Clients that edit one model at the same time, through a real hub.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SharedHubTests {
  @Replicated
  struct Job: Equatable, Identifiable, Sendable {
    let id: Int
    var title = ""
    var isDone = false
  }

  @Replicated
  struct Planner: Equatable, Sendable {
    var title = ""
    var jobs: IdentifiedArrayOf<Job> = []
    var votes: SharedCounter = 0
    var editCount = 0
  }

  /// The whole program of such a hub.
  private struct PlannerHub: SharedHub {
    let initialState = Planner(jobs: [Job(id: 1), Job(id: 2)])
  }

  /// One that reacts.
  private struct CountingHub: SharedHub {
    let initialState = Planner()
    var body: some Reducer<Planner, SharedChange<Planner>> {
      SharedModel()
      Reduce { planner, _ in
        planner.editCount += 1
        return .none
      }
    }
  }

  private typealias PlannerClient = StoreClient<Planner, SharedChange<Planner>>

  private func engine<Hub: SharedHub>(_ hub: Hub) -> FeatureEngine<Hub.Model, SharedChange<Hub.Model>> {
    FeatureEngine(initialState: hub.initialState, reducer: hub.body)
  }

  private func attach(_ bench: Bench) async throws -> PlannerClient {
    var options = ReplicaOptions()
    (options.shortestDelay, options.longestDelay) = (.milliseconds(5), .milliseconds(50))
    let client = try PlannerClient(
      loop: bench.loop, path: bench.path, options: options, predictingWith: SharedModel<Planner>())
    client.start()
    #expect(await bench.until { client.store != nil })
    return client
  }

  /// Edits what a client shows, as its user does.
  private func edit(_ client: PlannerClient, _ edit: (inout Planner) -> Void) throws {
    let store = try #require(client.store)
    var edited = store.state
    edit(&edited)
    for change in SharedChange.changes(from: store.state, to: edited) { store.send(change) }
    #expect(store.state == edited)
  }

  @Test func twoClientsKeepTheirWorkAndARestartedHubHasIt() async throws {
    let bench = try Bench()
    let (directory, log) = (bench.directory + "/state", Log(program: "test", level: .error, descriptor: -1))
    var engine = engine(PlannerHub())
    var recording = try Recording.open(engine, directory: directory, log: log)
    var server = try HubServer(engine, loop: bench.loop, path: bench.path, recording: recording, log: log)
    let clients = [try await attach(bench), try await attach(bench)]
    // Neither knows of the other's edits.
    for round in 0..<20 {
      for (index, client) in clients.enumerated() {
        try edit(client) {
          $0.jobs.append(Job(id: 100 * (index + 1) + round, title: "\(index)"))
          $0.votes += index + 1
          $0.jobs[id: index + 1]?.title = "\(round)"
        }
      }
    }
    try edit(clients[0]) { $0.jobs[id: 2]?.isDone = true }
    #expect(await bench.until { clients.allSatisfy { $0.pendingActionCount == 0 } })
    #expect(await bench.until { clients.allSatisfy { $0.store?.state == engine.state } })
    let planner = engine.state
    #expect(planner.jobs.count == 42)
    #expect(planner.votes == 60)
    #expect(planner.jobs[id: 1] == Job(id: 1, title: "19"))
    #expect(planner.jobs[id: 2] == Job(id: 2, title: "19", isDone: true))

    #expect(await bench.stop(server))
    recording.close()
    engine = self.engine(PlannerHub())
    recording = try Recording.open(engine, directory: directory, log: log)
    #expect(engine.state == planner)
    server = try HubServer(engine, loop: bench.loop, path: bench.path, recording: recording, log: log)
    try edit(clients[1]) { $0.title = "later" }
    #expect(await bench.until { clients.allSatisfy { $0.pendingActionCount == 0 && $0.store?.state.title == "later" } })
    for client in clients { client.close() }
    #expect(await bench.stop(server))
    recording.close()
    bench.clean()
  }

  @Test func aHubReactsToChanges() async throws {
    let bench = try Bench()
    let engine = engine(CountingHub())
    let server = try bench.serve(engine)
    let client = try await attach(bench)
    try edit(client) { $0.votes += 1 }
    try edit(client) { $0.jobs.append(Job(id: 1)) }
    #expect(await bench.until { client.pendingActionCount == 0 && client.store?.state.editCount == 2 })
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  // MARK: Refusals

  /// A model with a condition.
  @Replicated
  struct Hall: Equatable, Sendable, SharedInvariants {
    var guests: IdentifiedArrayOf<Job> = []
    var seats: SharedCounter = 3

    func check() throws(Refusal) {
      guard guests.count <= seats.value else { throw Refusal("\(guests.count) guests have \(seats) seats") }
    }
  }

  private struct HallHub: SharedHub {
    let initialState = Hall()
  }

  /// Sends the bytes of changes to a hub, and returns its state and the reason of each refusal.
  private func send<Hub: SharedHub>(
    _ changes: [[UInt8]], to hub: Hub
  ) async throws -> (state: Hub.Model, reasons: [String]) where Hub.Model: Equatable & Sendable {
    let bench = try Bench()
    let engine = engine(hub)
    let server = try bench.serve(engine)
    let client = try StoreClient<Hub.Model, SharedChange<Hub.Model>>(loop: bench.loop, path: bench.path)
    client.start()
    #expect(await bench.until { client.store != nil })
    var reasons: [String] = []
    for bytes in changes {
      let change = try SharedChange<Hub.Model>(decoding: bytes.span.bytes)
      let task = try #require(client.store).send(change)
      #expect(await bench.until { task.isOver })
      do { try await task.taken() } catch { reasons.append("\(error)") }
    }
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
    return (engine.state, reasons)
  }

  @Test func aChangeThatBreaksAConditionIsRefused() async throws {
    var hall = Hall()
    hall.guests = [Job(id: 1), Job(id: 2), Job(id: 3)]
    let full = SharedChange.changes(from: Hall(), to: hall)
    var fuller = hall
    fuller.guests.append(Job(id: 4))
    let fourth = SharedChange.changes(from: hall, to: fuller)
    let (state, reasons) = try await send((full + fourth + fourth).map { $0.encoded() }, to: HallHub())
    #expect(state == hall)
    #expect(reasons.count == 2 && reasons.allSatisfy { $0.contains("4 guests have 3 seats") }, "\(reasons)")
  }

  @Test func aChangeThatCannotBeMergedIsRefusedWithItsReason() async throws {
    let (jobs, votes, title): (UInt8, UInt8, UInt8) = (1, 2, 0)
    let changes: [[UInt8]] = [
      // The id of an element, a wrong type, a sum that is too large, an unknown form.
      [0x82, jobs, 0xa1, 0x03, 0x82, 0x01, 0xa1, 0x00, 0x09],
      [0x82, title, 0x07],
      [0x82, votes, 0xa1, 0x00, 0x3b, 255, 255, 255, 255, 255, 255, 255, 255],
      [0x82, jobs, 0xa1, 0x09, 0x80],
    ]
    let (state, reasons) = try await send(changes, to: PlannerHub())
    #expect(state == PlannerHub().initialState)
    let expected = [
      "the change of 'jobs' cannot be merged: byte 5: the change would give an element another id",
      "the change of 'title' cannot be merged: byte 2: expected text",
      "the change of 'votes' cannot be merged: byte 2: the number does not fit SharedCounter",
      "the change of 'jobs' cannot be merged: byte 4: change of an identified array has no case 9",
    ]
    #expect(reasons.count == expected.count)
    for (reason, expected) in zip(reasons, expected) { #expect(reason.contains(expected), "\(reason)") }
  }
}
