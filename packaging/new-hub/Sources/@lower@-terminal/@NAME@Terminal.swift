import @NAME@
import TerminalApp

/// The notes in a terminal: `@lower@-terminal --socket SOCKET`. It has the connection, the keys' help and the themes.
@main
struct @NAME@Terminal: TerminalApp {
  static let description = TerminalAppDescription(directory: "@lower@hub")

  var feature: some ReducerOf<@NAME@> { @NAME@() }
  func content(_ store: StoreOf<@NAME@>) -> some TerminalView { @NAME@View(store: store) }
}

struct @NAME@View: TerminalView {
  let store: StoreOf<@NAME@>
  @ViewState private var isAdding = false
  @ViewState private var text = ""

  var body: some TerminalView {
    Column {
      Text("The count is \(store.count).").bold()
      Table(store.notes) {
        TableColumn("#", alignment: .trailing) { "\($0.id)" }
        TableColumn("Note", width: .flexible(minimum: 10)) { $0.text }
      }
      .rowKey("d", "delete") { store.send(.deleteButtonTapped($0)) }
      .empty("no notes; a adds one")
      .searchable()
    }
    .key("+", "count") { store.send(.incrementButtonTapped) }
    .key("a", "add") { isAdding = true }
    .sheet(isPresented: $isAdding, title: "A new note") {
      Form {
        Field("Text") { TextField("what to remember", text: $text) }
        Button("Add", isEnabled: !text.isEmpty) {
          store.send(.addButtonTapped(text: text))
          (isAdding, text) = (false, "")
        }
      }
    }
  }
}
