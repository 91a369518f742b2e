internal import JSONParser
internal import JSONText
internal import SchemaNames
internal import Wire

/// The rows of the state's tree for a page: the parts of its open nodes. A collection is shown in windows.
final class InspectorTree {
  /// A place in a state: the names of the parts on its path.
  typealias Place = [String]

  /// An open node; for a collection, the window begins at an index.
  struct Window: Equatable {
    var place: Place
    var first = 0
  }

  /// The number of elements in a window.
  static let windowSize = 100
  /// The maximum number of open nodes of a page.
  static let nodeLimit = 300
  /// The last known indices of elements, which seldom change.
  private var hints: [Place: Int] = [:]

  /// Returns the part at a place; nil if it does not exist.
  /// - Complexity: O(parts) for each step; O(1) for an element of a collection that has not moved.
  func part(at place: Place, of value: CBORValue, _ type: SchemaType, _ values: SchemaValues) -> SchemaValues.Part? {
    var found = SchemaValues.Part(name: "", type: type, value: value)
    for depth in place.indices {
      guard let next = step(place[...depth], in: found, values) else { return nil }
      found = next
    }
    return found
  }

  private func step(
    _ place: ArraySlice<String>, in whole: SchemaValues.Part, _ values: SchemaValues
  ) -> SchemaValues.Part? {
    guard let name = place.last else { return whole }
    guard let count = values.elementCount(of: whole.value, as: whole.type) else {
      return values.parts(of: whole.value, as: whole.type)?.first { $0.name == name }
    }
    let key = Array(place)
    func element(_ index: Int) -> SchemaValues.Part? {
      values.parts(of: whole.value, as: whole.type, in: index..<index + 1)?.first.flatMap { $0.name == name ? $0 : nil }
    }
    // In plain arrays the name is the index. Elsewhere it is a good guess.
    for guess in [hints[key], Int(name.dropFirst().dropLast())] {
      if let guess, 0..<count ~= guess, let found = element(guess) { return found }
    }
    guard let index = Self.index(of: name, in: whole, count, values) else { return nil }
    if hints.count > 4096 { hints = [:] }
    hints[key] = index
    return element(index)
  }

  /// Returns the index of an element by its name.
  private static func index(of name: String, in whole: SchemaValues.Part, _ count: Int, _ values: SchemaValues) -> Int?
  {
    for first in stride(from: 0, to: count, by: 1024) {
      let parts = values.parts(of: whole.value, as: whole.type, in: first..<first + 1024) ?? []
      if let index = parts.firstIndex(where: { $0.name == name }) { return first + index }
    }
    return nil
  }

  /// Returns the node of a window as JSON; null for one that does not exist.
  ///
  /// - Parameter more: The names of further rows, each of which opens.
  func node(
    _ window: Window, of value: CBORValue, _ type: SchemaType, _ schema: Schema, more: [String] = []
  ) -> JSONValue {
    let text = InspectorText(schema)
    guard let part = part(at: window.place, of: value, type, text.values) else { return .null }
    return node(part, from: window.first, text, more)
  }

  private func node(
    _ part: SchemaValues.Part, from first: Int, _ text: InspectorText, _ more: [String]
  ) -> JSONValue {
    let count = text.values.elementCount(of: part.value, as: part.type)
    // The last window, if the collection has shrunk.
    let first = count.map { min(max(first, 0), max(($0 - 1) / Self.windowSize * Self.windowSize, 0)) } ?? 0
    let parts = text.values.parts(of: part.value, as: part.type, in: first..<first + Self.windowSize) ?? []
    return [
      "first": .integer(first), "count": .integer(count ?? parts.count), "isList": .bool(count != nil),
      "rows": .array(
        parts.map { row($0, text) }
          + more.map { ["name": .string($0), "type": "", "text": "", "opens": .bool(true)] }),
    ]
  }

  private func row(_ part: SchemaValues.Part, _ text: InspectorText) -> JSONValue {
    let parts = text.values.parts(of: part.value, as: part.type, in: 0..<1)
    return [
      "name": .string(part.name), "type": .string(SchemaText.name(of: part.type, in: text.values.schema)),
      "text": .string(text.line(part.value, part.type)), "opens": .bool(parts?.isEmpty == false),
    ]
  }

  /// Parses the windows in a request, `[[place, first], …]`; nil if the text is malformed.
  static func windows(_ text: String) -> [Window]? {
    guard case .array(let items)? = try? JSONValue(parsing: text) else { return nil }
    var windows: [Window] = []
    for item in items {
      guard case .array(let pair) = item, pair.count == 2, let place = place(pair[0]),
        case .number(let digits) = pair[1], let first = Int(digits)
      else { return nil }
      windows.append(Window(place: place, first: first))
    }
    return windows
  }

  /// Parses a place; nil if the JSON is malformed.
  static func place(_ json: JSONValue?) -> Place? {
    guard case .array(let items)? = json else { return nil }
    let names = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
    return names.count == items.count ? names : nil
  }

  /// Resolves a path that a user typed, and returns the windows to open on the way to its part.
  ///
  /// Unlike a path for storectl, it may also lead into plain arrays and dictionaries.
  func locate(_ path: String, in value: CBORValue, _ type: SchemaType, _ values: SchemaValues) -> [Window]? {
    var (rest, place) = (path[...], Place())
    var (windows, whole) = ([Window](), SchemaValues.Part(name: "", type: type, value: value))
    if rest == "." { rest = "" }
    while !rest.isEmpty {
      if rest.hasPrefix("."), !place.isEmpty { rest = rest.dropFirst() }
      if rest.hasPrefix("?") {
        rest = rest.dropFirst()
        continue
      }
      var found: (name: String, index: Int)?
      if let count = values.elementCount(of: whole.value, as: whole.type) {
        // A text within brackets may contain a closing bracket.
        var end = rest.startIndex
        while found == nil, let next = rest[end...].firstIndex(of: "]") {
          end = rest.index(after: next)
          let name = String(rest[..<end])
          found = Self.index(of: name, in: whole, count, values).map { (name, $0) }
        }
      } else {
        let parts = values.parts(of: whole.value, as: whole.type) ?? []
        let fitting = parts.filter { part in
          guard rest.hasPrefix(part.name) else { return false }
          let next = rest.dropFirst(part.name.count).first
          return next == nil || next == "." || next == "[" || next == "?"
        }
        found = fitting.max { $0.name.count < $1.name.count }.map { ($0.name, 0) }
      }
      guard let found else { return nil }
      windows.append(Window(place: place, first: found.index / Self.windowSize * Self.windowSize))
      place.append(found.name)
      rest = rest.dropFirst(found.name.count)
      guard let next = part(at: place, of: value, type, values) else { return nil }
      whole = next
    }
    windows.append(Window(place: place))
    return windows
  }
}
