@_spi(Logging) import ComposableArchitecture
import Glibc
import Testing

// The log is shared by the process, with stores of other suites; only lines of these types are checked.
@Reducer private struct LoggedChild {
  struct State: Equatable { var count = 0 }
  enum Action: Sendable { case tapped, ticked }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      state.count += 1
      return action.is(\.tapped) ? .run { await $0(.ticked) } : .none
    }
  }
}

@Reducer private struct LoggedParent {
  struct State: Equatable {
    var child = LoggedChild.State()
    var optional: LoggedChild.State?
  }
  enum Action: Sendable { case child(LoggedChild.Action), optional(LoggedChild.Action) }

  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { LoggedChild() }
  }
}

@MainActor @Suite(.serialized, .timeLimit(.minutes(30))) struct LoggerTests {
  private var lines: [String] { Logger.shared.logs.filter { $0.contains("Logged") } }

  private func logging(_ operation: () async -> Void) async -> [String] {
    Logger.shared.clear()
    Logger.shared.isEnabled = true
    await operation()
    defer {
      Logger.shared.isEnabled = false
      Logger.shared.clear()
    }
    return lines
  }

  @Test func theLifeOfAStoreAndOfItsChildren() async {
    let lines = await logging {
      let store = Store(initialState: LoggedParent.State()) { LoggedParent() }
      let child = store.scope(state: \.child, action: \.child)
      await child.send(.tapped).finish()
      #expect(store.scope(state: \.child, action: \.child) === child)
      #expect(store.scope(state: \.optional, action: \.optional) == nil)
      let other = store.scope(state: { $0.child.count }, action: { (_: Never) -> LoggedParent.Action in })
      #expect(other.state == 2)
    }
    #expect(
      lines.dropLast(2) == [
        "StoreOf<LoggedParent>.init",
        "StoreOf<LoggedParent>.scope",
        "StoreOf<LoggedChild>.init",
        "StoreOf<LoggedParent>.receive LoggedParent.Action.child(.tapped)",
        "StoreOf<LoggedParent>.receive LoggedParent.Action.child(.ticked)",
        "StoreOf<LoggedParent>.scope",
        "StoreOf<LoggedParent>.scope",
        "StoreOf<LoggedParent>.scope",
      ])
    #expect(Set(lines.suffix(2)) == ["StoreOf<LoggedParent>.deinit", "StoreOf<LoggedChild>.deinit"])
  }

  @Test func nothingIsLoggedWhileItIsOff() async {
    let lines = await logging {
      Logger.shared.isEnabled = false
      let store = Store(initialState: LoggedParent.State()) { LoggedParent() }
      store.send(.child(.ticked))
      Logger.shared.isEnabled = true
      // A store that was created before does not log actions.
      store.send(.child(.ticked))
      #expect(store.child.count == 2)
    }
    #expect(lines == ["StoreOf<LoggedParent>.deinit"])
  }

  @Test func aProcessIsAskedByItsEnvironment() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("STOREHUB_STORE_LOG", "1", 1)
      await MainActor.run {
        let store = Store(initialState: LoggedParent.State()) { LoggedParent() }
        store.send(.child(.ticked))
        #expect(Logger.shared.logs == [])
      }
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self) == """
        StoreOf<LoggedParent>.init
        StoreOf<LoggedParent>.receive LoggedParent.Action.child(.ticked)
        StoreOf<LoggedParent>.deinit

        """)
  }

  @Test func storesAreNamedByTheirTypes() {
    #expect(Logger.storeName(Int.self, [String].self) == "Store<Int, [String]>")
    #expect(Logger.storeName(LoggedChild.State.self, LoggedParent.Action.self).hasPrefix("Store<LoggedChild.State, "))
  }
}
