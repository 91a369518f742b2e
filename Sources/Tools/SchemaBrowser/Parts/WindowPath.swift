/// The path of a window of a collection in users' notation, such as `todos.todos[0..<256]`.
struct WindowPath: Hashable {
  /// The path of the collection.
  let collection: String
  /// The positions of the window's elements, of which the collection may have fewer.
  let positions: Range<Int>

  init(_ collection: String, _ positions: Range<Int>) { (self.collection, self.positions) = (collection, positions) }

  /// Reads a path; nil for that of another part.
  init?(_ path: String) {
    guard path.hasSuffix("]"), let bracket = path.lastIndex(of: "[") else { return nil }
    let text = path[path.index(after: bracket)...].dropLast()
    guard let separator = text.firstRange(of: "..<"), let start = Int(text[..<separator.lowerBound]),
      let end = Int(text[separator.upperBound...]), 0 <= start, start < end
    else { return nil }
    self.init(String(path[..<bracket]), start..<end)
  }

  var text: String { "\(collection)[\(positions.lowerBound)..<\(positions.upperBound)]" }
}
