internal import ComposableCore
internal import Features
internal import TerminalApp
internal import TerminalUI

/// The shared list of todos.
struct TodosView: TerminalView {
  let store: StoreOf<Todos>
  let part: SharedPart<TodosStep>
  let model: TodosModel
  let status: ConnectionStatus

  var body: some TerminalView {
    // The number of open todos depends on all of them, also on those that are not on the screen.
    let (store, model, _) = (store, model, part.version)
    let shown = model.shown(store.state)
    let filters = TodoFilter.allCases.map { $0 == model.filter ? "[\($0)]" : " \($0) " }.joined(separator: " ")
    Column {
      ListHeading(summary: summary(shown), right: Text(filters))
      table(shown)
      if let writing = model.writing {
        LineView(model: model, store: store, isNew: writing.id == nil)
      }
    }
    .confirmationDialog(model.question) { model.answered($0, store) }
    .message(model.message)
  }

  /// The number of open todos; of a long list, of which the open ones are not counted here, that of the shown todos.
  private func summary(_ shown: ShownTodos) -> String {
    guard let long = model.long else { return "\(shown.activeCount) to do" }
    let kind =
      switch shown.filter {
      case .all: "todos"
      case .active: "to do"
      case .completed: "completed"
      }
    return "\(shown.count) \(kind)" + (long.isLoadingAll ? ", loading all …" : "")
  }

  private func table(_ shown: ShownTodos) -> some TerminalView {
    let (store, model, status) = (store, model, status)
    // Of a long list, those that the filter hides are not here.
    let isEmpty = store.todos.isEmpty && (model.long == nil || model.filter == .all)
    return Table(shown, selection: model.selection) {
      TableColumn("", width: .fixed(3)) { $0.isComplete ? "[x]" : "[ ]" }
        .unsearched()
        .onClick { model.tick($0.id, store) }
      TableColumn("", width: .flexible(minimum: 1)) { $0.text }
    }
    .hidesHeader()
    .columnSpacing(1)
    .rowStyle { Style(dim: $0.isComplete) }
    .pending { status.pendingMarks.contains(todo: $0) }
    .searchable(isComplete: model.long == nil) { model.requireAll() }
    .onVisibleRowsChange { model.rowsShown($0) }
    .empty(isEmpty ? "no todos; press a to add one" : "no \(model.filter) todos")
    .rowKey("space", "done", also: "x", help: "done (sorted last), or not") { model.tick($0, store) }
    .rowKey("e", "edit", also: "enter") { model.edit($0, store) }
    .rowKey("d", "delete", also: "delete") { model.delete($0, store) }
    .rowKey("J", "", help: "move down") { model.move($0, down: true, store) }
    .rowKey("K", "", help: "move up") { model.move($0, down: false, store) }
    .keys(keys)
  }

  private var keys: [KeyBinding] {
    let (store, model) = (store, model)
    let keys = [
      KeyBinding("a", "add") { model.write() },
      KeyBinding("f", "filter", help: "what is shown: all, active, completed") { model.changeFilter() },
      KeyBinding("c", "clear", help: "clear what is completed") { model.askWhetherToClear(store.state) },
    ]
    guard model.long != nil else { return keys }
    // What has become of a todo is not known of those that are not here.
    return keys + [
      KeyBinding("u", "undo", help: "load the whole list, in which your last action can be undone") {
        model.requireAll()
      },
      KeyBinding("U", "", help: "the same, to redo") { model.requireAll() },
    ]
  }
}

extension Set<AnyHashable> {
  /// Returns true if an action that changes the todo is pending.
  fileprivate func contains(todo: Todo.State) -> Bool {
    contains(PendingMark.todo(id: todo.id, text: nil)) || contains(PendingMark.todo(id: todo.id, text: todo.text))
  }
}

/// The line that is being edited, which gets all keys.
private struct LineView: TerminalView {
  let model: TodosModel
  let store: StoreOf<Todos>
  let isNew: Bool

  var body: some TerminalView {
    let (model, store) = (model, store)
    let trouble = model.trouble(store.state)
    Row(spacing: 0) {
      Text(isNew ? "new: " : trouble.map { "text (\($0) meanwhile): " } ?? "text: ")
        .style(Style(trouble == nil ? .cyan : .red, bold: true)).lineLimit(1)
      TextField(
        text: StoreBinding {
          model.line
        } set: {
          model.line = $0
        }
      )
      .onSubmit(isNew ? "add" : "save") { model.submit(store) }
    }
    .key("esc", "cancel") { model.cancel() }
    .modal()
  }
}
