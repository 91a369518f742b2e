import ComposableArchitecture
import Dispatch
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct EffectTests {
  private typealias Action = Script.Action

  private func store() -> Store<Script.State, Script.Action> { Store(initialState: Script.State()) { Script() } }

  private func note(_ text: String) -> Effect<Script.Action> { .send(.note(text)) }

  @Test func noneIsNothing() {
    let store = store()
    for effect in [
      Effect<Action>.none, .merge(), .merge(.none, .none), .concatenate(), .concatenate(.none, .none),
      Effect<Action>.none.map { $0 }, Effect<Action>.none.cancellable(id: 1), .none.merge(with: .none),
      .none.concatenate(with: .none), .none.debounce(id: 1, for: .zero, clock: ContinuousClock()),
      .none.throttle(id: 1, for: .zero, clock: ContinuousClock(), latest: true), .merge([]), .concatenate([]),
    ] {
      #expect(store.send(.run(effect)).isOver)
    }
  }

  @Test func aRunMaySendManyActions() async {
    let store = store()
    await store.send(
      .run(
        .run { send in
          for number in 0..<100 { await send(.note("\(number)")) }
        })
    ).finish()
    #expect(store.log == (0..<100).map(String.init))
  }

  @Test func aSentActionComesAfterThoseThatWait() {
    let store = store()
    store.send(.run(.merge(.send(.run(.merge(note("c"), note("d")))), note("a"), note("b"))))
    #expect(store.log == ["a", "b", "c", "d"])
  }

  @Test func mergedWorkRunsAtTheSameTime() async {
    let store = store()
    let (first, second) = (Gate(), Gate())
    // Each one waits for the other, so in sequence they would never end.
    let task = store.send(
      .run(
        .merge(
          .run { _ in
            first.open()
            await second.wait()
          },
          .run { _ in
            await first.wait()
            second.open()
          })))
    await task.finish()
    await store.send(
      .run(Effect<Action>.run { await $0(.note("a")) }.merge(with: .run { await $0(.note("b")) }))
    ).finish()
    #expect(Set(store.log) == ["a", "b"])
  }

  @Test func concatenatedWorkRunsInTurn() async {
    let store = store()
    await store.send(
      .run(
        .concatenate(
          .run { send in
            await send(.note("a"))
            for _ in 0..<10 { await Task.yield() }
            await send(.note("b"))
          },
          note("c"),
          .merge(.run { await $0(.note("d")) }, .none),
          .run { await $0(.note("e")) }.concatenate(with: note("f"))))
    ).finish()
    #expect(store.log == ["a", "b", "c", "d", "e", "f"])
  }

  @Test func aCancelledConcatenationBeginsNoFurtherWork() async {
    let store = store()
    let cancelled = Gate()
    let task = store.send(.run(.concatenate(.endless(cancelled), .run { _ in reportIssue("The second work began.") })))
    task.cancel()
    #expect(task.isOver)
    await cancelled.wait()
    await store.send(.run(note("a"))).finish()
    #expect(store.log == ["a"])
  }

  @Test func anEffectIsMappedToAnotherFeaturesActions() async {
    let store = store()
    let numbers = Effect<Int>.concatenate(.send(1), .run { await $0(2) }, .merge(.send(3)))
    await store.send(.run(numbers.map { .note("\($0)") })).finish()
    #expect(store.log == ["1", "2", "3"])
  }

  @Test func cancellationsEndAWorkQuietly() async {
    let issues = await Issues.of {
      await store().send(.run(.run { _ in throw CancellationError() })).finish()
    }
    #expect(issues.messages == [])
  }

  @Test func anUnhandledErrorIsReportedWhereTheEffectIs() async {
    struct Failure: Error { var code = 7 }
    let store = store()
    var line: UInt = 0
    let issues = await Issues.of {
      line = #line + 1
      await store.send(.run(.run { _ in throw Failure() })).finish()
    }
    #expect(issues.lines == [line])
    #expect(issues.files == ["ComposableArchitectureTests/EffectTests.swift"])
    #expect(
      issues.messages == [
        """
        An "Effect.run" returned from "ComposableArchitectureTests/EffectTests.swift:\(line)" threw an unhandled \
        error. …

            EffectTests.Failure(code: 7)

        All non-cancellation errors must be explicitly handled via the "catch" parameter on "Effect.run", or via a \
        "do" block.
        """
      ])
  }

  @Test func aHandlerMaySendActions() async {
    struct Failure: Error {}
    let store = store()
    await store.send(
      .run(
        .run { send in
          await send(.note("a"))
          throw Failure()
        } catch: { error, send in
          await send(.note("caught \(error is Failure)"))
        })
    ).finish()
    #expect(store.log == ["a", "caught true"])
  }

  @Test func aSendAfterTheEffectsEndIsReportedAndDelivered() async {
    let store = store()
    let kept = Locked<Send<Action>?>(nil)
    await store.send(.run(.run { send in kept.change { $0 = send } })).finish()
    let gate = Gate()
    let issues = Issues.of { kept.value?(.run(.merge(note("late"), .after(gate, .note("later"))))) }
    #expect(store.log == ["late"])
    #expect(issues.messages.count == 1)
    #expect(issues.messages.first?.hasPrefix("An action was sent from a completed effect") == true)
    // Effects of that action run as well.
    var logs = store.values(of: \.log).makeAsyncIterator()
    #expect(await logs.next() == ["late"])
    gate.open()
    #expect(await logs.next() == ["late", "later"])
  }

  @Test func aSendAfterTheEffectsEndWaitsForTheTurn() async {
    let kept = Locked<Send<Int>?>(nil)
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        if action == 1 { return .run { send in kept.change { $0 = send } } }
        if action == 2 { kept.value?(3) }
        state.append(action)
        return .none
      }
    }
    await store.send(1).finish()
    let issues = Issues.of { _ = store.send(2) }
    #expect(store.state == [2, 3])
    #expect(issues.messages.count == 1)
  }

  @Test func aSendAfterTheEffectWasCancelledIsDropped() async {
    let store = store()
    let kept = Locked<Send<Action>?>(nil)
    let (isRunning, never) = (Gate(), Gate())
    store.send(
      .run(
        .run { send in
          kept.change { $0 = send }
          isRunning.open()
          await never.wait()
        }.cancellable(id: 1)))
    await isRunning.wait()
    store.send(.run(.cancel(id: 1)))
    let issues = Issues.of { kept.value?(.note("late")) }
    #expect(store.log == [])
    #expect(issues.messages == [])
  }

  @Test func aSendAfterACancelledEffectHasReturnedIsDropped() async {
    let store = store()
    let kept = Locked<Send<Action>?>(nil)
    let isRunning = Gate()
    weak var work: Gate?
    do {
      let never = Gate()
      work = never
      store.send(
        .run(
          .run { send in
            kept.change { $0 = send }
            isRunning.open()
            await never.wait()
          }.cancellable(id: 1)))
    }
    await isRunning.wait()
    store.send(.run(.cancel(id: 1)))
    while work != nil { await Task.yield() }
    let issues = Issues.of { kept.value?(.note("late")) }
    #expect(store.log == [])
    #expect(issues.messages == [])
  }

  @Test func aRunHasItsNameAndPriority() async {
    let store = store()
    await store.send(
      .run(
        .run(priority: .high, name: "fetching") { send in
          await send(.note("\(Task.name ?? "") \(Task.currentPriority == .high)"))
        })
    ).finish()
    #expect(store.log == ["fetching true"])
  }

  @Test func aRunDoesNotHoldUpTheMainActor() async {
    let store = store()
    await store.send(
      .run(
        .run { send in
          dispatchPrecondition(condition: .notOnQueue(.main))
          await send(.note("a"))
        })
    ).finish()
    #expect(store.log == ["a"])
  }

  @Test func manyEffectsDoNotGrowTheStack() async {
    let store = store()
    store.send(.run(.merge((0..<100_000).map { note("\($0)") })))
    #expect(store.log.count == 100_000)
    #expect(store.log.last == "99999")

    let other = self.store()
    other.send(.run(.concatenate((0..<100_000).map { note("\($0)") })))
    #expect(other.log == store.log)
    let mapped = self.store()
    mapped.send(.run(Effect<Int>.merge((0..<100_000).map { .send($0) }).map { .note("\($0)") }))
    #expect(mapped.log == store.log)
  }

  @Test func aSequencesElementsAreActions() async {
    let store = store()
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let task = store.send(.run(.sequence { stream.map { .note($0) } }))
    continuation.yield("a")
    continuation.yield("b")
    continuation.finish()
    await task.finish()
    #expect(store.log == ["a", "b"])
  }

  @Test func aSequenceIsMadeWithTheDependenciesOfItsReducer() async {
    struct Ticking: Reducer {
      enum CancelID { case timer }
      var body: some Reducer<Int, Bool> {
        Reduce { state, isTick in
          guard isTick else {
            return .sequence {
              @Dependency(\.continuousClock) var clock
              return clock.timer(interval: .seconds(1)).map { _ in true }
            }
            .cancellable(id: CancelID.timer)
          }
          state += 1
          return state == 3 ? .cancel(id: CancelID.timer) : .none
        }
      }
    }
    let store = Store(initialState: 0) {
      Ticking()
    } withDependencies: {
      $0.continuousClock = ImmediateClock()
    }
    await store.send(false).finish()
    #expect(store.state == 3)
  }

  @Test func aSequencesErrorIsHandledOrReported() async {
    struct Failure: Error {}
    @Sendable nonisolated func failing() -> AsyncThrowingStream<Action, any Error> {
      AsyncThrowingStream {
        $0.yield(.note("a"))
        $0.finish(throwing: Failure())
      }
    }
    let store = store()
    await store.send(
      .run(
        .sequence {
          failing()
        } catch: { error, send in
          await send(.note("\(error is Failure)"))
        })
    ).finish()
    #expect(store.log == ["a", "true"])

    var line: UInt = 0
    let issues = await Issues.of {
      line = #line + 1
      await store.send(.run(.sequence { failing() })).finish()
    }
    #expect(issues.lines == [line])
  }
}
