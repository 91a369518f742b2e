/// Elements in rows, with a cursor that stays on its element wherever others move it.
///
/// ```swift
/// Table(store.scope(state: \.jobs, action: \.jobs), selection: store.binding(\.selected)) {
///   TableColumn("Job") { $0.name }
///   TableColumn("State") { Cell($0.state.rawValue, color: $0.state.color) }
///   TableColumn("Age", alignment: .trailing) { Cell($0.age) }
/// }
/// .rowKey("d", "delete") { store.send(.deleteButtonTapped($0)) }
/// ```
///
/// Only the visible rows are read, so that a million elements cost no more than fifty. The cursor is moved by the arrow
/// keys, `j` and `k`, Page Up and Page Down, Home and End, `g` and `G`, the wheel, and clicks.
public struct Table<ID: Hashable, RowValue>: TerminalView {
  public typealias Body = Never

  let source: any RowSource<ID, RowValue>
  let columns: [TableColumn<RowValue>]
  let selection: StoreBinding<ID?>?
  var hasHeader = true
  var columnSpacing: Int?
  var followsEnd = false
  var emptyText = "nothing here"
  var rowKeys: [(binding: KeyBinding, action: (ID) -> Void)] = []
  var rowStyle: ((RowValue) -> Style)?
  var isPending: ((RowValue) -> Bool)?
  var marksChanges = false
  var isSearchable = false
  var isComplete = true
  var beginSearch: (() -> Bool)?
  var visibleRowsChanged: ((Range<Int>) -> Void)?
  var highlighted: [String] = []
  var minimumRows = 1
  /// The number of columns that are scrolled out; nil to show all columns, however narrow.
  var scrolledColumns: Int?

  /// Creates a table of a source of rows.
  ///
  /// - Parameters:
  ///   - source: The elements: a scope of a store, an `IdentifiedArray`, or a source of one's own.
  ///   - selection: The id of the element that the user has moved the cursor to; the cursor follows a change of it. If
  ///     others remove that element, the cursor moves to the one in its place, and so does the selection; in an empty
  ///     table it is nil. It is not written when the table appears: each client of a shared state would send that action.
  ///     Row keys get the id at the cursor. Without a selection, the table has a cursor of its own.
  ///   - columns: The columns.
  public init<Source: RowSource<ID, RowValue>>(
    _ source: Source, selection: StoreBinding<ID?>? = nil,
    @TableColumnBuilder<RowValue> columns: () -> [TableColumn<RowValue>]
  ) {
    (self.source, self.selection, self.columns) = (source, selection, columns())
  }

  /// Creates a table of a collection of identifiable elements.
  @_disfavoredOverload
  public init<Data: RandomAccessCollection>(
    _ data: Data, selection: StoreBinding<ID?>? = nil,
    @TableColumnBuilder<RowValue> columns: () -> [TableColumn<RowValue>]
  ) where Data.Element == RowValue, RowValue: Identifiable, RowValue.ID == ID {
    self.init(CollectionRows(data, id: \.id), selection: selection, columns: columns)
  }

  /// Creates a table of a collection, with a key path to the ids of its elements.
  public init<Data: RandomAccessCollection>(
    _ data: Data, id: KeyPath<RowValue, ID>, selection: StoreBinding<ID?>? = nil,
    @TableColumnBuilder<RowValue> columns: () -> [TableColumn<RowValue>]
  ) where Data.Element == RowValue {
    self.init(CollectionRows(data, id: id), selection: selection, columns: columns)
  }

  private func with(_ change: (inout Table) -> Void) -> Table {
    var table = self
    change(&table)
    return table
  }

  /// Gives keys a meaning for the row at the cursor, whose id the action receives.
  ///
  /// - Parameters:
  ///   - names: The names of the keys, separated by spaces.
  ///   - label: A word or two for the help line; empty to show it only in the help box.
  ///   - others: Further keys with the same meaning, which only the help box shows.
  ///   - help: The meaning in the help box; the label, if it is nil.
  ///   - action: Called with the id of the row.
  public func rowKey(
    _ names: String, _ label: String, also others: String = "", help: String? = nil,
    perform action: @escaping (ID) -> Void
  ) -> Table {
    with { $0.rowKeys.append((KeyBinding(names, label, also: others, help: help), action)) }
  }

