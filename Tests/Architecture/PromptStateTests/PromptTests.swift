import PromptState
import Testing

private enum Action: Hashable, Sendable { case delete, keep, row(Int) }

@Suite struct PromptTests {
  private func alert(offersMore: Bool = false) -> AlertState<Action> {
    AlertState {
      TextState("Title")
    } actions: {
      ButtonState(role: .destructive, action: .delete) { TextState("Delete") }
      ButtonState(action: .send(.keep)) { TextState("Keep") }
      if offersMore {
        for row in 1...2 { ButtonState(action: .row(row)) { TextState("Row \(row)") } }
      }
      ButtonState(role: .cancel) { TextState("OK") }
    } message: {
      TextState("Message")
    }
  }

  @Test func anAlertHasItsTitleButtonsAndMessage() {
    let alert = alert(offersMore: true)
    #expect(String(state: alert.title) == "Title")
    #expect(alert.message == TextState("Message"))
    #expect(alert.buttons.map(\.action.action) == [.delete, .keep, .row(1), .row(2), nil])
    #expect(alert.buttons.map(\.role) == [.destructive, nil, nil, nil, .cancel])
  }

  @Test func theIdentityIsUniqueAndNoPartOfEquality() {
    let (first, second) = (alert(), alert())
    #expect(first.id != second.id)
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
    #expect(first.buttons[0].id != second.buttons[0].id)
    #expect(first.buttons == second.buttons)
    #expect(first != alert(offersMore: true))
  }

  @Test func titlesAloneMakeAnAlertAndADialog() {
    let alert = AlertState<Never> { TextState("Done") }
    #expect(alert.buttons.isEmpty && alert.message == nil)
    let dialog = ConfirmationDialogState<Action>(titleVisibility: .visible) {
      TextState("Which?")
    } actions: {
      ButtonState(action: .keep) { TextState("Keep") }
    }
    #expect(dialog.titleVisibility == .visible)
    #expect(dialog != ConfirmationDialogState { TextState("Which?") })
  }

  @Test func theOlderFormsMakeTheSamePrompts() {
    let ok = ButtonState<Action>.cancel(TextState("OK"))
    let delete = ButtonState<Action>.destructive(TextState("Delete"), action: .send(.delete))
    let keep = ButtonState<Action>.default(TextState("Keep"), action: .send(.keep))
    #expect(
      AlertState(title: TextState("Title"), message: TextState("Message"), buttons: [delete, keep, ok]) == alert())
    #expect(AlertState(title: TextState("T"), dismissButton: ok).buttons == [ok])
    #expect(AlertState<Action>(title: TextState("T")).buttons.isEmpty)
    #expect(AlertState(title: TextState("T"), primaryButton: delete, secondaryButton: ok).buttons == [delete, ok])
    #expect(
      ActionSheetState(title: TextState("T"), buttons: [ok])
        == ConfirmationDialogState {
          TextState("T")
        } actions: {
          ok
        })
  }

  @Test func mappingKeepsTheIdentityAndChangesTheActions() {
    let alert = alert()
    let mapped = alert.map { $0.map { [$0] } }
    #expect(mapped.id == alert.id)
    #expect(mapped.buttons.map(\.id) == alert.buttons.map(\.id))
    #expect(mapped.buttons.map(\.action.action) == [[.delete], [.keep], nil])
    let dialog = ConfirmationDialogState<Action> {
      TextState("T")
    } actions: {
      ButtonState(action: .keep) { TextState("K") }
    }
    #expect(dialog.map { _ in "x" }.buttons[0].action == .send("x"))
  }

  @Test func aPressedButtonHandsOutItsAction() async {
    let button = alert().buttons[0]
    button.withAction { #expect($0 == .delete) }
    await button.withAction { action in
      await Task.yield()
      #expect(action == .delete)
    }
  }

  @Test func promptsAreEphemeralAndKnowTheirActions() {
    func actionType(of state: Any) -> Any.Type? { (state as? any _EphemeralState).map { type(of: $0).actionType } }
    #expect(actionType(of: alert()) == Action.self)
    #expect(actionType(of: ConfirmationDialogState<Int> { TextState("") }) == Int.self)
    #expect(actionType(of: 1) == nil)
  }
}

@Suite struct TextStateTests {
  @Test func joinedTextsKeepTheirStyles() {
    let text = TextState("Delete ") + TextState("this").bold().foregroundColor(.red) + TextState("?").italic()
    #expect(String(state: text) == "Delete this?")
    #expect(text.runs.map(\.string) == ["Delete ", "this", "?"])
    #expect(text.runs.map(\.style.isBold) == [false, true, false])
    #expect(text.runs.map(\.style.foregroundColor) == [nil, .red, nil])
  }

  @Test func equalityIsWhatIsShown() {
    #expect(TextState("a") + TextState("b") == TextState(verbatim: "ab"))
    #expect(TextState("ab") + TextState("") == TextState("xab".dropFirst()))
    #expect(TextState("a").bold() != TextState("a"))
    #expect(TextState("a").bold(false) == TextState("a"))
  }

  @Test func aStyleOfTheWholeLeavesThatOfAPart() {
    let text = (TextState("a").foregroundStyle(.green) + TextState("b")).foregroundColor(.blue).underline()
    #expect(text.runs.map(\.style.foregroundColor) == [.green, .blue])
    #expect(text.runs.map(\.style.isUnderlined) == [true, true])
  }
}
