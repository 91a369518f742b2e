import ComposableTesting
import Deploy
import Foundation
import TerminalUI
import Testing

@testable import deployterm

/// A queue in this process, and the state of a terminal.
@MainActor
func localQueue() -> (store: StoreOf<Deploy>, desk: StoreOf<Desk>) {
  let store = Store(initialState: Deploy.State()) {
    Deploy()
  } withDependencies: {
    $0.date = .constant(Date(timeIntervalSince1970: 0))
    $0.continuousClock = TestClock()
  }
  let desk = Store(initialState: Desk.State(now: Date(timeIntervalSince1970: 90))) {
    Desk { try await store.send($0).taken() }
  }
  return (store, desk)
}

/// The screens, in a terminal in memory and on a local queue.
@MainActor
@Suite struct DeployViewTests {
  private let store: StoreOf<Deploy>
  private let desk: StoreOf<Desk>
  private let tester: TerminalTester

  init() {
    (store, desk) = localQueue()
    tester = TerminalTester(DeployView(store: store, desk: desk), rows: 12, columns: 80, hasHelpLine: true)
  }

  private func fill() {
    store.send(.submitted(service: "web", version: "1.2", environment: .production))
    store.send(.submitted(service: "mail", version: "7", environment: .staging))
    store.send(.taken(2))
    store.send(.progressed(2, lease: 1, percent: 50, note: "copying"))
    store.send(.submitted(service: "search", version: "0.9", environment: .staging))
  }

  /// Lets the effects of the desk run, which send actions to the queue.
  private func until(_ condition: () -> Bool) async {
    for _ in 0..<10_000 where !condition() { await Task.yield() }
  }

  @Test func theQueueShowsStatesAgesAndProgress() {
    fill()
    tester.expect(
      """
      ─┤1 Queue├ 2 History ───────────────────────────────────────────────────────────
      1 running, 1 queued, 1 waiting for approval
        #  Service   Version  For         State    Done                  Age  Note
      › 1  web       1.2      production  waiting                 1 min 30 s
        2  mail      7        staging     running  ████░░░░ 50%   1 min 30 s  copying
        3  search    0.9      staging     queued                  1 min 30 s





      a approve  c cancel  n new  tab next  ↑ ↓ choose  / search  ? help  q quit
      """)
  }

  @Test func aJobIsSubmittedInTheForm() async {
    tester.press("n")
    tester.type("web")
    tester.press("tab")
    tester.type("1.3")
    tester.press("tab", "right", "tab", "enter")
    await until { !store.jobs.isEmpty }
    #expect(store.jobs[id: 1]?.service == "web")
    #expect(store.jobs[id: 1]?.version == "1.3")
    #expect(store.jobs[id: 1]?.environment == .production)
  }

  @Test func aJobIsApprovedInADialog() async {
    fill()
    tester.press("a")
    tester.expect(
      """
      ─┤1 Queue├ 2 History ───────────────────────────────────────────────────────────
      1 running, 1 queued, 1 waiting for approval
        #  Service   Version  For         State    Done                  Age  Note
      › 1  web       1.2    ┌ Deploy web 1.2 to production? ───┐  1 min 30 s
        2  mail      7      │ Job 1                            │  1 min 30 s  copying
        3  search    0.9    │ [ Approve ] [ Reject ] [ Later ] │  1 min 30 s
                            └──────────────────────────────────┘




      ← → choose   enter approve   esc later   ? help   q quit
      """)
    tester.press("enter")
    await until { store.jobs[id: 1]?.stage != .waiting }
    #expect(store.jobs[id: 1]?.stage == .queued)
  }

  @Test func theHistoryRepeatsJobs() async {
    fill()
    store.send(.failed(2, lease: 1, reason: "no room"))
    tester.press("2")
    tester.expect(
      """
      ─ 1 Queue ┤2 History├───────────────────────────────────────────────────────────
        #  Service               Version  For      Outcome  Took  Note
      › 2  mail                  7        staging  failed    0 s  no room








      r repeat   n new   tab next   ↑ ↓ choose   / search   ? help   q quit
      """)
    tester.press("r")
    await until { store.jobs[id: 4] != nil }
    #expect(store.jobs[id: 4]?.service == "mail")
  }
}
