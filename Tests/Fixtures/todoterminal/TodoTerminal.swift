import Features
import TerminalApp

// A terminal client of storehubd's todos, for tests of TerminalApp.
@main
struct TodoTerminal: TerminalApp {
  static let description = TerminalAppDescription("todoterminal", directory: "storehub")

  var feature: some ReducerOf<AppFeature> { AppFeature() }

  func content(_ store: StoreOf<AppFeature>) -> some TerminalView {
    Tabs {
      Tab("todos") { TodosView(store: store.scope(state: \.todos, action: \.todos)) }
      Tab("counter") { CounterView(store: store.scope(state: \.counter, action: \.counter)) }
    }
  }
}

struct TodosView: TerminalView {
  let store: StoreOf<Todos>
  @ViewState var isAdding = false
  @ViewState var text = ""

  var body: some TerminalView {
    Table(store.todos) {
      TableColumn("Todo", width: .flexible(minimum: 8)) { $0.text }
      TableColumn("State") { Cell($0.isComplete ? "done" : "open", dim: $0.isComplete) }
    }
    .rowKey("d", "delete") { store.send(.deleteButtonTapped(id: $0)) }
    .searchable()
    .empty("nothing to do")
    .key("a", "add") { isAdding = true }
    .sheet(isPresented: $isAdding, title: "New todo") {
      Form {
        Field("Text") {
          TextField("what is to be done", text: $text).onSubmit("add") {
            store.send(.addButtonTapped(text: text))
            (isAdding, text) = (false, "")
          }
        }
      }
    }
  }
}

struct CounterView: TerminalView {
  let store: StoreOf<Counter>

  var body: some TerminalView {
    Column {
      Text("count: \(store.count)").bold()
      Sparkline((0...7).map(Double.init))
    }
    .key("+ up", "count up") { store.send(.incrementButtonTapped) }
  }
}
