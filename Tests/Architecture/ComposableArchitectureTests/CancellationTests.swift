import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct CancellationTests {
  private typealias Action = Script.Action

  private func store() -> Store<Script.State, Script.Action> { Store(initialState: Script.State()) { Script() } }

  @Test func effectsOfANameAreCancelledTogether() async {
    let store = store()
    let gates = [Gate(), Gate(), Gate()]
    store.send(.run(.endless(gates[0]).cancellable(id: "a")))
    store.send(.run(Effect<Action>.merge(.endless(gates[1]), .endless(gates[2])).cancellable(id: "a")))
    store.send(.run(.cancel(id: "a")))
    for gate in gates { await gate.wait() }
  }

  @Test func aNewEffectCancelsTheOneInFlight() async {
    let store = store()
    let (cancelled, gate) = (Gate(), Gate())
    let first = store.send(.run(.endless(cancelled).cancellable(id: 1, cancelInFlight: true)))
    let second = store.send(.run(.after(gate, .note("second")).cancellable(id: 1, cancelInFlight: true)))
    await cancelled.wait()
    await first.finish()
    gate.open()
    await second.finish()
    #expect(store.log == ["second"])
  }

  @Test func nothingToRunCancelsNothingInFlight() async {
    let store = store()
    let gate = Gate()
    let task = store.send(.run(.after(gate, .note("kept")).cancellable(id: 1)))
    store.send(.run(Effect<Action>.none.cancellable(id: 1, cancelInFlight: true)))
    gate.open()
    await task.finish()
    #expect(store.log == ["kept"])
  }

  @Test func idsOfDifferentTypesAreDifferent() async {
    enum First: Hashable { case id }
    enum Second: Hashable { case id }
    struct Generic<Value>: Hashable {}
    let ids: [any Hashable & Sendable] = [
      First.id, Second.id, 1, 1.0, Int8(1), "1", Optional(1), [1], Generic<Int>(), Generic<String>(),
    ]
    func cancellable(_ id: some Hashable & Sendable, _ gate: Gate) -> Effect<Action> {
      .after(gate, .note("kept")).cancellable(id: id)
    }
    func cancel(_ id: some Hashable & Sendable) -> Effect<Action> { .cancel(id: id) }
    for (index, id) in ids.enumerated() {
      let store = store()
      let gate = Gate()
      let task = store.send(.run(cancellable(id, gate)))
      for (other, otherID) in ids.enumerated() where other != index { store.send(.run(cancel(otherID))) }
      #expect(!task.isOver, "\(id)")
      store.send(.run(cancel(id)))
      gate.open()
      await task.finish()
      #expect(store.log == [])
    }
  }

  @Test func namesHoldWithinOneStore() async {
    let (first, second) = (store(), store())
    let gate = Gate()
    let task = first.send(.run(.after(gate, .note("kept")).cancellable(id: 1)))
    second.send(.run(.cancel(id: 1)))
    gate.open()
    await task.finish()
    #expect(first.log == ["kept"])
  }

  @Test func aCancelInTheSameTurnIsNotLost() async {
    let store = store()
    let begun = Locked(0)
    let work = Effect<Action>.run { send in
      begun.change { $0 += 1 }
      await send(.note("late"))
    }.cancellable(id: 1)
    for _ in 0..<100 {
      let task = store.send(.run(.merge(work, .send(.run(.cancel(id: 1))))))
      #expect(task.isOver)
      await task.finish()
      store.send(.run(work))
      store.send(.run(.cancel(id: 1)))
    }
    #expect(store.log == [])
  }

  @Test func nothingIsDeliveredAfterACancel() async {
    let store = store()
    for _ in 0..<200 {
      let began = Gate()
      store.send(
        .run(
          .run { send in
            began.open()
            for _ in 0..<10 { await send(.note("")) }
          }.cancellable(id: 1)))
      await began.wait()
      store.send(.run(.cancel(id: 1)))
      let count = store.log.count
      for _ in 0..<5 { await Task.yield() }
      #expect(store.log.count == count)
    }
  }

  @Test func aCancelledEffectIsOverForItsTask() async {
    let store = store()
    let stubborn = Gate()
    // The work ignores its cancellation, but does not delay code that waits for the action.
    let task = store.send(
      .run(
        .run { send in
          await Task.detached { await stubborn.wait() }.value
          await send(.note("late"))
        }.cancellable(id: 1)))
    store.send(.run(.cancel(id: 1)))
    await task.finish()
    stubborn.open()
    #expect(store.log == [])
  }

  @Test func workInsideAnEffectIsCancelledByItsName() async {
    let store = store()
    let began = Gate()
    let task = store.send(
      .run(
        .run { send in
          let never = Gate()
          await withTaskCancellation(id: 1) {
            began.open()
            await never.wait()
            await send(.note("inner \(Task.isCancelled)"))
          }
          await send(.note("outer \(Task.isCancelled)"))
        }))
    await began.wait()
    store.send(.run(.cancel(id: 1)))
    await task.finish()
    #expect(store.log == ["outer false"])
  }

  @Test func workInsideAnEffectReturnsAndThrows() async {
    struct Failure: Error {}
    let store = store()
    await store.send(
      .run(
        .run { send in
          let number = await withTaskCancellation(id: 1) { 42 }
          await send(.note("\(number)"))
          do {
            try await withTaskCancellation(id: 1) { throw Failure() }
          } catch {
            await send(.note("\(error is Failure)"))
          }
        })
    ).finish()
    #expect(store.log == ["42", "true"])
  }

  @Test func workInsideAnEffectMayCancelOfItsNameInFlight() async {
    let store = store()
    let began = Gate()
    let first = store.send(
      .run(
        .run { send in
          let never = Gate()
          await withTaskCancellation(id: 1) {
            began.open()
            await never.wait()
          }
          await send(.note("first over"))
        }))
    await began.wait()
    await store.send(
      .run(.run { send in await withTaskCancellation(id: 1, cancelInFlight: true) { await send(.note("second")) } })
    ).finish()
    await first.finish()
    #expect(Set(store.log) == ["first over", "second"])
  }

  @Test func ofWorkThatBeginsAtTheSameTimeOneRemains() async {
    let store = store()
    let (running, count) = (Locked(0), 100)
    let task = store.send(
      .run(
        .run { send in
          await withTaskGroup { group in
            for _ in 0..<count {
              group.addTask {
                await withTaskCancellation(id: 1, cancelInFlight: true) {
                  running.change { $0 += 1 }
                  try? await Task.never()
                  running.change { $0 -= 1 }
                }
              }
            }
            // All but one are cancelled.
            for _ in 1..<count { await group.next() }
            // The last one may not have begun yet.
            while running.value == 0 { await Task.yield() }
            await send(.note("\(running.value)"))
            Task.cancel(id: 1)
          }
        }))
    await task.finish()
    #expect(store.log == ["1"])
  }

  @Test func aCancellationDoesNotReachLaterWork() async {
    let store = store()
    await store.send(
      .run(
        .run { send in
          Task.cancel(id: 1)
          await withTaskCancellation(id: 1) {
            for _ in 0..<10 { await send(.note("turn")) }
            await send(.note("cancelled: \(Task.isCancelled)"))
          }
        })
    ).finish()
    #expect(store.log.last == "cancelled: false")
  }

  @Test func workInsideAnEffectCancelsEffectsOfItsName() async {
    let store = store()
    let cancelled = Gate()
    store.send(.run(.endless(cancelled).cancellable(id: 1)))
    await store.send(
      .run(.run { send in await withTaskCancellation(id: 1, cancelInFlight: true) { await send(.note("second")) } })
    ).finish()
    await cancelled.wait()
    #expect(store.log == ["second"])
  }

  @Test func anEffectMayCancelByName() async {
    let store = store()
    let (cancelled, began) = (Gate(), Gate())
    let effect = store.send(.run(.endless(cancelled).cancellable(id: 1)))
    let work = store.send(
      .run(
        .run { send in
          let never = Gate()
          await withTaskCancellation(id: 1) {
            began.open()
            await never.wait()
          }
          await send(.note("work over"))
        }))
    await began.wait()
    await store.send(.run(.run { _ in Task.cancel(id: 1) })).finish()
    await cancelled.wait()
    await effect.finish()
    await work.finish()
    #expect(store.log == ["work over"])
  }

  @Test func cancellingTheEffectCancelsTheWorkInsideIt() async {
    let store = store()
    let (began, cancelled) = (Gate(), Gate())
    store.send(
      .run(
        .run { _ in
          let never = Gate()
          await withTaskCancellation(id: "inner") {
            await withTaskCancellationHandler {
              began.open()
              await never.wait()
            } onCancel: {
              cancelled.open()
            }
          }
        }.cancellable(id: "outer")))
    await began.wait()
    store.send(.run(.cancel(id: "outer")))
    await cancelled.wait()
  }

  @Test func aTaskOfASendCancelsTheCascade() async {
    let store = store()
    let (began, cancelled) = (Gate(), Gate())
    let task = store.send(
      .run(
        .run { send in
          await send(.run(.endless(cancelled)))
          began.open()
        }))
    await began.wait()
    task.cancel()
    await cancelled.wait()
    #expect(task.isCancelled)
    #expect(task.isOver)
  }

  // MARK: Outside effects

  @Test func workOutsideEffectsIsCancelledByItsID() async {
    struct ID: Hashable {}
    let (started, ended) = (Gate(), Gate())
    let task = Task {
      try await withTaskCancellation(id: ID()) {
        started.open()
        defer { ended.open() }
        try await Task.never()
      }
    }
    await started.wait()
    Task.cancel(id: ID())
    await ended.wait()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func effectsAreCancelledFromOutside() async {
    struct ID: Hashable {}
    let store = store()
    let (cancelled, started, ended) = (Gate(), Gate(), Gate())
    let effect = store.send(.run(.endless(cancelled).cancellable(id: ID())))
    let work = store.send(
      .run(
        .run { _ in
          await withTaskCancellation(id: ID()) {
            started.open()
            await Gate().wait()
          }
          ended.open()
        }))
    await started.wait()
    Task.cancel(id: ID())
    await cancelled.wait()
    await effect.finish()
    await ended.wait()
    await work.finish()
  }

  @Test func newWorkOutsideEffectsCancelsTheOneInFlight() async throws {
    struct ID: Hashable {}
    let (started, ended) = (Gate(), Gate())
    let first = Task {
      await withTaskCancellation(id: ID()) {
        started.open()
        await Gate().wait()
        ended.open()
      }
    }
    await started.wait()
    let value = await withTaskCancellation(id: ID(), cancelInFlight: true) { 42 }
    #expect(value == 42)
    await ended.wait()
    await first.value
  }
}
