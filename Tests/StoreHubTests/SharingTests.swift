import ComposableArchitecture
import EventLoop
import Features
import Foundation
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct SharingTests {
  @Test func whatOneStoreSendsTheOtherShows() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let (first, second) = (try bench.attach(), try bench.attach())
    #expect(await bench.until { first.store != nil && second.store != nil })

    let task = try #require(first.store).send(.counter(.incrementButtonTapped))
    #expect(await bench.until { task.isOver && second.store?.counter.count == 1 })
    try await task.taken()
    #expect(first.store?.counter.count == 1)
    #expect(bench.engine.state.counter.count == 1)

    first.close()
    second.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// Without any other event in the hub.
  @Test func whatTheProgramSendsReachesItsClients() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    // Otherwise its deadline would be such an event.
    limits.helloTimeout = .seconds(600)
    let server = try bench.serve(limits: limits)
    bench.engine.send(.counter(.incrementButtonTapped))
    let client = try bench.attach()
    #expect(await bench.until { client.store?.counter.count == 1 })

    bench.engine.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { client.store?.counter.count == 2 })

    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aScopedRemoteStoreTellsOfItsChangesAlone() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let client = try bench.attach()
    #expect(await bench.until { client.store != nil })
    let counter = try #require(client.store).scope(state: \.counter, action: \.counter)
    var counts: [Int] = []
    let subscription = counter.subscribe(\.count) { counts.append($0) }

    counter.send(.incrementButtonTapped)
    counter.send(.incrementButtonTapped)
    #expect(await bench.until { client.pendingActionCount == 0 })
    counter.send(.factAlertDismissed)
    #expect(await bench.until { client.pendingActionCount == 0 })

    // Both arrived in one turn of the hub, so there is one change.
    #expect(counts.first == 0 && counts.last == 2 && counts.count <= 3)
    subscription.cancel()
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func effectsRunInTheHubAndTheirActionsReachEveryone() async throws {
    let bench = try Bench()
    let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature()) {
      $0.numberFact.fetch = { "\($0) is a good number" }
    }
    let server = try bench.serve(engine)
    let client = try bench.attach()
    #expect(await bench.until { client.store != nil })

    client.store?.send(.counter(.numberFactButtonTapped))
    #expect(await bench.until { client.store?.counter.numberFact == "0 is a good number" })
    #expect(client.store?.counter.isLoadingFact == false)

    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// Keeps the `send` of an effect beyond the effect's end.
  private nonisolated struct Leaking: Reducer {
    let kept: LockIsolated<Send<AppFeature.Action>?>

    var body: some ReducerOf<AppFeature> {
      AppFeature()
      Reduce { [kept] _, action in
        guard case .counter(.decrementButtonTapped) = action else { return .none }
        return .run { send in kept.setValue(send) }
      }
    }
  }

  @Test func aSendAfterTheEffectsEndIsReportedAndReachesEveryone() async throws {
    let bench = try Bench()
    let kept = LockIsolated<Send<AppFeature.Action>?>(nil)
    let engine = FeatureEngine(initialState: AppFeature.State(), reducer: Leaking(kept: kept))
    let server = try bench.serve(engine)
    let client = try bench.attach()
    #expect(await bench.until { client.store != nil })
    client.store?.send(.counter(.decrementButtonTapped))
    #expect(await bench.until { client.store?.counter.count == -1 && kept.value != nil })
    // Until the hub knows of its end, the effect sends without an issue.
    var issues: [String] = []
    #expect(
      await bench.until {
        issues = withExpectedIssue(isIntermittent: true) { kept.value?(.counter(.incrementButtonTapped)) }
        return !issues.isEmpty
      })
    #expect(issues.first?.hasPrefix("An action was sent from a completed effect") == true)
    let count = engine.state.counter.count
    #expect(count >= 0)
    #expect(await bench.until { client.store?.counter.count == count })

    // A hub that stops takes no more actions.
    var isStopped = false
    server.stop(reason: "the test stops it") { isStopped = true }
    kept.value?(.counter(.incrementButtonTapped))
    #expect(engine.state.counter.count == count)
    #expect(await bench.until { isStopped })
    client.close()
    bench.clean()
  }

  @Test func aClientWaitsForItsHubAndComesBackToTheNextOne() async throws {
    let bench = try Bench()
    let client = try bench.attach()
    #expect(
      await bench.until {
        if case .connecting(let attempt, _?) = client.connection { attempt > 2 } else { false }
      })
    var server = try bench.serve()
    #expect(await bench.until { client.connection == .live })
    let store = try #require(client.store)
    store.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { client.pendingActionCount == 0 })

    #expect(await bench.stop(server))
    #expect(await bench.until { if case .stale = client.connection { true } else { false } })
    #expect(store.counter.count == 1)

    server = try bench.serve()
    #expect(await bench.until { client.connection == .live && store.counter.count == 0 })
    #expect(client.store === store)
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func whatAClientSendsWhileItsHubIsAwayIsAppliedOnce() async throws {
    let bench = try Bench()
    var server = try bench.serve()
    let client = try bench.attach()
    #expect(await bench.until { client.connection == .live })
    #expect(await bench.stop(server))
    #expect(await bench.until { client.connection != .live })
    for _ in 0..<10 { client.store?.send(.counter(.incrementButtonTapped)) }

    server = try bench.serve()
    #expect(await bench.until { client.pendingActionCount == 0 })
    #expect(bench.engine.state.counter.count == 10)
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func noHandleIsLeftWhenClientsComeAndGo() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let handles = bench.loop.handleCount
    for _ in 0..<20 {
      let clients = try (0..<10).map { _ in try bench.attach() }
      #expect(await bench.until { clients.allSatisfy { $0.connection == .live } })
      for client in clients { client.close() }
      #expect(await bench.until { server.connectionCount == 0 })
    }
    #expect(await bench.until { bench.loop.handleCount == handles })
    #expect(await bench.stop(server))
    bench.clean()
  }
}
