import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct PresentationTests {
  @Reducer enum Destination {
    case alert(AlertState<Alert>)
    case step(Step)
    case other(Step)

    enum Alert: Equatable, Sendable { case confirm }
  }

  static let line: UInt = #line + 31
  @Reducer struct Parent {
    @ObservableState struct State: Equatable {
      @Presents var step: Step.State?
      @Presents var alert: AlertState<Alert>?
      @Presents var destination: Destination.State?
      var log: [String] = []
    }

    enum Alert: Equatable, Sendable { case confirm }

    enum Action: Sendable {
      case step(PresentationAction<Step.Action>)
      case alert(PresentationAction<Alert>)
      case destination(PresentationAction<Destination.Action>)
      case change(@Sendable (inout State) -> Void)
      case run(Effect<Action>)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .step(.dismiss): state.log.append("step dismissed while \(state.step == nil ? "gone" : "there")")
        case .alert(let action): state.log.append("alert \(action) while \(state.alert == nil ? "gone" : "there")")
        case .destination(.presented(.alert(.confirm))): state.log.append("confirmed")
        case .change(let change): change(&state)
        case .run(let effect): return effect
        default: break
        }
        return .none
      }
      .ifLet(\.$step, action: \.step) { Step() }
      .ifLet(\.$alert, action: \.alert)
      .ifLet(\.$destination, action: \.destination)
    }
  }

  private func store(_ change: (inout Parent.State) -> Void = { _ in }) -> StoreOf<Parent> {
    var state = Parent.State()
    change(&state)
    return Store(initialState: state) { Parent() }
  }

  private func shown(id: Int = 0) -> StoreOf<Parent> { store { $0.step = Step.State(id: id) } }

  @Test func aPresentedChildRuns() {
    let store = shown()
    store.send(.step(.presented(.note("a"))))
    #expect(store.step?.log == ["a"])
  }

  @Test func dismissalComesAfterTheParentHasSeenIt() {
    let store = shown()
    store.send(.step(.dismiss))
    #expect(store.step == nil)
    #expect(store.log == ["step dismissed while there"])
  }

  @Test func effectsEndWithTheDismissal() async {
    let store = shown()
    let cancelled = Gate()
    let task = store.send(.step(.presented(.run(.endless(cancelled)))))
    store.send(.step(.dismiss))
    await cancelled.wait()
    await task.finish()
  }

  @Test func effectsEndWhenTheParentTakesTheChildAway() async {
    let store = shown()
    let cancelled = Gate()
    store.send(.step(.presented(.run(.endless(cancelled)))))
    store.send(.change { $0.step = nil })
    await cancelled.wait()
  }

  @Test func effectsEndWhenAnotherChildIsPresented() async {
    let store = shown(id: 1)
    let cancelled = Gate()
    store.send(.step(.presented(.run(.endless(cancelled)))))
    store.send(.change { $0.step = Step.State(id: 2) })
    await cancelled.wait()
    let gate = Gate()
    let task = store.send(.step(.presented(.run(.after(gate, .note("new"))))))
    gate.open()
    await task.finish()
    #expect(store.step == Step.State(id: 2, log: ["new"]))
  }

  @Test func aChildThatIsPresentedAgainHasNoneOfTheOldEffects() async {
    let store = shown(id: 1)
    let gate = Gate()
    let task = store.send(.step(.presented(.run(.after(gate, .note("late"))))))
    store.send(.step(.dismiss))
    store.send(.change { $0.step = Step.State(id: 1) })
    gate.open()
    await task.finish()
    #expect(store.step == Step.State(id: 1))
  }

  @Test func anActionForAnAbsentChildIsReported() {
    let store = store()
    let issues = Issues.of {
      store.send(.step(.presented(.note("a"))))
      store.send(.step(.dismiss))
    }
    #expect(issues.lines == [Self.line, Self.line])
    #expect(
      issues.messages.first?.hasPrefix(
        "An \"ifLet\" at \"ComposableArchitectureTests/PresentationTests.swift:\(Self.line)\" received a presentation "
          + "action when destination state was absent. …") == true, "\(issues.messages)")
    #expect(store.log == ["step dismissed while gone"])
  }

  @Test func anAlertGoesWithAnyAction() {
    for action in [PresentationAction<Parent.Alert>.presented(.confirm), .dismiss] {
      let store = store { $0.alert = AlertState { TextState("Sure?") } }
      store.send(.alert(action))
      #expect(store.alert == nil)
      #expect(store.log == ["alert \(action) while there"])
    }
  }

  struct Asking: Reducer {
    struct State { @PresentationState var destination: Destination.State? }
    @CasePathable enum Action { case destination(PresentationAction<Destination.Action>) }
    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.destination = .step(Step.State(id: 5))
        return .none
      }
      .ifLet(\.$destination, action: \.destination)
    }
  }

  @Test func anAlertThatTheParentShowsInAnswerStays() {
    let store = Store(
      initialState: Asking.State(destination: .alert(AlertState { TextState("One") }))
    ) { Asking() }
    store.send(.destination(.presented(.alert(.confirm))))
    #expect(store.state.destination?[case: \.step]?.id == 5)
  }

  @Test func anEnumOfDestinationsNeedsNoClosure() async {
    let store = store { $0.destination = .step(Step.State()) }
    store.send(.destination(.presented(.step(.note("a")))))
    #expect(store.destination?[case: \.step]?.log == ["a"])

    let cancelled = Gate()
    store.send(.destination(.presented(.step(.run(.endless(cancelled))))))
    store.send(.change { $0.destination = .other(Step.State()) })
    await cancelled.wait()
  }

  @Test func anAlertAmongDestinationsGoesWithItsAction() {
    let store = store { $0.destination = .alert(AlertState { TextState("Sure?") }) }
    store.send(.destination(.presented(.alert(.confirm))))
    #expect(store.destination == nil)
    #expect(store.log == ["confirmed"])
  }

  @Test func anActionForAnotherDestinationIsReported() {
    let store = store { $0.destination = .step(Step.State()) }
    let issues = Issues.of { _ = store.send(.destination(.presented(.other(.note("a"))))) }
    #expect(issues.messages.count == 1)
    #expect(issues.messages.first?.contains("different case") == true)
    #expect(store.destination == .step(Step.State()))
  }

  /// Destinations in the style before macros.
  struct ByHand: Reducer {
    struct State: Equatable {
      @PresentationState var destination: Target.State?
      var confirmations = 0
    }

    @CasePathable enum Action: Equatable, Sendable {
      case destination(PresentationAction<Target.Action>)
    }

    struct Target: Reducer {
      @CasePathable enum State: Equatable {
        case alert(AlertState<Action.Alert>)
        case step(Step.State)
      }

      @CasePathable enum Action: Equatable, Sendable {
        case alert(Alert)
        case step
        enum Alert: Equatable, Sendable { case confirm }
      }

      var body: some ReducerOf<Self> { EmptyReducer() }
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .destination(.presented(.alert(.confirm))) = action { state.confirmations += 1 }
        return .none
      }
      .ifLet(\.$destination, action: \.destination) { Target() }
    }
  }

  @Test func anAlertInAnEnumByHandGoesWithItsAction() {
    let store = Store(
      initialState: ByHand.State(destination: .alert(AlertState { TextState("Sure?") }))
    ) { ByHand() }
    store.send(.destination(.presented(.alert(.confirm))))
    #expect(store.confirmations == 1)
    #expect(store.state.destination == nil)

    let other = Store(initialState: ByHand.State(destination: .step(Step.State()))) { ByHand() }
    other.send(.destination(.presented(.step)))
    #expect(other.state.destination == .step(Step.State()))
  }

  /// A destination whose payload may be missing.
  struct Optionals: Reducer {
    struct Detail: Equatable, Identifiable { var id = 0 }

    struct State: Equatable {
      @PresentationState var destination: Target.State?
    }

    @CasePathable enum Action: Equatable, Sendable {
      case destination(PresentationAction<Target.Action>)
      case show(Int?)
    }

    struct Target: Reducer {
      @CasePathable enum State: Equatable { case detail(Detail?) }
      @CasePathable enum Action: Equatable, Sendable { case work }

      func reduce(into state: inout State, action: Action) -> Effect<Action> {
        .run { _ in try await Task.never() }
      }
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .show(let id) = action { state.destination = .detail(id.map { Detail(id: $0) }) }
        return .none
      }
      .ifLet(\.$destination, action: \.destination) { Target() }
    }
  }

  @Test func aPayloadThatWasMissingAtFirstHasAnIdentityLater() {
    var core = ReducerCore(initialState: Optionals.State(), reducer: Optionals())
    core.send(.show(nil))
    core.send(.show(1))
    core.send(.destination(.presented(.work)))
    check(core.runningEffectCount == 1)
    core.send(.show(1))
    check(core.runningEffectCount == 1)
    core.send(.show(2))
    check(core.runningEffectCount == 0)
  }

  @Test func aPresentationIsReachedByItsCase() {
    var state = Parent.State()
    state.destination = .step(Step.State(id: 1))
    state.$destination[case: \.step]?.log.append("a")
    #expect(state.destination == .step(Step.State(id: 1, log: ["a"])))
    #expect(state.$destination[case: \.other] == nil)
    #expect(state.$destination[case: /Destination.State.step]?.id == 1)
    state.$destination[case: \.step] = nil
    #expect(state.destination == nil)
  }

  @Test func writingThroughAnotherCaseIsReported() {
    var state = Parent.State()
    state.destination = .step(Step.State(id: 1))
    var line: UInt = 0
    let issues = Issues.of {
      line = #line + 1
      state.$destination[case: \.other] = nil
      state.$destination[case: \.other] = Step.State()
      state.$destination[case: \.other]?.log.append("a")
      state.$destination[case: /Destination.State.other] = nil
    }
    #expect(issues.lines == Array(line...(line + 3)))
    #expect(Set(issues.messages) == ["Can't modify unrelated case \"step\""])
    #expect(state.destination == .step(Step.State(id: 1)))

    state.destination = nil
    #expect(Issues.of { state.$destination[case: \.other] = Step.State() }.messages.count == 1)
    #expect(state.destination == nil)
  }

  /// A type whose values are never equal, which counts comparisons.
  struct Compared: Equatable {
    let count: Locked<Int>
    static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.count.change { $0 += 1 }
      return false
    }
  }

  @Test func copiesAreEqualWithoutComparing() {
    let count = Locked(0)
    var presentation = PresentationState(wrappedValue: Compared(count: count))
    let copy = presentation
    #expect(presentation == copy)
    #expect(count.value == 0)
    presentation.wrappedValue = Compared(count: count)
    #expect(presentation != copy)
    #expect(count.value == 1)
  }

  /// A feature that handles an action of another destination while an alert is shown.
  @Test func aPromptIsDismissedOnlyByItsOwnActions() {
    let issues = Issues()
    let store = Store(
      initialState: ByHand.State(destination: .alert(AlertState { TextState("Sure?") }))
    ) { ByHand() }
    withIssueReporters([issues]) {
      store.send(.destination(.presented(.step)))
      #expect(store.state.destination != nil)
      store.send(.destination(.presented(.alert(.confirm))))
    }
    #expect(store.state.destination == nil)
    #expect(issues.messages.isEmpty)
  }

  @Test func presentationsAreEqualByTheirStates() {
    let store = shown()
    store.send(.step(.presented(.note("a"))))
    var fresh = Parent.State()
    fresh.step = Step.State(log: ["a"])
    #expect(store.state == fresh)
  }

  @Test func siblingsWithTheSameNameAreCancelledApart() async {
    let store = store {
      $0.step = Step.State()
      $0.destination = .step(Step.State())
    }
    let gate = Gate()
    let task = store.send(.step(.presented(.run(.after(gate, .note("kept")).cancellable(id: 1)))))
    store.send(.destination(.presented(.step(.run(.cancel(id: 1))))))
    store.send(.destination(.dismiss))
    gate.open()
    await task.finish()
    #expect(store.step?.log == ["kept"])
  }
}

extension PresentationTests.Destination.State: Equatable {}
