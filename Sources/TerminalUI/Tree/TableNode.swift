/// The rows of a table that are on the screen, and its cursor.
package final class TableNode<ID: Hashable, RowValue>: ViewNode, DependentNode {
  /// A visible row. It is evaluated again only if a value that it has read has changed.
  private final class VisibleRow {
    var cells: [Cell] = []
    var style = Style.plain
    var isPending = false
    var isValid = false
    /// The time until which the row is marked as changed.
    var markEnd: Duration?
    let dependencies = Dependencies()
  }

  /// The time for which a changed row is marked.
  private static var markTime: Duration { .milliseconds(1500) }

  private var table: Table<ID, RowValue>
  private var cursor = ListCursor<ID>()
  private var rows: [ID: VisibleRow] = [:]
  /// The width of the widest content of each column so far.
  private var widths: [Int] = []
  /// The columns on the screen, without their gaps, and the indices of the table's columns in them.
  private var shownColumns: [(index: Int, columns: Range<Int>)] = []
  /// The search text while it is being typed.
  private var search: TextLine?
  private var sought = ""
  /// The number of rows when the cursor was last brought up to date.
  private var lastCount = 0
  private var isHighlighting = false
  /// True from a search until all rows to search are here.
  private var isSearchWaiting = false
  /// The visible rows that were reported last.
  private var reportedRows: Range<Int>?
  /// The elements on the screen with their rows, and the place of the table then. A click means one of these.
  private var drawn: (frame: Rect, ids: [Int: ID]) = (.zero, [:])
  /// True once the cursor has been brought up to date: before, no element was shown that a key can have been meant for.
  private var isFollowing = false
  private let dependencies = Dependencies()
  /// The number of the elements, and which of them are visible.
  private let order = Dependencies()

  init(_ table: Table<ID, RowValue>) { self.table = table }

  func show(_ table: Table<ID, RowValue>) {
    if table.columns.count != self.table.columns.count { (widths, shownColumns) = ([], []) }
    self.table = table
    for row in rows.values { row.isValid = false }
    evaluate()
    if isSearchWaiting, table.isComplete {
      isSearchWaiting = false
      if !sought.isEmpty { find(.here) }
    }
  }

  /// Moves the cursor to the selected element.
  func evaluate() {
    let selected = table.selection.map { selection in
      dependencies.read(for: self, { selection.wrappedValue }) { [weak self] in self?.tree?.mustEvaluate(self) }
    }
    if let selected = selected.flatMap({ $0 }), selected != cursor.id {
      let near = cursor.position
      if let offset = table.source.offset(of: selected, near: near) { cursor.select(selected, at: offset) }
    }
  }

  override func removed() {
    dependencies.forget()
    order.forget()
    for row in rows.values { row.dependencies.forget() }
  }

  override var isFocusable: Bool { true }
  override var takesText: Bool { search != nil }

  override func widthNeed() -> Need { Need(minimum: 1, ideal: 20, grows: true) }
  override func heightNeed(width: Int) -> Need {
    let ideal = min(table.source.count, 1000) + headerRows(.max)
    return Need(minimum: max(min(table.minimumRows, ideal), 1), ideal: ideal, grows: true)
  }

  // MARK: Rows

  private var ids: some RandomAccessCollection<ID> {
    let source = table.source
    return (0..<source.count).lazy.map { source.id(at: $0) }
  }

  private func follow() {
    let (source, near, count) = (table.source, cursor.position, table.source.count)
    let isAtEnd = near >= lastCount - 1
    cursor.follow(ids) { source.offset(of: $0, near: near) }
    if table.followsEnd, isAtEnd, count > 0 { cursor.select(source.id(at: count - 1), at: count - 1) }
    (lastCount, isFollowing) = (count, true)
  }

  override var listPosition: (position: Int, count: Int)? {
    follow()
    return cursor.id == nil ? nil : (cursor.position + 1, lastCount)
  }

  /// Selects the element at the cursor if others have removed the selected one. A table without a selection gets none.
  private func selectionFollows(from old: ID?) {
    guard let old, cursor.id != old, table.selection?.wrappedValue == old else { return }
    selectionChanged()
  }

  private func headerRows(_ rows: Int) -> Int { table.hasHeader && rows >= 4 ? 1 : 0 }

  /// The rows of the region that have elements.
  private func listRows(_ size: CanvasSize) -> Range<Int> {
    let top = headerRows(size.rows)
    return top..<max(size.rows - (search == nil ? 0 : 1), top)
  }

  private func visibleRow(_ id: ID, _ offset: Int) -> VisibleRow {
    let row = rows[id] ?? VisibleRow()
    rows[id] = row
    guard !row.isValid else { return row }
    let table = table
    let (cells, style, isPending) = row.dependencies.read(for: self) {
      let value = table.source.row(at: offset)
      return (table.columns.map { $0.cell(value) }, table.rowStyle?(value) ?? .plain, table.isPending?(value) ?? false)
    } invalidate: { [weak self, weak row] in
      row?.isValid = false
      self?.takeRowsAnew()
    }
    if table.marksChanges, !row.cells.isEmpty, row.cells != cells, let now = tree?.now {
      row.markEnd = now + Self.markTime
    }
    (row.cells, row.style, row.isPending, row.isValid) = (cells, style, isPending, true)
    return row
  }

  /// Lets the view around the table be evaluated if its source is a value: who reads a list does not observe the fields of
  /// its elements, so that the value is old.
  private func takeRowsAnew() {
    guard table.source is any SnapshotRows else { return }
    let ancestors = sequence(first: self as ViewNode) { $0.parent }
    tree?.mustEvaluate(ancestors.lazy.compactMap { $0 as? any BodyOwner }.first)
  }

  /// The table's columns that are shown, with their widths.
  private func columnWidths(_ visible: [VisibleRow], _ columns: Int) -> [(index: Int, width: Int)] {
    if widths.count != table.columns.count { widths = table.columns.map { self.columns(of: title(of: $0)) } }
    for row in visible {
      for (index, cell) in row.cells.enumerated() {
        widths[index] = max(widths[index], self.columns(of: cell.text))
      }
    }
    let needs = zip(table.columns, widths).map { column, width in
      switch column.width {
      case .content: Need(minimum: min(width, 4), ideal: width)
      case .fixed(let number): Need.exactly(number)
      case .flexible(let minimum): Need(minimum: minimum, ideal: max(width, minimum), grows: true)
      }
    }
    let shown = shownIndices(needs, columns)
    return Array(zip(shown, Need.divide(columns, among: shown.map { needs[$0] }, spacing: gap)))
  }

  /// The width with which a column of texts can be read.
  private static var readableWidth: Int { 10 }

  /// The indices of the columns that are shown.
  private func shownIndices(_ needs: [Need], _ columns: Int) -> [Int] {
    let wide = needs.indices.filter { table.columns[$0].minimumColumns <= frame.columns }
    guard let scrolled = table.scrolledColumns else { return wide }
    var others = wide.filter { !table.columns[$0].isEssential }
    others.removeFirst(min(scrolled, others.count))
    func width(_ index: Int) -> Int {
      let (ideal, column) = (needs[index].ideal, table.columns[index])
      // Part of a number would be another one.
      return column.alignment == .trailing ? ideal : min(ideal, Self.readableWidth)
    }
    func shown() -> [Int] { wide.filter { table.columns[$0].isEssential || others.contains($0) } }
    while shown().count > 1, !others.isEmpty,
      shown().reduce(-gap, { $0 + width($1) + gap }) > columns
    {
      others.removeLast()
    }
    return shown()
  }

  private var gap: Int { table.columnSpacing ?? (frame.columns < 40 ? 1 : 2) }

  private func title(of column: TableColumn<RowValue>) -> String {
    switch column.order {
    case nil: column.title
    case .ascending: "\(column.title) ↑"
    case .descending: "\(column.title) ↓"
    }
  }

  // MARK: Drawing

  override func draw(on region: inout Region) {
    let (size, old) = (region.size, cursor.id)
    let (window, ids) = order.read(for: self) {
      follow()
      let window = ListWindow(count: table.source.count, cursor: cursor.position, rows: listRows(size))
      return (window, window.offsets.map { table.source.id(at: $0) })
    } invalidate: {
    }
    selectionFollows(from: old)
    drawn = (frame, Dictionary(uniqueKeysWithValues: zip(window.rows, ids)))
    let visible = zip(ids, window.offsets).map { (id: $0, row: visibleRow($0, $1)) }
    forgetRows(except: visible.map(\.id))
    let widths = columnWidths(visible.map(\.row), size.columns - 2)
    var column = 2
    shownColumns = widths.map { index, width in
      defer { column += width + gap }
      return (index, column..<column + width)
    }
    if headerRows(size.rows) > 0 {
      let titles = table.columns.map { Cell(title(of: $0), style: Style(bold: true)) }
      draw(titles, widths, 0, Style(dim: true), on: &region)
      drawMarks(size, on: &region)
    }
    for ((row, offset), shown) in zip(zip(window.rows, window.offsets), visible) {
      draw(shown.row, widths, row, isAtCursor: offset == cursor.position, on: &region)
    }
    if visible.isEmpty, let row = window.rows.first {
      region.text(row, 2, TextWidth.fit(table.emptyText, columns: size.columns - 2), Style(dim: true))
    }
    if let search {
      region.text(size.rows - 1, 0, "/", Style(.cyan, bold: true))
      search.draw(size.rows - 1, 1, on: &region)
    }
    if let report = table.visibleRowsChanged, window.offsets != reportedRows {
      reportedRows = window.offsets
      report(window.offsets)
    }
  }

  /// Marks that there are other columns on either side.
  private func drawMarks(_ size: CanvasSize, on region: inout Region) {
    guard let scrolled = table.scrolledColumns, let last = shownColumns.last else { return }
    if scrolled > 0 { region.text(0, 0, "‹", Style(dim: true)) }
    if last.index < table.columns.count - 1 { region.text(0, size.columns - 1, "›", Style(dim: true)) }
  }

  private func forgetRows(except ids: [ID]) {
    guard rows.count > ids.count else { return }
    let visible = Set(ids)
    for (id, row) in rows where !visible.contains(id) {
      row.dependencies.forget()
      rows[id] = nil
    }
  }

  private func draw(
    _ row: VisibleRow, _ widths: [(index: Int, width: Int)], _ number: Int, isAtCursor: Bool, on region: inout Region
  ) {
    var isChanged = false
    if let end = row.markEnd, let tree {
      isChanged = tree.now < end
      if isChanged { tree.needsDrawing(at: end) } else { row.markEnd = nil }
    }
    let isReversed = isAtCursor && isFocused
    var line = region.part(
      Rect(row: frame.row + number, column: frame.column, rows: 1, columns: frame.columns)
    ).styled(Style(reversed: isReversed))
    if isReversed { line.clear() }
    let mark = row.isPending ? "~" : isChanged ? "*" : " "
    line.text(0, 0, isAtCursor ? "›" : " ", row.style)
    line.text(0, 1, mark, isChanged ? Style(.yellow, bold: true) : row.style)
    let words = table.highlighted + (isHighlighting && !sought.isEmpty ? [sought] : [])
    draw(row.cells, widths, 0, row.style, highlighting: words, on: &line)
  }

  private func draw(
    _ cells: [Cell], _ widths: [(index: Int, width: Int)], _ row: Int, _ style: Style,
    highlighting words: [String] = [], on region: inout Region
  ) {
    var column = 2
    for (index, width) in widths {
      let (cell, definition) = (cells[index], table.columns[index])
      let text = TextWidth.fit(cell.text, columns: width)
      let room = max(width - TextWidth.columns(of: text), 0)
      let start =
        switch definition.alignment {
        case .leading: column
        case .center: column + room / 2
        case .trailing: column + room
        }
      if width > 0 {
        region.text(row, start, text, cell.style.within(style))
        let words = definition.isSearched ? words : []
        region.highlight(words, in: text, at: start, row, cell.style.within(style))
      }
      column += width + gap
    }
  }

  // MARK: Keys

  override var bindings: [KeyBinding] {
    if search != nil { return [KeyBinding("enter", "find"), KeyBinding("esc", "cancel")] }
    var bindings = table.rowKeys.map(\.binding)
    bindings.append(.common("up down", "choose", also: "j k"))
    if table.isSearchable {
      bindings.append(.common("/", "search"))
      if !sought.isEmpty { bindings.append(.common("n N", "", help: "the next match, the one before")) }
      if isHighlighting { bindings.append(.common("esc", "", help: "matches are no longer highlighted")) }
    }
    bindings.append(.common("pageup pagedown home end", "", also: "g G", help: "a screenful, the ends"))
    return bindings
  }

  override func pressed(_ key: Key) -> Bool {
    let (old, wasFollowing) = (cursor.id, isFollowing)
    follow()
    selectionFollows(from: old)
    if search != nil {
      searched(key)
      return true
    }
    if let (_, action) = table.rowKeys.first(where: { $0.binding.keys.contains(key) }) {
      // The row that the user sees, and not the one that takes its place.
      guard let id = wasFollowing ? old : cursor.id else { return true }
      if id == cursor.id || offset(of: id) != nil { action(id) } else { sayGone() }
      return true
    }
    isSearchWaiting = false
    switch key {
    case .character("/") where table.isSearchable:
      if table.isComplete || table.beginSearch?() ?? true { search = TextLine() }
    case .character("n") where !sought.isEmpty: find(.next)
    case .character("N") where !sought.isEmpty: find(.previous)
    case .escape where isHighlighting: isHighlighting = false
    default: return moved(key)
    }
    return true
  }

  private func moved(_ key: Key) -> Bool {
    if case .click(let row, let column) = key {
      clicked(row: row - frame.row, column: column - frame.column)
      return true
    }
    let (id, position) = (cursor.id, cursor.position)
    guard cursor.pressed(key, ids, pageSize: listRows(frame.size).count) else { return false }
    // An arrow at the end of the rows moves to another field of a form.
    if cursor.position == position, key == .up || key == .down, form != nil { return false }
    if cursor.id != id { selectionChanged() }
    return true
  }

  /// Handles a click on the heading, or on a row as it is on the screen.
  private func clicked(row: Int, column: Int) {
    let clicked = shownColumns.first { $0.columns.contains(column) }
    if row < headerRows(frame.rows) {
      if let clicked { table.columns[clicked.index].sort?() }
      return
    }
    guard drawn.frame == frame, let id = drawn.ids[row] else { return }
    guard let offset = offset(of: id) else { return sayGone() }
    let old = cursor.id
    cursor.select(id, at: offset)
    if let clicked { table.columns[clicked.index].pressed?(table.source.row(at: offset)) }
    if old != id { selectionChanged() }
  }

  private func offset(of id: ID) -> Int? { table.source.offset(of: id, near: cursor.position) }

  private func sayGone() { tree?.say("the row has just been removed: nothing was done", isBad: true) }

  private func selectionChanged() { table.selection?.wrappedValue = cursor.id }

  private func searched(_ key: Key) {
    switch key {
    case .escape: (search, isHighlighting, isSearchWaiting) = (nil, false, false)
    case .enter:
      search = nil
      isHighlighting = !sought.isEmpty
    case .backspace where search?.text.isEmpty == true: search = nil
    default:
      search?.pressed(key)
      sought = search?.text ?? ""
      isHighlighting = !sought.isEmpty
      if !sought.isEmpty { find(.here) }
      if let omission = search?.omission { tree?.say(omission, isBad: true) }
    }
  }

  private func find(_ direction: SearchDirection) {
    let (source, columns, wanted, old) = (table.source, table.columns, sought.lowercased(), cursor.id)
    isHighlighting = true
    guard table.isComplete else {
      isSearchWaiting = true
      return
    }
    let isFound = cursor.search(ids, direction) { offset, _ in
      let row = source.row(at: offset)
      return columns.contains { $0.isSearched && $0.cell(row).text.lowercased().contains(wanted) }
    }
    if !isFound { tree?.say("not found: \(sought)", isBad: true) }
    if cursor.id != old { selectionChanged() }
  }
}