  /// Leaves out the line with the titles of the columns.
  public func hidesHeader(_ isHidden: Bool = true) -> Table { with { $0.hasHeader = !isHidden } }

  /// Sets the number of empty columns between the columns; by default two, or one in a narrow table.
  public func columnSpacing(_ spacing: Int) -> Table { with { $0.columnSpacing = spacing } }

  /// Begins at the last row, and keeps the cursor there when rows are added, unless the user has moved it away: for logs.
  public func followsEnd(_ followsEnd: Bool = true) -> Table { with { $0.followsEnd = followsEnd } }

  /// Gives the rows styles, for example dim ones for what is done.
  public func rowStyle(_ style: @escaping (RowValue) -> Style) -> Table { with { $0.rowStyle = style } }

  /// Marks rows with `~` whose last change the hub has not acknowledged.
  public func pending(_ isPending: @escaping (RowValue) -> Bool) -> Table { with { $0.isPending = isPending } }

  /// Marks a visible row with `*` for a moment when its content changes.
  public func marksChanges(_ marksChanges: Bool = true) -> Table { with { $0.marksChanges = marksChanges } }

  /// Lets `/` search in the rows, and `n` and `N` go to the next and the previous match. A search reads rows until it
  /// finds one.
  public func searchable(_ isSearchable: Bool = true) -> Table { with { $0.isSearchable = isSearchable } }

  /// Lets `/` search in a table of which some rows may have to be loaded first.
  ///
  /// - Parameters:
  ///   - isComplete: True if all rows are here. A search waits until they are.
  ///   - begin: Called when the user begins to search; returns false if the rows cannot be loaded.
  package func searchable(isComplete: Bool, begin: @escaping () -> Bool) -> Table {
    with { ($0.isSearchable, $0.isComplete, $0.beginSearch) = (true, isComplete, begin) }
  }

  /// Calls a function with the offsets of the visible rows after they have changed and the rows have been drawn.
  ///
  /// A source that has only a window of a long list can then request the rows around them. A row that is not here yet
  /// is shown with an id of its position until the element has arrived.
  public func onVisibleRowsChange(_ changed: @escaping (Range<Int>) -> Void) -> Table {
    with { $0.visibleRowsChanged = changed }
  }

  /// Leaves out columns for which there is no room, the last ones first, in place of showing all of them too narrow.
  /// Marks at the ends of the header say that there are others.
  ///
  /// - Parameter scrolled: The number of columns that are left out at the beginning. Essential ones stay.
  public func leavingOutColumns(scrolled: Int = 0) -> Table { with { $0.scrolledColumns = max(scrolled, 0) } }

  /// Sets the number of rows that the table has before the views below it get any.
  package func minimumRows(_ count: Int) -> Table { with { $0.minimumRows = count } }

  /// Highlights words in the rows, ignoring case.
  public func highlighted(_ words: [String]) -> Table { with { $0.highlighted = words } }

  /// Sets the text of a table without rows.
  public func empty(_ text: String) -> Table { with { $0.emptyText = text } }
}

/// A list is a table of one column without a title.
///
/// ```swift
/// List(store.scope(state: \.todos, action: \.todos)) { Cell($0.text, dim: $0.isComplete) }
///   .rowKey("space", "done") { store.send(.todos(.element(id: $0, action: .toggled))) }
/// ```
@MainActor
public func List<Source: RowSource>(
  _ source: Source, selection: StoreBinding<Source.ID?>? = nil, cell: @escaping (Source.Row) -> Cell
) -> Table<Source.ID, Source.Row> {
  var table = Table(source, selection: selection) {
    TableColumn("", width: .flexible(minimum: 1), cell: cell)
  }
  table.hasHeader = false
  return table
}

/// A list of a collection of identifiable elements.
@MainActor
@_disfavoredOverload
public func List<Data: RandomAccessCollection>(
  _ data: Data, selection: StoreBinding<Data.Element.ID?>? = nil, cell: @escaping (Data.Element) -> Cell
) -> Table<Data.Element.ID, Data.Element> where Data.Element: Identifiable {
  List(CollectionRows(data, id: \.id), selection: selection, cell: cell)
}

extension Table: PrimitiveView {
  package func makeNode() -> TableNode<ID, RowValue> { TableNode(self) }
  package func update(_ node: TableNode<ID, RowValue>) { node.show(self) }
}
