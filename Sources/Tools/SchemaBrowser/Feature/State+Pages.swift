internal import SchemaNames
internal import TurnLog
internal import Wire

// The open page, and the way to others.

extension Browser.State {
  /// The open tab; a stand-in before the first connection.
  package var tab: BrowserTab { tabs.indices.contains(tabIndex) ? tabs[tabIndex] : BrowserTab("state", "State", .root) }

  /// The open page; nil before the first connection.
  package var page: Page? { stacks[tab.id]?.last }

  /// Changes the open page.
  mutating func change(_ body: (inout Page) -> Void) {
    guard var pages = stacks[tab.id], let last = pages.indices.last else { return }
    body(&pages[last])
    stacks[tab.id] = pages
  }

  func newPage(_ path: String) -> Page {
    var page = Page(path)
    page.order.sort = configuration.sort(at: path)
    return page
  }

  /// The name of the selected row; nil if it is gone and the table has not reported another one yet. No row stands in for
  /// it: an action must not be for another row than the highlighted one.
  package var selectedRow: String? {
    guard let selected = page?.selected else { return nil }
    switch content {
    case .table(let table):
      // A row that is not here, or was selected before its element had arrived, is no element.
      guard let offset = table.offset(of: selected, near: 0), table.isHere(at: offset),
        table.name(at: offset) == selected
      else { return nil }
      return selected
    case .form(let rows): return rows.contains { $0.name == selected } ? selected : nil
    case .loading, .absent, .text: return nil
    }
  }

  /// Selects the first row of a page that has appeared, to which the cursor of its table then goes; of the logged actions
  /// the last one.
  mutating func selectFirstRow() {
    guard let page, page.selected == nil else { return }
    let first: String? =
      switch content {
      case .table(let table): firstRow(of: table)
      case .form(let rows): rows.first?.name
      case .loading, .absent, .text: nil
      }
    if let first { change { $0.selected = first } }
  }

  private func firstRow(of table: TableContent) -> String? {
    let row = tab.content == .activity ? table.count - 1 : 0
    return table.count > 0 && table.isHere(at: row) ? table.name(at: row) : nil
  }

  /// The path of the part that is selected on the open page.
  package var selectedPath: String? {
    guard let page, tab.path != nil else { return nil }
    return selectedRow.map { page.path(of: $0) }
  }

  var isTable: Bool { if case .table = content { true } else { false } }

  // MARK: Navigation

  mutating func open(tab index: Int) {
    guard tabs.indices.contains(index), index != tabIndex else { return }
    tabIndex = index
    overlay = nil
    change { $0.isVisited = true }
    reorder()
  }

  /// Opens a row: a part as a page, a leaf as a text to read.
  mutating func open(row name: String) {
    guard let page else { return }
    change { $0.selected = name }
    switch tab.content {
    case .clients: overlay = .reading(title: "Client \(name)", lines: details(ofClient: name))
    case .activity: intent = .showActivity(name)
    case .hub: break
    case .part, .root: openPart(page.path(of: name))
    }
  }

  mutating func openPart(_ path: String) {
    if tab.content == .root, page?.path.isEmpty == true, let index = tabs.firstIndex(where: { $0.path == path }) {
      return open(tab: index)
    }
    guard windowedType(path) == nil, separateFields(path) == nil else { return push(path) }
    guard case .found(let part) = found(at: path), let readable else {
      // It is not here because there was no room for it.
      if case .loading = found(at: path), !scopes.contains(path) { push(path) }
      return
    }
    guard PageRow.opens(part.value, part.type, readable.values) else {
      overlay = .reading(title: path, lines: readable.wholeText(part.value, part.type))
      return
    }
    push(path)
  }

  private mutating func push(_ path: String) {
    stacks[tab.id, default: []].append(newPage(path))
    reorder()
  }

  /// Goes to the page above.
  mutating func goUp() {
    guard let pages = stacks[tab.id], pages.count > 1 else { return }
    stacks[tab.id]?.removeLast()
    change { $0.isVisited = true }
    reorder()
  }

  /// Leaves the filter, the search, the past or the page, in this order.
  mutating func escape() {
    if page?.filterText.isEmpty == false {
      setFilter("")
    } else if page?.isSearched == true {
      change { $0.isSearched = false }
      windowFollowsSelection()
    } else if past != nil {
      intent = .showPast(nil)
    } else {
      goUp()
    }
  }

  /// Opens the page of a path that the user wrote.
  ///
  /// - Returns: The reason why there is no such page.
  mutating func go(to text: String) -> String? {
    guard let schema = hub?.schema else { return "there is no hub" }
    let path = text.trimmed
    do throws(SchemaNameError) { _ = try schema.part(named: path) } catch { return "\(error)" }
    let holds = { (own: String) in path == own || path.hasPrefix("\(own).") || path.hasPrefix("\(own)[") }
    let index =
      tabs.firstIndex { tab in tab.path.map { !$0.isEmpty && holds($0) } ?? false }
      ?? tabs.firstIndex { $0.content == .root }
    guard let index else {
      let mayRead = hub?.rights?.permitAttaching(named: path, in: schema) ?? true
      return mayRead ? "no tab shows \(path)" : "this user may not read \(path)"
    }
    tabIndex = index
    var pages = [stacks[tab.id]?.first ?? newPage(tab.path ?? "")]
    for step in schema.pathsOnTheWay(to: path) where step.count > pages[0].path.count {
      var page = newPage(step)
      page.isVisited = false
      pages.append(page)
    }
    if pages.count > 1 { pages[0].isVisited = false }
    pages[pages.count - 1].isVisited = true
    stacks[tab.id] = pages
    reorder()
    return nil
  }

