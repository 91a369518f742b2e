import ComposableTesting
import Deploy
import Foundation
import Testing

@MainActor
@Suite struct DeployTests {
  private let clock = TestClock()

  /// Workers of one name and one user, which only their sessions and connections tell apart.
  private static func worker(_ number: UInt64) -> HubClient {
    HubClient(
      connection: number, session: number, name: "worker", user: SystemUser(id: 1000, name: "deploy"))
  }

  private func store() -> TestStoreOf<Deploy> {
    let store = TestStore(initialState: Deploy.State()) {
      Deploy()
    } withDependencies: {
      $0.continuousClock = clock
      $0.date = .constant(Date(timeIntervalSince1970: 0))
      $0.sender = .client(Self.worker(1))
    }
    store.exhaustivity = .off
    return store
  }

  @Test func aJobForProductionIsApprovedTakenAndDone() async {
    let store = store()
    await store.send(.submitted(service: "web", version: "1.2", environment: .production))
    await store.send(.taken(1), refused: "job 1 waits for an approval")
    await store.send(.approved(1)) {
      $0.jobs[id: 1]?.stage = .queued
      $0.jobs[id: 1]?.approvedBy = "deploy"
    }
    await store.send(.taken(1)) {
      $0.jobs[id: 1]?.stage = .running
      $0.jobs[id: 1]?.attempts = 1
    }
    #expect(store.state.jobs[id: 1]?.lease?.worker == "worker" && store.state.jobs[id: 1]?.lease?.session == 1)
    store.dependencies.sender = .client(Self.worker(2))
    await store.send(.taken(1), refused: "job 1 is taken by worker")
    await store.send(.succeeded(1, lease: 1), refused: "lease 1 of job 1 is another worker's")
    store.dependencies.sender = .client(Self.worker(1))
    await store.send(.progressed(1, lease: 1, percent: 150, note: "copied")) { $0.jobs[id: 1]?.progress = 100 }
    await store.send(.succeeded(1, lease: 1)) { $0.jobs = [] }
    #expect(store.state.history[id: 1]?.stage == .succeeded)
    #expect(store.state.history[id: 1]?.lease == nil)
    await store.send(.succeeded(1, lease: 1), refused: "job 1 has ended")
    await store.finish()
  }

  @Test func aLeaseThatIsNotRenewedEnds() async {
    let store = store()
    await store.send(.submitted(service: "web", version: "1.2", environment: .staging))
    await store.send(.taken(1))
    // Renewed in time.
    await clock.advance(by: .seconds(9))
    await store.send(.progressed(1, lease: 1, percent: 10, note: ""))
    await clock.advance(by: .seconds(9))
    #expect(store.state.jobs[id: 1]?.stage == .running)
    await clock.advance(by: .seconds(1))
    await store.receive(\.leaseEnded) {
      $0.jobs[id: 1]?.stage = .queued
      $0.jobs[id: 1]?.lease = nil
      $0.jobs[id: 1]?.progress = 0
    }
    // The worker was only slow; but the job is another's now.
    store.dependencies.sender = .client(Self.worker(2))
    await store.send(.taken(1))
    await store.send(.succeeded(1, lease: 1), refused: "lease 1 of job 1 has ended")
    await store.send(.succeeded(1, lease: 2)) { $0.jobs = [] }
    await store.finish()
  }

  @Test func aClientCannotEndALease() async {
    let store = store()
    await store.send(.submitted(service: "web", version: "1.2", environment: .staging))
    await store.send(.taken(1))
    await store.send(.leaseEnded(1, lease: 1), refused: "only the hub ends a lease")
    await store.send(.succeeded(1, lease: 1))
    await store.finish()
  }

  @Test func aJobThatWorkersLoseFails() async {
    let store = store()
    await store.send(.submitted(service: "web", version: "1.2", environment: .staging))
    for _ in 0..<Deploy.attemptLimit {
      await store.send(.taken(1))
      await clock.advance(by: .seconds(10))
      await store.receive(\.leaseEnded)
    }
    #expect(store.state.jobs.isEmpty)
    #expect(store.state.history[id: 1]?.stage == .failed)
    #expect(store.state.history[id: 1]?.note == "3 workers have lost it")
  }

  @Test func aServiceHasOneJobInAnEnvironment() async {
    let store = store()
    await store.send(
      .submitted(service: "", version: "1", environment: .staging),
      refused: "a deployment needs a service and a version")
    await store.send(.submitted(service: "web", version: "1", environment: .staging))
    await store.send(
      .submitted(service: "web", version: "2", environment: .staging),
      refused: "job 1 for web in staging has not ended")
    await store.send(.submitted(service: "web", version: "2", environment: .production))
    await store.send(.cancelled(1, reason: "too early"))
    await store.send(.cancelled(1, reason: "too early"), refused: "job 1 has ended")
    await store.send(.repeated(1))
    #expect(store.state.jobs.map(\.id) == [2, 3])
    #expect(store.state.history[id: 1]?.note == "too early")
  }

  @Test func cancellingARunningJobEndsItsLease() async {
    let store = store()
    await store.send(.submitted(service: "web", version: "1", environment: .staging))
    await store.send(.taken(1))
    await store.send(.cancelled(1, reason: "stop"))
    await store.send(.progressed(1, lease: 1, percent: 50, note: ""), refused: "job 1 has ended")
    // No timer is left.
    await store.finish()
  }

  /// The action of a hub that was killed while a worker had the job.
  @Test func aLeaseContinuesAfterARestart() async {
    let store = store()
    await store.send(.submitted(service: "web", version: "1", environment: .staging))
    await store.send(.taken(1))
    await clock.advance(by: .seconds(5))
    await store.send(.leaseResumed(1, lease: 1))
    await clock.advance(by: .seconds(9))
    #expect(store.state.jobs[id: 1]?.stage == .running)
    await clock.advance(by: .seconds(1))
    await store.receive(\.leaseEnded)
    // Of a lease that is over there is nothing to continue.
    await store.send(.leaseResumed(1, lease: 1))
    await store.finish()
  }
}
