import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import XCTest

@testable import ClassicTodos

@MainActor
class EditorTests: XCTestCase {
  struct Failure: Error, Equatable {}

  func testSaving() async {
    let store = TestStore(
      initialState: ScreenState(), reducer: screenReducer,
      environment: EditorEnvironment(save: { title in
        if title.isEmpty { throw Failure() }
        return title.count
      }))
    store.send(.editButtonTapped) { $0.screen = .editor(EditorState()) }
    let editor = store.scope(
      state: { (/Screen.editor).extract(from: $0.screen) }, action: ScreenAction.editor)
    editor.send(.saveButtonTapped)
    await editor.receive(.editor(.saved(.failure(Failure())))) {
      $0?.alert = AlertState(
        title: "Not saved", message: "Failure()", dismissButton: .default("OK", send: .alertDismissed))
    }
    editor.send(.alertDismissed) { $0?.alert = nil }
    editor.send(.set(\.$title, "A title that is long")) { $0?.title = "A title th" }
    let task = editor.send(.saveButtonTapped)
    await task.finish()
    await editor.receive(.editor(.saved(.success(10)))) { $0?.saves = 10 }
    editor.send(.discardButtonTapped) {
      $0?.alert = .init(
        title: "Discard?", primaryButton: .destructive("Discard", send: .alertDismissed), secondaryButton: .cancel())
    }
    await store.finish()
  }
}
