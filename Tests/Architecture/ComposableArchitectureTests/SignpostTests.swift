import ComposableArchitecture
import Foundation
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct SignpostTests {
  @Reducer struct Traced {
    struct State { var count = 0 }
    enum Action: Sendable { case incremented(by: Int), run(Effect<Action>) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .incremented(let number): state.count += number
        case .run(let effect): return effect
        }
        return .none
      }
    }
  }

  /// A search while typing; each key cancels the previous request.
  @Reducer struct Search {
    struct State {
      var query = ""
      var prices: [String: Int] = [:]
    }

    enum Action: Sendable { case queryChanged(String), found([String]), priced(String, Int) }
    enum CancelID { case request }

    @Dependency(\.continuousClock) var clock

    var body: some ReducerOf<Self> {
      Reduce { [clock] state, action in
        switch action {
        case .queryChanged(let query):
          state.query = query
          return .run { send in
            try await clock.sleep(for: .milliseconds(20))
            await send(.found(["\(query)s", "\(query)berries"]))
          }
          .cancellable(id: CancelID.request, cancelInFlight: true)
        case .found(let names):
          return .merge(
            names.map { name in
              .run { send in
                try await clock.sleep(for: .milliseconds(name.count))
                await send(.priced(name, name.count))
              }
            })
        case .priced(let name, let price):
          state.prices[name] = price
          return .none
        }
      }
    }
  }

  struct Event: Decodable {
    var name: String
    var cat: String?
    var ph: String
    var ts: Double?
    var id2: ID?
    var id: Int? { id2.flatMap { Int($0.local) } }

    struct ID: Decodable { var local: String }
  }

  /// The events of a log that is referenced only by cancelled effects, which may not have returned yet.
  private func events(of path: String) async throws -> [Event] {
    var text = ""
    repeat {
      await Task.yield()
      text = try String(contentsOfFile: path, encoding: .utf8)
    } while !text.hasSuffix("]\n")
    return try JSONDecoder().decode([Event].self, from: Data(text.utf8))
  }

  @Test func aTraceHasActionsAndEffects() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let log = try #require(TraceLog(path: path))
      let store = Store(initialState: Traced.State()) { Traced().signpost("test", log: log) }
      await store.send(.run(.run { await $0(.incremented(by: 2)) })).finish()
      let cancelled = Gate()
      let task = store.send(.run(.endless(cancelled)))
      task.cancel()
      await cancelled.wait()
      #expect(store.count == 2)
    }
    let events = try await events(of: path)
    let actions = events.filter { $0.cat == "Action" }.map { "\($0.ph) \($0.name)" }
    #expect(
      actions == [
        "B [test] SignpostTests.Traced.Action.run", "E [test] SignpostTests.Traced.Action.run",
        "B [test] SignpostTests.Traced.Action.incremented(by:)",
        "E [test] SignpostTests.Traced.Action.incremented(by:)",
        "B [test] SignpostTests.Traced.Action.run", "E [test] SignpostTests.Traced.Action.run",
      ])
    let effects = events.filter { $0.cat == "Effect" && $0.id == 1 }.map { "\($0.ph) \($0.name)" }
    #expect(
      effects == [
        "b Effect of [test] SignpostTests.Traced.Action.run",
        "n Output SignpostTests.Traced.Action.incremented(by:)",
        "e Effect of [test] SignpostTests.Traced.Action.run",
      ])
    let cancelled = events.filter { $0.cat == "Effect" && $0.id == 2 }.map { "\($0.ph) \($0.name)" }
    #expect(
      cancelled == [
        "b Effect of [test] SignpostTests.Traced.Action.run", "n Cancelled",
        "e Effect of [test] SignpostTests.Traced.Action.run",
      ])
    let times = events.compactMap(\.ts)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test func aPrefixMayContainAnyCharacters() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let prefix = "a\"\\\n\t\u{1}\u{2028}é"
    do {
      let log = try #require(TraceLog(path: path))
      let store = Store(initialState: Traced.State()) { Traced().signpost(prefix, log: log) }
      await store.send(.incremented(by: 1)).finish()
    }
    let names = try await events(of: path).filter { $0.cat == "Action" }.map(\.name)
    #expect(names == Array(repeating: "[\(prefix)] SignpostTests.Traced.Action.incremented(by:)", count: 2))
  }

  /// `docs/images/signpost.png` shows this run in Perfetto; `STOREHUB_TRACE=trace.json` in the environment records it.
  @Test func everyEffectThatBeginsEnds() async throws {
    let kept = TraceLog.environment
    let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let log = try #require(kept ?? TraceLog(path: path))
      let store = Store(initialState: Search.State()) {
        Search().signpost(log: log)
      } withDependencies: {
        $0.continuousClock = ContinuousClock()
      }
      for query in ["b", "bl"] {
        store.send(.queryChanged(query))
        if kept != nil { try await Task.sleep(for: .milliseconds(8)) }
      }
      await store.send(.queryChanged("blue")).finish()
      #expect(store.prices == ["blues": 5, "blueberries": 11])
    }
    guard kept == nil else { return }

    let events = try await events(of: path)
    #expect(events.contains { $0.ph == "M" && $0.name == "process_name" })
    let ids = Set(events.compactMap(\.id))
    #expect(ids == [1, 2, 3, 4, 5])
    for id in ids {
      let events = events.filter { $0.id == id }
      let phases = events.map(\.ph)
      #expect(phases.first == "b" && phases.last == "e" && Set(phases.dropFirst().dropLast()).isSubset(of: ["n"]))
      #expect(events.first?.name == events.last?.name)
    }
    #expect(events.filter { $0.name == "Cancelled" }.count == 2)
  }
}