  /// Completes the path that is being written.
  mutating func completePath() {
    guard case .path(var entry)? = overlay else { return }
    entry.completions = completions(of: entry.text)
    if let common = entry.completions.commonPrefix, common.count > entry.text.count {
      entry.text = common
      entry.completions = completions(of: common)
    }
    overlay = .path(entry)
  }

  /// The paths that begin with a text.
  private func completions(of text: String) -> [String] {
    guard let schema = hub?.schema else { return [] }
    return schema.pathCompletions(text) { steps in
      guard let path = try? schema.name(of: steps) else { return [] }
      return elements(at: path, limit: 200).map(\.name)
    }.map(\.text)
  }

  // MARK: Order

  mutating func setFilter(_ text: String) {
    change { page in
      page.filterText = text
      page.order.filter = .init(text)
    }
    windowFollowsSelection()
    reorder()
  }

  /// Hides the logged actions with the name of the selected one.
  mutating func exclude() {
    guard tab.content == .activity, let row = selectedRow, let line = activity.first(where: { $0.id == row }) else {
      return
    }
    let name = line.what.split(separator: " ").first.map(String.init) ?? line.what
    setFilter("\(page?.filterText ?? "") -\"\(name)\"".trimmed)
  }

  /// Sorts by the column after the present one; after the last one, by none.
  mutating func sortByNextColumn() {
    guard tab.path != nil, case .table(let table) = content, !table.columns.isEmpty, canBeOrdered(table) else { return }
    let current = table.columns.firstIndex { $0.name == page?.order.sort?.column }
    let next = current.map { $0 + 1 } ?? 0
    change { $0.order.sort = table.columns.indices.contains(next) ? .init(table.columns[next].name) : nil }
    windowFollowsSelection()
    reorder()
  }

  mutating func beginFilter() {
    guard case .table(let table) = content, canBeOrdered(table) else { return }
    overlay = .filter(page?.filterText ?? "", before: page?.filterText ?? "")
  }

  /// False for a collection that is too large to be sorted, filtered or loaded for a search; the user is told why.
  mutating func canBeOrdered(_ table: TableContent) -> Bool {
    guard table.total > ElementOrder.limit else { return true }
    say(
      """
      \(table.total) elements are too many to sort, filter or search here: it needs all of them in this terminal, which \
      loads at most \(ElementOrder.limit)
      """, isBad: true)
    return false
  }

  mutating func scrollColumns(by offset: Int) {
    guard case .table(let table) = content else { return }
    let others = table.columns.count { !$0.isTitle }
    change { $0.hiddenColumns = min(max($0.hiddenColumns + offset, 0), max(others - 1, 0)) }
  }
}

extension [String] {
  /// The longest beginning that all have.
  var commonPrefix: String? {
    guard let first else { return nil }
    return dropFirst().reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
  }
}

extension Schema {
  /// The paths of the parts that lead to one, from the root, with itself.
  func pathsOnTheWay(to path: String) -> [String] {
    var paths: [String] = []
    var isQuoted = false
    for index in path.indices {
      let character = path[index]
      if character == "\"" || character == "`" { isQuoted.toggle() }
      guard !isQuoted, character == "." || character == "[", index > path.startIndex else { continue }
      let beginning = String(path[..<index])
      // Not between the case of an enum and the label of one of its values.
      if (try? part(named: beginning)) != nil { paths.append(beginning) }
    }
    return path.isEmpty ? [] : paths + [path]
  }
}

extension ReadableValue {
  /// The maximum number of lines for reading, and of scalars in each.
  private static let (lineLimit, lineLength) = (10_000, 1000)

  /// The lines of a leaf, for reading; long texts as a whole. A line that is too long goes on in further ones.
  /// - Complexity: O(lines and scalars that are returned).
  func wholeText(_ value: CBORValue, _ type: SchemaType) -> [String] {
    var value = value
    while case .array(let items) = value, items.count == 1, FieldRank.unwrapped(type) != type { value = items[0] }
    guard case .text(let text) = value, FieldRank.isText(type) else { return [self.text(value, type)] }
    var lines: [String] = []
    var rest = text.unicodeScalars[...]
    while lines.count < Self.lineLimit {
      let end = rest.prefix(Self.lineLength).firstIndex(of: "\n")
      let line = rest[..<(end ?? rest.prefix(Self.lineLength).endIndex)]
      lines.append(Self.safe(String(line), limit: Self.lineLength))
      rest = rest[(end.map { rest.index(after: $0) } ?? line.endIndex)...]
      if rest.isEmpty, end == nil { break }
    }
    return lines
  }
}
