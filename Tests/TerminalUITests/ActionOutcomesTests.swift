import TerminalApp
import Testing

@Suite(.timeLimit(.minutes(30))) struct ActionOutcomesTests {
  @Test func aRefusalIsReportedAndASuccessIsNot() async throws {
    let loop = try EventLoop()
    let outcomes = try ActionOutcomes(on: loop)
    var refusals: [String] = []
    outcomes.onRefusal = { refusals.append("\($0)") }
    let (first, second) = (StoreTask.Completion(), StoreTask.Completion())
    outcomes.sent(StoreTask(completion: first, onCancel: nil))
    outcomes.sent(StoreTask(completion: second, onCancel: nil))
    first.complete(.success(()))
    second.complete(.failure(ActionError.rejected(code: 1, reason: "the queue is closed")))
    while refusals.isEmpty { await Task.yield() }
    #expect(refusals == ["the hub refused the action: the queue is closed"])
    #expect(outcomes.last == StoreTask(completion: second, onCancel: nil))
  }
}
