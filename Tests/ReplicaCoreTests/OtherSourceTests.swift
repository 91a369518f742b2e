import ComposableArchitecture
import HubCore
import IdentifiedCollections
import ReplicaCore
import TestSupport
import Testing
import Wire

/// A client and a hub that were compiled from different sources of one feature.
@Suite struct OtherSourceTests {
  enum Hub {
    @Replicated
    struct Task: Equatable, Identifiable {
      var id: Int
      var title = ""
      var isDone = false
    }

    @Replicated
    struct State: Equatable {
      var count = 0
      var tasks: IdentifiedArrayOf<Task> = []
      var note: String? = nil
    }

    @Replicated
    enum Action: Equatable {
      case increment
      case add(Task)
      case complete(id: Int)
    }

    static func reduce(_ state: inout State, _ action: Action) -> Effect<Action> {
      switch action {
      case .increment: state.count += 1
      case .add(let task): state.tasks.append(task)
      case .complete(let id): state.tasks[id: id]?.isDone = true
      }
      return .none
    }
  }

  /// Fields and cases in another order, some more, some less.
  enum Client {
    @Replicated
    struct Task: Equatable, Identifiable {
      var isDone = false
      var title = ""
      var id: Int
      var colour: Int? = nil
    }

    @Replicated
    struct State: Equatable {
      var tasks: IdentifiedArrayOf<Task> = []
      var extra = 7
      var count = 0
    }

    @Replicated
    enum Action: Equatable {
      case complete(id: Int)
      case paint(Int)
      case add(Task)
      case increment
    }
  }

  /// A state that the hub's cannot be made of.
  @Replicated
  struct Strange: Equatable {
    var count = ""
  }

  /// Carries bytes between a hub and a replica until nothing more comes.
  private func run<S, A>(
    _ hub: inout HubCore, _ replica: inout ReplicaCore<S, A>, _ id: inout ConnectionID?
  ) -> [ReplicaCommand] {
    var commands: [ReplicaCommand] = []
    for _ in 0..<50 {
      replica.endTurn(at: .zero)
      let (fresh, bytes) = (replica.commands, replica.output.bytes)
      replica.clear()
      for command in fresh {
        switch command {
        case .connect:
          id = hub.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
          replica.connected(at: .zero)
        case .write(let range):
          let part = Array(bytes[range])
          if let id { hub.received(part.span.bytes, on: id, at: .zero) }
        default: commands.append(command)
        }
      }
      hub.endTurn(at: .zero, flushing: true)
      var down: [UInt8] = []
      for case .write(_, let pieces) in hub.commands {
        for piece in hub.pieces[pieces] { down += hub.output.bytes[piece] }
      }
      hub.clear()
      if !down.isEmpty { replica.received(down.span.bytes, at: .zero) }
    }
    return commands
  }

  @Test func itIsServedByName() throws {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine)
    var replica = ReplicaCore<Client.State, Client.Action>()
    let tasks = replica.follow(StatePath<Client.State, Client.State>().tasks)
    let title = replica.follow(StatePath<Client.State, Client.State>().tasks[id: 2].title)
    let extra = replica.follow(StatePath<Client.State, Client.State>().extra)
    var id: ConnectionID?
    replica.start()
    _ = run(&hub, &replica, &id)
    let live = replica.connection
    #expect(live == .live)
    #expect(extra.isKnown && extra.part == nil)

    _ = try replica.send(.add(Client.Task(title: "one", id: 1)))
    _ = try replica.send(.add(Client.Task(isDone: true, title: "two", id: 2)))
    _ = try replica.send(.increment)
    let unknown = try replica.send(.paint(3))
    _ = try replica.send(.complete(id: 1))
    let commands = run(&hub, &replica, &id)

    let wanted = Hub.State(
      count: 1, tasks: [Hub.Task(id: 1, title: "one", isDone: true), Hub.Task(id: 2, title: "two", isDone: true)])
    let theirs = engine.state
    #expect(theirs == wanted)
    let ours = replica.state
    #expect(ours?.count == 1 && ours?.extra == 7)
    #expect(
      ours?.tasks == [Client.Task(isDone: true, title: "one", id: 1), Client.Task(isDone: true, title: "two", id: 2)])
    #expect(tasks.part == ours?.tasks)
    #expect(title.part == "two")
    let failures = commands.compactMap { if case .failed(let ticket, let error) = $0 { (ticket, error) } else { nil } }
    #expect(failures.map(\.0) == [unknown])
    guard case .rejected(1, let reason)? = failures.first?.1 else { return #expect(Bool(false)) }
    #expect(reason.contains("paint"))
    let unanswered = replica.unansweredCount
    #expect(unanswered == 0)
  }

  @Test func anActionThatIsNotSentLeavesNothingToWaitFor() throws {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine)
    var replica = ReplicaCore<Client.State, Client.Action>()
    var id: ConnectionID?
    replica.start()
    _ = run(&hub, &replica, &id)
    _ = try replica.send(.paint(3))
    _ = run(&hub, &replica, &id)
    let (deadline, connection) = (replica.deadline, replica.connection)
    #expect(deadline == nil)
    #expect(connection == .live)
  }

  @Test func whatCannotBeServedIsRefusedByName() {
    let engine = FeatureEngine<Hub.State, Hub.Action>(initialState: Hub.State(), reducer: Reduce(Hub.reduce))
    var hub = HubCore(engine)
    var replica = ReplicaCore<Strange, Client.Action>()
    var id: ConnectionID?
    replica.start()
    _ = run(&hub, &replica, &id)
    guard case .refused(let reason) = replica.connection else {
      Issue.record("it was not refused")
      return
    }
    #expect(reason.contains("the field 'count' of"), "\(reason)")
    let deadline = replica.deadline
    #expect(deadline == nil)
  }
}
