import ComposableArchitectureClassic
import Foundation
import Testing

@MainActor @Suite struct SignpostTests {
  @Test func actionsAndStreamsAreTraced() async throws {
    let path = NSTemporaryDirectory() + "classic-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let log = try #require(TraceLog(path: path))
    let reducer = Reducer<Int, Bool, Void> { state, action, _ in
      state += 1
      return action ? Effect.result { .success(false) } : .none
    }
    .signpost("App", log: log)
    let store = Store(initialState: 0, reducer: reducer, environment: ())
    await store.send(true).finish()
    #expect(store.state == 2)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("[App] ") && text.contains("Effect of [App] ") && text.contains("Output Bool"))
  }
}
