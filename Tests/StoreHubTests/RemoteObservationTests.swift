import ComposableArchitecture
import EventLoop
import Features
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import Wire

/// The notifications of a remote store's observers.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RemoteObservationTests {
  @Test func onlyWhoReadWhatChangedIsTold() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let client = try bench.attach()
    // The app's state itself has no observable fields, since it is not an '@ObservableState'.
    let attachment = client.attach(to: { $0.todos }, action: AppFeature.Action.todos)
    #expect(await bench.until { attachment.store != nil })
    let todos = try #require(attachment.store)
    var lists: [[String]] = []
    let observation = observe { lists.append(todos.todos.map(\.text)) }
    todos.send(.addButtonTapped(text: "milk"))
    todos.send(.addButtonTapped(text: "bread"))
    #expect(await bench.until { lists.last == ["milk", "bread"] })

    // A row's store notifies only about its own row and the changed field.
    let rows = Array(todos.scope(state: \.todos, action: \.todos))
    var (first, second, isComplete): ([String], [String], [Bool]) = ([], [], [])
    let rowObservations = [
      observe { first.append(rows[0].text) }, observe { second.append(rows[1].text) },
      observe { isComplete.append(rows[1].isComplete) },
    ]
    rows[1].send(.textChanged("rye"))
    #expect(await bench.until { second == ["bread", "rye"] })
    #expect(first == ["milk"] && isComplete == [false])
    // Changes outside the attached part notify no observer.
    let count = lists.count
    client.store?.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { client.store?.counter.count == 1 })
    #expect(lists.count == count)

    withExtendedLifetime((observation, rowObservations)) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// The restarted hub has the same state, so nothing that is observed changes.
  @Test func aSnapshotThatChangesNothingTellsNobody() async throws {
    let bench = try Bench()
    var server = try bench.serve()
    let client = try bench.attach()
    #expect(await bench.until { client.store != nil })
    let counter = try #require(client.store).scope(state: \.counter, action: \.counter)
    var counts: [Int] = []
    let observation = observe { counts.append(counter.count) }
    #expect(await bench.stop(server))
    #expect(await bench.until { client.connection != .live })

    server = try bench.serve()
    #expect(await bench.until { client.connection == .live })
    #expect(counts == [0])
    counter.send(.incrementButtonTapped)
    #expect(await bench.until { counts == [0, 1] })

    withExtendedLifetime(observation) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
