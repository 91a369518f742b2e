import ComposableTesting
import @NAME@
import TerminalUI
import Testing

@testable import @lower@_terminal

/// The screen, in a terminal in memory and on a local store.
@MainActor
@Suite struct @NAME@ViewTests {
  @Test func aNoteIsAddedAndDeleted() {
    let store = Store(initialState: @NAME@.State()) { @NAME@() }
    let tester = TerminalTester(@NAME@View(store: store), rows: 5, columns: 40)
    tester.press("a")
    tester.type("water")
    tester.press("tab", "enter", "+")
    tester.expect(
      """
      The count is 1.
        #  Note
      › 1  water
      """)
    tester.press("d")
    #expect(store.notes.isEmpty)
  }
}
