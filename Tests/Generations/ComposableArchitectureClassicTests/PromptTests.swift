import ComposableArchitectureClassic
import Testing

/// Alerts and action sheets in the form before 0.9.
@Suite struct PromptTests {
  enum Action: Equatable { case confirmed, dismissed }

  @Test func alerts() {
    let alert: AlertState<Action> = .init(
      title: "Delete?", message: "It cannot be undone.", primaryButton: .destructive("Delete", send: .confirmed),
      secondaryButton: .cancel())
    #expect(
      alert
        == AlertState(
          title: { TextState("Delete?") },
          actions: {
            ButtonState(role: .destructive, action: .confirmed) { TextState("Delete") }
            ButtonState(role: .cancel) { TextState("Cancel") }
          },
          message: { TextState("It cannot be undone.") }))
    let title = "Done"
    let done = AlertState<Action>(title: title, dismissButton: .default(TextState("OK"), send: .dismissed))
    #expect(done.buttons.map(\.action.action) == [.dismissed])
    #expect(AlertState<Action>(title: .init("Done")) == AlertState(title: "Done"))
  }

  @Test func actionSheets() {
    let buttons: [ActionSheetState<Action>.Button] = [
      .default("Share", send: .confirmed), .default(TextState("Copy"), action: .send(.confirmed)),
      .cancel("No", send: .dismissed), .cancel(send: .dismissed), .cancel(TextState("Never"), send: nil),
    ]
    let sheet = ActionSheetState<Action>(title: "More", message: "…", buttons: buttons)
    #expect(sheet.buttons.map(\.action.action) == [.confirmed, .confirmed, .dismissed, .dismissed, nil])
    #expect(sheet.buttons.map(\.role) == [nil, nil, .cancel, .cancel, .cancel])
  }
}
