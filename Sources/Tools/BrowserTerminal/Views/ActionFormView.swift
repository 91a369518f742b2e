internal import ComposableCore
internal import SchemaBrowser
internal import TerminalUI
internal import Wire

/// The form for the values of an action.
struct ActionFormView: TerminalView {
  let store: StoreOf<Browser>
  let form: ActionForm

  var body: some TerminalView {
    let store = store
    Column {
      if case .action(let entry, _) = form.draft.kind, !entry.help.isEmpty { Text(entry.help).dim().lineLimit(2) }
      if let error = form.error, error.place.isEmpty { Text(error.reason).color(.red) }
      Form {
        ForEach(form.draft.lines, id: \.place) { line in
          Field(
            label(of: line), help: store.hub?.help(ofFieldAt: line.place, in: form.draft) ?? "",
            error: form.error?.place == line.place ? form.error?.reason : nil
          ) {
            // In every field, Enter sends.
            FieldView(store: store, line: line).key("enter", "send") { store.send(.formSubmitted) }
          }
          .takingFocusOnError()
        }
        Button(form.pending == nil ? "Send" : "sending …", isEnabled: form.pending == nil) {
          store.send(.formSubmitted)
        }
      }
    }
    .key("ctrl-s", "", help: "send") { store.send(.formSubmitted) }
  }

  private func label(of line: FieldLine) -> String {
    String(repeating: "  ", count: max(line.depth, 0)) + (line.label.isEmpty ? "Value" : line.label)
  }
}

/// The control of one line.
private struct FieldView: TerminalView {
  let store: StoreOf<Browser>
  let line: FieldLine

  var body: some TerminalView {
    let (store, place) = (store, line.place)
    switch line.content {
    case .toggle(let isOn): Toggle(isOn: StoreBinding(get: { isOn }, set: { change(.isOn($0)) }))
    case .choice(let names, let chosen, _):
      Picker(
        selection: StoreBinding(get: { chosen }, set: { change(.chosen($0)) }),
        options: names.enumerated().map { (Wording.words($1), $0) })
    case .fields: Text("")
    case .line, .json, .optional:
      if let text = line.entry {
        TextField(placeholder, text: StoreBinding(get: { text }, set: { change(.text($0)) }))
          .key("ctrl-n", "", help: "complete by the ids that exist") { store.send(.formCompleted(place: place)) }
      } else if case .optional(let isOn, let isDefault, _) = line.content {
        Picker(
          selection: StoreBinding(get: { isOn }, set: { change(.isOn($0)) }),
          options: [(isDefault ? "default" : "none", false), ("a value", true)])
      }
    }
  }

  private func change(_ change: FieldChange) { store.send(.formChanged(place: line.place, change)) }

  private var placeholder: String { store.hub.map { line.placeholder(in: $0.schema) } ?? "" }
}
