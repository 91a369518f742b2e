import ComposableArchitecture
import Testing

@MainActor @Suite struct EffectRunnerTests {
  /// A hub may start effects late, because it first stores the turns of their actions.
  @Test func nothingBeginsAfterAllEffectsWereCancelled() async {
    var core = ReducerCore(initialState: Script.State(), reducer: Script())
    core.send(.run(.run { await $0(.note("late")) }))
    var (delivered, finished) = (0, 0)
    let runner = EffectRunner<Script.Action>(
      requests: EffectRunner.Requests(
        deliver: { _, _ in delivered += 1 }, finished: { _ in finished += 1 }, cancel: { _, _ in },
        dismiss: { _ in false }))
    let commands = core.takeCommands()
    runner.cancelAll()
    runner.execute(commands)
    #expect(runner.count == 0)
    await Task.yield()
    #expect(delivered == 0 && finished == 0)
  }
}
