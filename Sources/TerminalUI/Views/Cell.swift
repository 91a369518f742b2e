/// The content of one column in one row.
public struct Cell: Equatable {
  /// The text.
  public var text: String
  /// The style, in addition to that of the row.
  public var style: Style

  /// Creates a cell.
  public init(_ text: String, color: Style.Color = .standard, bold: Bool = false, dim: Bool = false) {
    (self.text, style) = (text, Style(color, bold: bold, dim: dim))
  }

  /// Creates a cell with a style.
  public init(_ text: String, style: Style) { (self.text, self.style) = (text, style) }

  /// A duration in its two largest units, such as `3 h 12 min`.
  public init(_ duration: Duration, color: Style.Color = .standard) {
    self.init(duration.inLargestUnits, color: color)
  }
}

extension Duration {
  /// The duration in its two largest units, such as `3 h 12 min`.
  public nonisolated var inLargestUnits: String {
    // A 128-bit number of attoseconds holds more seconds than `components` can.
    let components = min(max(self, .seconds(Int64.min)), .seconds(Int64.max)).components
    let text = Self.inLargestUnits(components.seconds.magnitude, components.attoseconds.magnitude)
    return self < .zero && text != "0 s" ? "-\(text)" : text
  }

  private nonisolated static func inLargestUnits(_ seconds: UInt64, _ attoseconds: UInt64) -> String {
    let units: [(UInt64, String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    if seconds == 0 {
      let milliseconds = attoseconds / 1_000_000_000_000_000
      return milliseconds == 0 ? "0 s" : "\(milliseconds) ms"
    }
    guard let first = units.firstIndex(where: { seconds >= $0.0 }) else { return "0 s" }
    let (size, name) = units[first]
    guard first + 1 < units.count else { return "\(seconds) \(name)" }
    let rest = seconds % size / units[first + 1].0
    return rest == 0 ? "\(seconds / size) \(name)" : "\(seconds / size) \(name) \(rest) \(units[first + 1].1)"
  }
}

/// A column of a table.
public struct TableColumn<Row> {
  /// The width of a column.
  public enum Width: Equatable, Sendable {
    /// As wide as the widest content seen so far, and narrower where there is no room.
    case content
    /// A number of columns.
    case fixed(Int)
    /// What other columns leave, but no less than a number of columns.
    case flexible(minimum: Int)
  }

  /// The order of the rows, which a mark beside the title shows; the source sorts them.
  public enum Order: Sendable {
    /// The smallest first.
    case ascending
    /// The greatest first.
    case descending
  }

  let title: String
  let width: Width
  let alignment: Text.Alignment
  let order: Order?
  let sort: (() -> Void)?
  var isSearched = true
  /// The columns of the table below which this one is hidden.
  var minimumColumns = 0
  var pressed: ((Row) -> Void)?
  let cell: (Row) -> Cell
  /// True if the column is never left out of a table that is too narrow.
  var isEssential = false

  /// Keeps the column in a table that is too narrow for all (see ``Table/leavingOutColumns(scrolled:)``).
  public func essential(_ isEssential: Bool = true) -> TableColumn {
    var column = self
    column.isEssential = isEssential
    return column
  }

  /// Creates a column of texts.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - width: The width.
  ///   - alignment: The place of the texts in a wider column.
  ///   - order: The order of the rows by this column, for its mark.
  ///   - sort: Called when the title is clicked.
  ///   - text: Returns the text of a row.
  public init(
    _ title: String, width: Width = .content, alignment: Text.Alignment = .leading, order: Order? = nil,
    sort: (() -> Void)? = nil, text: @escaping (Row) -> String
  ) {
    self.init(title, width: width, alignment: alignment, order: order, sort: sort, cell: { Cell(text($0)) })
  }

  /// Creates a column of cells.
  public init(
    _ title: String, width: Width = .content, alignment: Text.Alignment = .leading, order: Order? = nil,
    sort: (() -> Void)? = nil, cell: @escaping (Row) -> Cell
  ) {
    (self.title, self.width, self.alignment, self.order) = (title, width, alignment, order)
    (self.sort, self.cell) = (sort, cell)
  }

  /// Leaves the column out of searches, for signs that are no text.
  public func unsearched() -> TableColumn {
    var column = self
    column.isSearched = false
    return column
  }

  /// Shows the column only in tables with at least so many columns of text; in others, it leaves them to the rest.
  public func visible(fromColumns columns: Int) -> TableColumn {
    var column = self
    column.minimumColumns = columns
    return column
  }

  /// Calls an action with the row when it is clicked in this column.
  public func onClick(perform action: @escaping (Row) -> Void) -> TableColumn {
    var column = self
    column.pressed = action
    return column
  }
}

/// Builds the columns of a table.
@resultBuilder
public enum TableColumnBuilder<Row> {
  /// A column.
  public static func buildExpression(_ column: TableColumn<Row>) -> [TableColumn<Row>] { [column] }
  /// Several columns.
  public static func buildExpression(_ columns: [TableColumn<Row>]) -> [TableColumn<Row>] { columns }
  /// The columns of a block.
  public static func buildBlock(_ columns: [TableColumn<Row>]...) -> [TableColumn<Row>] { columns.flatMap { $0 } }
  /// Columns that may be absent.
  public static func buildOptional(_ columns: [TableColumn<Row>]?) -> [TableColumn<Row>] { columns ?? [] }
  /// The first branch.
  public static func buildEither(first columns: [TableColumn<Row>]) -> [TableColumn<Row>] { columns }
  /// The second branch.
  public static func buildEither(second columns: [TableColumn<Row>]) -> [TableColumn<Row>] { columns }
  /// A loop.
  public static func buildArray(_ columns: [[TableColumn<Row>]]) -> [TableColumn<Row>] { columns.flatMap { $0 } }
}
