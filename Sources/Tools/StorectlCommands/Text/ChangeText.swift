internal import JSONText
internal import SchemaNames
internal import Terminal
internal import Wire

/// Differences of values as lines for people and as JSON.
nonisolated struct ChangeText {
  let schema: Schema
  let palette: Palette
  /// The columns of a line; nil if unknown.
  let width: Int?
  /// The path of the part whose differences these are.
  private let path: String

  init(_ schema: Schema, _ palette: Palette, width: Int?, path: String = "") {
    // A point at the end has no meaning.
    (self.schema, self.palette, self.width) = (schema, palette, width)
    self.path = path.hasSuffix(".") ? String(path.dropLast()) : path
  }

  private func whole(_ path: String) -> String {
    let whole = self.path + path
    return whole.hasPrefix(".") ? String(whole.dropFirst()) : whole
  }

  /// Returns a difference as JSON: its `path`, the `old` and the `new` value.
  ///
  /// An element that was inserted before others, and one that was `moved`, has the path of the next element that was there
  /// and has not moved: `before`, which is null at the end.
  func json(_ difference: SchemaValues.Difference) -> JSONValue {
    let json = { (value: CBORValue) in SchemaJSON(self.schema).json(of: value, as: difference.type) }
    var members = [JSONValue.Member("path", .string(whole(difference.path)))]
    if let old = difference.old { members.append(.init("old", json(old))) }
    if let new = difference.new { members.append(.init("new", json(new))) }
    if difference.isMove { members.append(.init("moved", .bool(true))) }
    if let place = difference.place {
      members.append(.init("before", place.next.map { .string(whole(place.collection + $0)) } ?? .null))
    }
    return .object(members)
  }

  /// Returns the lines of differences: moves of one collection after each other are in one line.
  func text(_ differences: [SchemaValues.Difference]) -> [String] {
    var (lines, index): ([String], Int) = ([], 0)
    let names = LookAlikes.distinct(differences.map { whole($0.path) })
    while index < differences.count {
      guard let collection = differences[index].movedFrom else {
        lines += text(differences[index], name: ValueText.safe(names[index]))
        index += 1
        continue
      }
      let end = differences[index...].firstIndex { $0.movedFrom != collection } ?? differences.endIndex
      let moves = moves(differences[index..<end].compactMap(\.place))
      lines.append("  \(palette.name(ValueText.safe(whole(collection)))): \(ValueText.safe(moves))")
      index = end
    }
    return lines
  }

  /// Returns moves in words, in which elements that follow each other share a target.
  private func moves(_ places: [SchemaValues.Place]) -> String {
    var (texts, elements): ([String], [String]) = ([], [])
    for (index, place) in places.enumerated() {
      elements.append(place.element)
      if index + 1 < places.count, places[index + 1].next == place.next { continue }
      texts.append(elements.joined(separator: " ") + (place.next.map { " before \($0)" } ?? " to the end"))
      elements = []
    }
    return "moved " + texts.joined(separator: ", ")
  }

  private func text(_ difference: SchemaValues.Difference, name: String) -> [String] {
    let width = width ?? 100
    let text = ValueText(schema, palette, width: nil)
    let room = max(width - name.count - 6, 30)
    func inline(_ value: CBORValue) -> String {
      if let short = text.inline(value, difference.type, room: room) { return short }
      // Writing a whole state for its first columns would take longer than everything else.
      let byteCount = value.encoded().count
      guard byteCount <= 1 << 16 else { return "a value of \(byteCount) bytes" }
      return TextWidth.fit("\(SchemaJSON(schema).json(of: value, as: difference.type))", columns: room)
    }
    func whole(_ value: CBORValue, after head: String) -> [String] {
      let isShort = text.inline(value, difference.type, room: room) != nil
      // A value of more bytes would push the other changes from the screen.
      guard !isShort, value.encoded().count <= 4096 else { return ["\(head) \(inline(value))"] }
      return [head] + text.lines(value, difference.type).map { "    \($0)" }
    }
    switch (difference.old, difference.new) {
    case (let old?, let new?):
      var (before, after) = (inline(old), inline(new))
      if LookAlikes.areAlike(before, after) {
        let json = SchemaJSON(schema)
        (before, after) = LookAlikes.told(
          "\(json.json(of: old, as: difference.type))", "\(json.json(of: new, as: difference.type))", room: room)
        if before == after { (before, after) = LookAlikes.told(old.encoded(), new.encoded()) }
      }
      return ["  \(palette.name(name)): \(before) \(palette.faint("→")) \(after)"]
    case (nil, let new?):
      let place = difference.place?.next.map { " before \(ValueText.safe($0))" } ?? ""
      return whole(new, after: palette.good("+") + " \(palette.name(name))\(place):")
    case (let old?, nil): return whole(old, after: palette.bad("-") + " \(palette.name(name)):")
    case (nil, nil): return []
    }
  }
}

nonisolated extension SchemaValues.Difference {
  /// The collection in which an element has moved; nil for a difference that is not a move.
  fileprivate var movedFrom: String? { isMove ? place?.collection : nil }
}
