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

  /// A system that effects change tells those of two leaders of a cluster apart by it.
  @Test(arguments: [nil, 7 as UInt64?]) func anEffectReadsTheTermInWhichItBegan(term: UInt64?) async {
    var core = ReducerCore(initialState: Script.State(), reducer: Script())
    @Dependency(\.fencingToken) var outside
    let effect = Effect<Script.Action>.run { send in
      @Dependency(\.fencingToken) var token
      await Task.yield()
      await send(.note("\(token.map(String.init) ?? "none")"))
    }
    core.send(.run(effect))
    let (notes, end) = AsyncStream<String>.makeStream()
    let runner = EffectRunner<Script.Action>(
      fencingToken: term,
      requests: EffectRunner.Requests(
        deliver: { action, _ in if case .note(let text) = action { end.yield(text) } },
        finished: { _ in end.finish() }, cancel: { _, _ in }, dismiss: { _ in false }))
    runner.execute(core.takeCommands())
    var found: [String] = []
    for await note in notes { found.append(note) }
    #expect(found == [term.map(String.init) ?? "none"])
    #expect(outside == nil && runner.count == 0)
  }
}
