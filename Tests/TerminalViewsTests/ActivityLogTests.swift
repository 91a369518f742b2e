import Features
import Testing
import Wire

@testable import TerminalViews

@Suite struct ActivityLogTests {
  /// A thousand actions are kept, and each may have a megabyte.
  @Test func onlyTheBeginningOfALongActionIsKept() throws {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    func text(_ length: Int) throws -> String {
      let action = AppFeature.Action.todos(.addButtonTapped(text: String(repeating: "ä", count: length)))
      return ActivityLog.text(try CBORValue(decoding: action.encoded().span.bytes), schema)
    }
    #expect(try text(3) == "todos.addButtonTapped \"äää\"")
    let long = try text(1_000_000)
    #expect(long.count == 1001 && long.hasPrefix("todos.addButtonTapped \"äää") && long.hasSuffix("ä…"))
  }
}
