internal import SchemaNames
package import TurnLog
internal import Wire

/// The order in which a table shows the elements of a collection: sorted by a column, and only those that match a filter.
package struct ElementOrder: Equatable, Sendable {
  /// A column by which a table is sorted.
  package struct Sort: Equatable, Sendable {
    package var column: String
    package var isDescending: Bool

    package init(_ column: String, isDescending: Bool = false) {
      (self.column, self.isDescending) = (column, isDescending)
    }
  }

  /// The column; nil for the order of the collection.
  package var sort: Sort?
  /// The words that must, and must not, occur in the cells.
  package var filter = ActionFilter()

  /// The maximum number of elements that are sorted or filtered; a key must not wait for more.
  package static let limit = 100_000

  package init(sort: Sort? = nil, filter: ActionFilter = ActionFilter()) { (self.sort, self.filter) = (sort, filter) }

  /// True if the table shows the collection as it is.
  package var isPlain: Bool { sort == nil && filter.isEmpty }

  /// The indices of the elements in their order; nil for the collection as it is.
  /// - Complexity: O(n log n) for n elements.
  package func indices(
    of source: some ElementSource, _ columns: [PageColumn], _ readable: ReadableValue
  ) -> [Int]? {
    guard !isPlain, source.count <= Self.limit else { return nil }
    var indices = Array(0..<source.count)
    if !filter.isEmpty {
      indices = indices.filter { index in
        guard let element = source.element(at: index) else { return false }
        return filter.matches(PageRow(element, columns, readable).cells.map(\.text))
      }
    }
    guard let sort, let column = columns.first(where: { $0.name == sort.column }) else { return indices }
    let keys = indices.map { index in
      (index: index, key: source.element(at: index).map { SortKey($0, column, readable) } ?? .absent)
    }
    return keys.sorted { a, b in
      if a.key == b.key { return a.index < b.index }
      return sort.isDescending ? b.key < a.key : a.key < b.key
    }.map(\.index)
  }
}

/// The place of a value among the others of its column. Absent values come last.
enum SortKey: Comparable {
  case number(Double)
  case text(String)
  case absent

  init(_ element: SchemaValues.Part, _ column: PageColumn, _ readable: ReadableValue) {
    guard column.content != .key else {
      let name = PageRow.key(element.name)
      // A key such as `nan` or `infinity` is a word.
      let number = Double(name.hasPrefix("#") ? String(name.dropFirst()) : name)
      self = number.flatMap { $0.isFinite ? .number($0) : nil } ?? .text(name)
      return
    }
    guard var value = column.part(of: element) else {
      self = .absent
      return
    }
    let type: SchemaType
    (value, type) = Self.unwrapped(value, column.type)
    // The cases of an enum are sorted as declared.
    if case .definition(let index) = type, case .cases = readable.values.schema.definitions[index].content {
      if case .unsigned(let key) = value {
        self = .number(Double(key))
      } else {
        self = .text(readable.text(value, type))
      }
      return
    }
    switch value {
    case .unsigned(let number): self = .number(Double(number))
    case .negative(let argument): self = .number(-1 - Double(argument))
    case .float(let bits): self = Double(bitPattern: bits).isNaN ? .absent : .number(Double(bitPattern: bits))
    case .simple(22): self = .absent
    case .simple(let number): self = .number(Double(number))
    case .text(let text): self = .text(text.lowercased())
    case .array(let items) where type == .named("Duration") && items.count == 2:
      self = ReadableValue.seconds(items).map { .number($0) } ?? .absent
    default:
      if let count = readable.values.elementCount(of: value, as: type) {
        self = .number(Double(count))
      } else {
        self = .text(readable.text(value, type).lowercased())
      }
    }
  }

  /// A value with its type, without the optionals and raw values around both.
  private static func unwrapped(_ value: CBORValue, _ type: SchemaType) -> (CBORValue, SchemaType) {
    var (value, type) = (value, type)
    while case .named(let name, let parts) = type {
      if name == "raw", parts.count == 2 {
        type = parts[1]
      } else if NamedLayout(name, parts.count) == .optional, case .array(let items) = value, items.count == 1 {
        (value, type) = (items[0], parts[0])
      } else {
        break
      }
    }
    return (value, type)
  }
}
