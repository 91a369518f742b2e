package import SchemaNames
package import Wire

/// A row of a page: an element of a table, or a part of a form with its name and its value.
package struct PageRow: Equatable, Sendable, Identifiable {
  /// The part's name in a path, such as `[3]` or `title`.
  package let name: String
  /// The texts of its columns.
  package let cells: [Cell]
  /// True if it opens as a page of its own.
  package var opens = false

  package var id: String { name }

  /// One column of a row.
  package struct Cell: Equatable, Sendable {
    package let text: String
    /// True if there is no value.
    package let isAbsent: Bool

    package init(_ text: String, isAbsent: Bool = false) { (self.text, self.isAbsent) = (text, isAbsent) }
  }

  /// Creates the row of an element.
  package init(_ element: SchemaValues.Part, _ columns: [PageColumn], _ readable: ReadableValue) {
    name = element.name
    cells = columns.map { column in
      if column.content == .key { return Cell(Self.key(element.name)) }
      guard let value = column.part(of: element) else { return Cell("–", isAbsent: true) }
      let type = column.content == .whole ? element.type : column.type
      return Cell(readable.text(value, type), isAbsent: readable.isAbsent(value, type))
    }
    opens = true
  }

  /// Creates the row of a part of a struct.
  package init(_ part: SchemaValues.Part, _ readable: ReadableValue) {
    name = part.name
    cells = [
      Cell(Self.title(part.name)),
      Cell(readable.text(part.value, part.type), isAbsent: readable.isAbsent(part.value, part.type)),
    ]
    opens = Self.opens(part.value, part.type, readable.values)
  }

  /// Creates a row of texts.
  package init(_ name: String, _ texts: [String], opens: Bool = false) {
    self.name = name
    cells = texts.map { Cell(ReadableValue.safe($0), isAbsent: $0 == "–") }
    self.opens = opens
  }

  /// The row of a part that is received only when it is opened.
  static func ofOwnScreen(_ name: String) -> PageRow {
    PageRow(name, [Wording.title(name), "opens its own screen"], opens: true)
  }

  /// True for a value with parts.
  static func opens(_ value: CBORValue, _ type: SchemaType, _ values: SchemaValues) -> Bool {
    if let count = values.elementCount(of: value, as: type) { return count > 0 }
    return values.parts(of: value, as: type)?.isEmpty == false
  }

  /// The title of a part: the words of its name.
  static func title(_ name: String) -> String {
    name.hasPrefix("[")
      ? key(name) : name.split(separator: ".").map { Wording.title(String($0)) }.joined(separator: ": ")
  }

  /// An element's name without brackets and quotation marks.
  static func key(_ name: String) -> String {
    var text = Substring(name)
    if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
    return ReadableValue.safe(String(text))
  }
}
