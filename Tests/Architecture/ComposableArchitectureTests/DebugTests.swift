import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct DebugTests {
  @Reducer struct Counter {
    @ObservableState struct State: Equatable { var count = 0 }

    enum Action: Sendable {
      case view(View)
      case response(Result<Int, Failure>)
      case run(Effect<Action>)

      @CasePathable enum View: Sendable { case incremented(by: Int) }
    }

    struct Failure: Error {}

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .view(.incremented(let number)): state.count += number
        case .response(.success(let number)): state.count = number
        case .response(.failure): break
        case .run(let effect): return effect
        }
        return .none
      }
    }
  }

  /// An action with an empty description.
  enum Silent: CustomStringConvertible {
    case tapped
    var description: String { "" }
  }

  @Test func aPrinterSeesActionsAndBothStates() {
    var lines: [String] = []
    let printer = _ReducerPrinter<Counter.State, Counter.Action> { action, old, new in
      lines.append("\(action) \(old.count) \(new.count)")
    }
    let store = Store(initialState: Counter.State()) { Counter()._printChanges(printer) }
    store.send(.view(.incremented(by: 2)))
    store.send(.response(.success(5)))
    #if DEBUG
      #expect(lines.count == 2)
      #expect(lines.first?.hasSuffix(" 0 2") == true && lines.last?.hasSuffix(" 2 5") == true)
    #else
      #expect(lines == [])
    #endif
    #expect(store.count == 5)
  }

  @Reducer struct Shop {
    struct Visitor: Equatable { var name = "Blob", visits = 0 }

    struct State {
      var sales = 0
      @Shared var stock: Int
      @Shared var visitor: Visitor
      @Shared var till: [String]
    }

    enum Action: Sendable { case sold, visited, restocked(by: Int), stockTaken, closedLater, closed }

    static var open: State {
      State(stock: Shared(value: 3), visitor: Shared(value: Visitor()), till: Shared(value: ["10", "20"]))
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .sold:
          state.sales += 1
          state.$stock.withLock { $0 -= 1 }
          state.$till.withLock { $0.append("30") }
        case .visited: state.$visitor.visits.withLock { $0 += 1 }
        case .restocked(let number): state.$stock.withLock { $0 += number }
        case .stockTaken: break
        case .closedLater:
          return .run { [stock = state.$stock] send in
            stock.withLock { $0 = 0 }
            await send(.closed)
          }
        case .closed: break
        }
        return .none
      }
    }
  }

  #if DEBUG
    @Test func changesOfWhatTheStateSharesArePrinted() async throws {
      let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
        await MainActor.run {
          let store = Store(initialState: Shop.open) { Shop()._printChanges() }
          store.send(.sold)
          store.send(.stockTaken)
          store.send(.visited)
        }
      }
      #expect(
        String(decoding: result.standardOutputContent, as: UTF8.self) == """
          received action:
            DebugTests.Shop.Action.sold
            DebugTests.Shop.State(
          -   sales: 0,
          +   sales: 1,
          -   _stock: #1 3,
          +   _stock: #1 2,
              _visitor: #1 DebugTests.Shop.Visitor(…),
              _till: #1 [
                … (2 unchanged),
          +     [2]: "30"
              ]
            )

          received action:
            DebugTests.Shop.Action.stockTaken
            (No state changes)

          received action:
            DebugTests.Shop.Action.visited
            DebugTests.Shop.State(
              sales: 1,
              _stock: #1 2,
              _visitor: #1 DebugTests.Shop.Visitor(
                name: "Blob",
          -     visits: 0
          +     visits: 1
              ),
              _till: #1 […]
            )


          """)
    }

    /// Each printer tracks its own changes, and changes of shared state by other effects belong to none.
    @Test func printersDoNotTakeChangesFromEachOtherOrFromEffects() async {
      var logs: [String] = []
      let printer = _ReducerPrinter<Shop.State, Shop.Action> { _, old, new in
        logs.append(diff(old, new) ?? "none")
      }
      let store = Store(initialState: Shop.open) { Shop()._printChanges(printer)._printChanges(printer) }
      store.send(.restocked(by: 4))
      let restocked = """
          DebugTests.Shop.State(
            sales: 0,
        -   _stock: #1 3,
        +   _stock: #1 7,
            _visitor: #1 DebugTests.Shop.Visitor(…),
            _till: #1 […]
          )
        """
      #expect(logs == [restocked, restocked])
      logs = []
      await store.send(.closedLater).finish()
      #expect(logs == ["none", "none", "none", "none"])
      #expect(store.stock == 0)
    }
  #endif

  @Test func noPrinterPrintsNothing() {
    let store = Store(initialState: Counter.State()) { Counter()._printChanges(nil) }
    store.send(.view(.incremented(by: 2)))
    #expect(store.count == 2)
  }

  @Test func actionsAreLabelledByTheirCases() {
    #expect(
      DebugLabels.of(Counter.Action.view(.incremented(by: 1))) == "DebugTests.Counter.Action.view(.incremented(by:))")
    #expect(DebugLabels.of(Counter.Action.response(.success(1))) == "DebugTests.Counter.Action.response(.success)")
    let row = IdentifiedAction<Int, Counter.Action>.element(id: 1, action: .view(.incremented(by: 1)))
    #expect(DebugLabels.of(row).hasSuffix(".element(id:, action: .view(.incremented(by:)))"))
    enum Shape { case one(Int, String), two(Int, label: Bool), plain }
    #expect(DebugLabels.of(Shape.one(1, "")).hasSuffix(".one(_:, _:)"))
    #expect(DebugLabels.of(Shape.two(1, label: true)).hasSuffix(".two(_:, label:)"))
    #expect(DebugLabels.of(Shape.plain).hasSuffix(".plain"))
    #expect(DebugLabels.of(Silent.tapped) == "DebugTests.Silent.tapped")
    #expect(DebugLabels.of(PresentationAction<Silent>.presented(.tapped)).hasSuffix(".presented(.tapped)"))
  }
}
