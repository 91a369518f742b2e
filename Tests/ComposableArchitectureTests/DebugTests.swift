import ComposableArchitecture
import Foundation
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct DebugTests {
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
  }

  @Test func aTraceHasActionsAndEffects() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let log = try #require(TraceLog(path: path))
      let store = Store(initialState: Counter.State()) { Counter().signpost("test", log: log) }
      await store.send(.run(.run { await $0(.view(.incremented(by: 2))) })).finish()
      let cancelled = Gate()
      let task = store.send(.run(.endless(cancelled)))
      await task.cancel()
      await cancelled.wait()
      #expect(store.count == 2)
    }
    // The log ends with the last effect that writes to it, which is cancelled but has perhaps not returned yet.
    var text = ""
    repeat {
      await Task.yield()
      text = try String(contentsOfFile: path, encoding: .utf8)
    } while !text.hasSuffix("]\n")

    struct Event: Decodable {
      var name: String
      var cat: String
      var ph: String
      var ts: Int
      var id: Int?
    }
    let events = try JSONDecoder().decode([Event].self, from: Data(text.utf8))
    let actions = events.filter { $0.cat == "Action" }.map { "\($0.ph) \($0.name)" }
    #expect(
      actions == [
        "B [test] DebugTests.Counter.Action.run", "E [test] DebugTests.Counter.Action.run",
        "B [test] DebugTests.Counter.Action.view(.incremented(by:))",
        "E [test] DebugTests.Counter.Action.view(.incremented(by:))",
        "B [test] DebugTests.Counter.Action.run", "E [test] DebugTests.Counter.Action.run",
      ])
    let effects = events.filter { $0.cat == "Effect" && $0.id == 1 }.map { "\($0.ph) \($0.name)" }
    #expect(
      effects == [
        "b Effect of [test] DebugTests.Counter.Action.run",
        "n Output DebugTests.Counter.Action.view(.incremented(by:))",
        "e Effect of [test] DebugTests.Counter.Action.run",
      ])
    #expect(events.contains { $0.ph == "e" && $0.name.hasSuffix("(cancelled)") })
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.ts <= $1.ts })
  }
}
