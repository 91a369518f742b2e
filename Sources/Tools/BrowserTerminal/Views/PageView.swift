internal import ComposableCore
internal import SchemaBrowser
internal import TerminalUI

/// The open page: its path with the number of its rows, and its content.
struct PageView: TerminalView {
  let store: StoreOf<Browser>

  var body: some TerminalView {
    let store = store
    let content = store.state.content
    Text(heading(content)).lineLimit(1).style(store.past == nil ? Style(.cyan) : Style(.yellow, bold: true))
    switch content {
    case .loading: Message(store.state.loadingText)
    case .absent(let reason): Message(reason)
    case .text(let lines): Text(lines.joined(separator: "\n"))
    case .table(let table): TableView(store: store, table: table)
    case .form(let rows): FormView(store: store, rows: rows)
    }
  }

  /// The path, what is shown of it, and when.
  private func heading(_ content: PageContent) -> String {
    guard let page = store.page else { return "" }
    var parts = [store.tab.path == nil ? store.tab.title : page.path.isEmpty ? "the whole state" : page.path]
    if let (count, total) = store.state.loading {
      parts.append("loading \(count) of \(total)")
    } else if case .table(let table) = content {
      parts.append(table.count == table.total ? "\(table.total)" : "\(table.count) of \(table.total)")
      if table.isWithoutWindows, table.total > 1000 { parts.append("received as a whole") }
      if !page.filterText.isEmpty {
        parts.append(table.isTooLarge ? "too many to filter" : "filter: \(page.filterText)")
      }
    }
    if let past = store.past { parts.insert("PAST, revision \(past.revision)", at: 0) }
    if let title = store.configuration.title { parts.insert(title, at: 0) }
    return parts.joined(separator: "  ")
  }
}

/// A text in the middle of a page.
private struct Message: TerminalView {
  let text: String

  init(_ text: String) { self.text = text }

  var body: some TerminalView {
    Spacer()
    Text(text).aligned(.center).dim()
    Spacer()
  }
}

/// The rows of a collection.
private struct TableView: TerminalView {
  let store: StoreOf<Browser>
  let table: TableContent

  var body: some TerminalView {
    let store = store
    let columns = Array(table.columns.enumerated())
    Table(PageRows(table), selection: store.selection) {
      for (index, column) in columns {
        TableColumn(
          column.title, alignment: column.isNumeric ? .trailing : .leading, order: order(of: column)
        ) { (row: PageRow) in
          cell(row, index)
        }
        .essential(column.isTitle)
      }
    }
    .rowKey("enter", "open") { store.send(.rowOpened($0)) }
    .onVisibleRowsChange { store.send(.rowsShown($0)) }
    .searchable(isComplete: !table.isPartial) {
      // All elements are loaded for it, unless they are too many.
      store.send(.searchTapped)
      return store.page?.isSearched == true
    }
    .leavingOutColumns(scrolled: store.page?.hiddenColumns ?? 0)
    .marksChanges().empty("nothing here")
    // The cursor stays at the last action while it is there.
    .followsEnd(store.tab.content == .activity)
    .keys(keys)
  }

  private func order(of column: PageColumn) -> TableColumn<PageRow>.Order? {
    guard let sort = table.sort, sort.column == column.name else { return nil }
    return sort.isDescending ? .descending : .ascending
  }

  private func cell(_ row: PageRow, _ index: Int) -> Cell {
    row.cells.indices.contains(index) ? Cell(row.cells[index].text, dim: row.cells[index].isAbsent) : Cell("")
  }

  private var keys: [KeyBinding] {
    let store = store
    var keys = [
      KeyBinding("f", "filter", help: "show only rows with these words; -word hides") { store.send(.filterTapped) },
      KeyBinding("left", "", help: "scroll the columns back") { store.send(.columnsScrolled(-1)) },
      KeyBinding("right", "", help: "scroll the columns") { store.send(.columnsScrolled(1)) },
    ]
    if store.tab.path != nil {
      keys += [
        KeyBinding("s", "sort", help: "sort by the next column") { store.send(.sortTapped) },
        KeyBinding("S", "", help: "reverse the order") { store.send(.sortReversed) },
      ]
    } else if store.tab.content == .activity {
      keys.append(KeyBinding("-", "exclude", help: "hide actions of this name") { store.send(.excludeTapped) })
    }
    return keys
  }
}

/// The parts of a struct with their values.
private struct FormView: TerminalView {
  let store: StoreOf<Browser>
  let rows: [PageRow]

  var body: some TerminalView {
    let store = store
    Table(rows, selection: store.selection) {
      TableColumn("Name") { (row: PageRow) in Cell(row.cells[0].text, color: .cyan) }
      TableColumn("Value", width: .flexible(minimum: 4)) { (row: PageRow) in
        Cell(row.cells[1].text + (row.opens ? " ›" : ""), dim: row.cells[1].isAbsent)
      }
    }
    .rowKey("enter", "open") { store.send(.rowOpened($0)) }
    .marksChanges().searchable().minimumRows(6)
    let help = store.state.selectionHelp
    if !help.isEmpty { Text(help).dim().lineLimit(1) }
  }
}

/// The rows of a table, which the screen reads one by one.
private struct PageRows: RowSource {
  let table: TableContent

  init(_ table: TableContent) { self.table = table }

  var count: Int { table.count }
  func row(at offset: Int) -> PageRow { table.row(at: offset) }
  func id(at offset: Int) -> String { table.name(at: offset) }
  func offset(of id: String, near: Int) -> Int? { table.offset(of: id, near: near) }
}

extension Store<Browser.State, Browser.Action> {
  /// The row at the cursor.
  fileprivate var selection: StoreBinding<String?> {
    StoreBinding(get: { self.page?.selected }, set: { self.send(.rowSelected($0)) })
  }
}
