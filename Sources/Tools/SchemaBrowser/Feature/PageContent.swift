internal import SchemaNames
package import Wire

/// What a page shows.
package enum PageContent: Sendable {
  /// The hub has not sent the part yet.
  case loading
  /// There is nothing, for this reason.
  case absent(String)
  /// Rows below columns.
  case table(TableContent)
  /// The parts of a struct, with their names.
  case form([PageRow])
  /// A text of several lines.
  case text([String])
}

/// The rows of a table, which are read one by one.
package struct TableContent: Sendable {
  package let columns: [PageColumn]
  /// The number of rows that match the filter.
  package let count: Int
  /// The number of elements of the collection.
  package let total: Int
  /// The sorting that is shown.
  package var sort: ElementOrder.Sort?
  /// True if the collection is too large to be sorted and filtered.
  package var isTooLarge = false
  /// True if only a window of the elements is here.
  package var isPartial = false
  /// True for a collection of which the hub serves no windows.
  package var isWithoutWindows = false
  private let rows: Rows

  private enum Rows {
    case texts([PageRow])
    case elements(any ElementSource & Sendable, indices: [Int]?, ReadableValue)
  }

  /// A table of texts.
  package init(_ columns: [PageColumn], _ rows: [PageRow]) {
    (self.columns, count, total, self.rows) = (columns, rows.count, rows.count, .texts(rows))
  }

  /// A table of elements.
  ///
  /// - Parameter indices: The indices of the shown elements; nil for all in their order.
  package init(
    _ columns: [PageColumn], _ source: some ElementSource & Sendable, indices: [Int]?, _ readable: ReadableValue
  ) {
    (self.columns, total) = (columns, source.count)
    count = indices?.count ?? source.count
    rows = .elements(source, indices: indices, readable)
  }

  /// The row at an offset below `count`.
  /// - Complexity: O(log n + columns).
  package func row(at offset: Int) -> PageRow {
    switch rows {
    case .texts(let rows): return rows[offset]
    case .elements(let source, let indices, let readable):
      guard let element = source.element(at: indices.map { $0[offset] } ?? offset) else {
        return PageRow(name(at: offset), columns.map { _ in "…" })
      }
      return PageRow(element, columns, readable)
    }
  }

  /// True if the row at an offset below `count` has been received.
  package func isHere(at offset: Int) -> Bool {
    switch rows {
    case .texts: true
    case .elements(let source, let indices, _): source.element(at: indices.map { $0[offset] } ?? offset) != nil
    }
  }

  /// The name of the row at an offset below `count`.
  package func name(at offset: Int) -> String {
    switch rows {
    case .texts(let rows): rows[offset].name
    case .elements(let source, let indices, _): source.name(at: indices.map { $0[offset] } ?? offset)
    }
  }

  /// The offset of the row with a name; nil if there is none.
  package func offset(of name: String, near: Int) -> Int? {
    switch rows {
    case .texts(let rows): return rows.firstIndex { $0.name == name }
    case .elements(let source, let indices, _):
      guard let indices else { return source.index(of: name, hint: near) }
      let hint = indices.indices.contains(near) ? indices[near] : 0
      return source.index(of: name, hint: hint).flatMap { indices.firstIndex(of: $0) }
    }
  }
}

/// A part of a state with its type.
package struct FoundPart: Equatable, Sendable {
  package let value: CBORValue
  package let type: SchemaType
}

extension Browser.State {
  /// What the open page shows.
  /// - Complexity: O(parts of a struct); O(1) for a collection.
  package var content: PageContent {
    guard let page else { return .loading }
    if let rows = ownContent ?? separateRows { return rows }
    switch found(at: page.path) {
    case .loading: return windowContent(page)
    case .absent(let reason): return .absent(reason)
    case .found(let part): return content(of: part, page)
    }
  }

  private func content(of part: FoundPart, _ page: Page) -> PageContent {
    guard let readable else { return .loading }
    if let source = WholeCollection(part.value, part.type, in: readable.values.schema) {
      var table = table(source, part.type, page, readable)
      table.isWithoutWindows = past == nil && windowedType(page.path) == nil
      return .table(table)
    }
    if let parts = readable.values.parts(of: part.value, as: part.type), !parts.isEmpty {
      return .form(parts.map { PageRow($0, readable) })
    }
    return .text(readable.wholeText(part.value, part.type))
  }

  private func windowContent(_ page: Page) -> PageContent {
    guard let readable, let type = windowedType(page.path) else { return .loading }
    guard let window = source as? CollectionWindow else {
      return hasNoCollection(page.path) ? .absent("there is no \(page.path) now") : .loading
    }
    var table = table(window, type, page, readable)
    table.isPartial = !window.isWhole
    if table.isPartial { table.sort = nil }
    return .table(table)
  }

  private func table(
    _ source: some ElementSource & Sendable, _ type: SchemaType, _ page: Page, _ readable: ReadableValue
  ) -> TableContent {
    var table = TableContent(columns(of: type, at: page.path), source, indices: page.indices, readable)
    table.sort = page.order.sort
    table.isTooLarge = !page.order.isPlain && source.count > ElementOrder.limit
    return table
  }

  /// The columns of a collection, as configured.
  package func columns(of type: SchemaType, at path: String) -> [PageColumn] {
    guard let schema = past?.schema ?? hub?.schema else { return [] }
    return configuration.columns(PageColumn.columns(of: type, in: schema), at: path)
  }

  /// The texts of values.
  package var readable: ReadableValue? {
    hub.map { ReadableValue(past?.schema ?? $0.schema, configuration.format, now: Double(wallTime) / 1000) }
  }
}
