import CustomDump
import PromptState
import Testing

private enum Action: Hashable { case delete, keep }

/// A type that is not equatable.
private enum Opaque { case closure(Int) }

@Suite struct DumpTests {
  @Test func anAlertDumpsWhatItSays() {
    let alert = AlertState<Action> {
      TextState("Delete ") + TextState("all").bold() + TextState("?").italic()
    } actions: {
      ButtonState(role: .destructive, action: .send(.delete, animation: .default)) { TextState("Delete") }
      ButtonState(action: .keep) { TextState("Keep") }
      ButtonState(role: .cancel) { TextState("Cancel") }
    } message: {
      TextState("For good.")
    }
    #expect(
      String(customDumping: alert) == """
        AlertState(
          title: "Delete **all**_?_",
          actions: [
            [0]: ButtonState(
              role: .destructive,
              action: .send(
                .delete,
                animation: .default
              ),
              label: "Delete"
            ),
            [1]: ButtonState(
              action: .send(
                .keep
              ),
              label: "Keep"
            ),
            [2]: ButtonState(
              role: .cancel,
              action: .send(nil),
              label: "Cancel"
            )
          ],
          message: "For good."
        )
        """)
    #expect(String(customDumping: AlertState<Action> { TextState("Hi") }) == "AlertState(title: \"Hi\")")
  }

  @Test func aDialogDumpsItsVisibility() {
    let dialog = ConfirmationDialogState<Action>(titleVisibility: .visible) { TextState("Title") }
    #expect(
      String(customDumping: dialog) == """
        ConfirmationDialogState(
          titleVisibility: .visible,
          title: "Title"
        )
        """)
  }

  @Test func aDifferenceIsOneOfText() {
    func alert(_ title: String) -> AlertState<Action> { AlertState { TextState(title) } }
    #expect(diff(alert("a"), alert("a")) == nil)
    #expect(diff(alert("a"), alert("b")) == "- AlertState(title: \"a\")\n+ AlertState(title: \"b\")")
    let button = { ButtonState<Opaque>(action: .closure(1)) { TextState("a") } }
    #expect(diff(button(), button()) == nil)
  }

  @Test func anAnimatedActionIsItsAction() {
    let button = ButtonState<Action>(action: .send(.delete, animation: .easeIn(duration: 1))) { TextState("Delete") }
    #expect(button.action.action == .delete)
    #expect(button.map { _ in 1 }.action.action == 1)
    #expect(button.action != .send(.delete))
    #expect(withAnimation(.spring()) { 1 } == 1)
  }
}
