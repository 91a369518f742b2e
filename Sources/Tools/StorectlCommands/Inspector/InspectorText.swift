internal import JSONText
internal import SchemaNames
internal import Wire

/// One-line texts of values for the inspector, at a cost that does not grow with the value.
nonisolated struct InspectorText {
  let values: SchemaValues
  private let plain: ValueText
  /// The limits on texts in bytes, and on bytes and sets in items. Longer values are cut.
  private static let (textLimit, itemLimit) = (300, 40)

  init(_ schema: Schema) {
    values = SchemaValues(schema)
    plain = ValueText(schema, Palette(isOn: false), width: nil)
  }

  /// Returns a value in one line of about `room` characters.
  func line(_ value: CBORValue, _ type: SchemaType, room: Int = 160) -> String {
    var text = ""
    write(value, type, room, isNested: false, &text)
    return text.count > room + 20 ? text.prefix(room) + "…" : text
  }

  private func write(_ value: CBORValue, _ type: SchemaType, _ room: Int, isNested: Bool, _ text: inout String) {
    // The members of a set have no names.
    if let count = values.elementCount(of: value, as: type), let parts = values.parts(of: value, as: type, in: 0..<8) {
      let areLeaves = parts.allSatisfy { values.parts(of: $0.value, as: $0.type, in: 0..<0) == nil }
      guard areLeaves, !isNested, count > 0 else {
        text += count == 1 ? "1 element" : "\(count) elements"
        return
      }
      text += "["
      write(parts, room, isKeyed: values.isKeyed(type), &text)
      text += count > parts.count ? ", … \(count) elements]" : "]"
      return
    }
    guard let parts = values.parts(of: value, as: type), !parts.isEmpty else {
      text += leaf(value, type)
      return
    }
    if isNested { text += "{" }
    write(parts, room, isKeyed: true, &text)
    if isNested { text += "}" }
  }

  private func write(_ parts: [SchemaValues.Part], _ room: Int, isKeyed: Bool, _ text: inout String) {
    for (index, part) in parts.enumerated() {
      if index > 0 { text += ", " }
      guard text.utf8.count < room else {
        text += "…"
        return
      }
      if isKeyed { text += part.name + (part.name.hasPrefix("[") ? " " : ": ") }
      write(part.value, part.type, room, isNested: true, &text)
    }
  }

  /// Returns a value that has no parts.
  func leaf(_ value: CBORValue, _ type: SchemaType) -> String {
    switch (value, type) {
    case (.array(let items), .named("Optional", let parts)) where items.count == 1: return leaf(items[0], parts[0])
    case (.text(let text), _) where text.utf8.count > Self.textLimit:
      return "\(JSONValue.string(String(text.prefix(Self.textLimit))))… \(text.utf8.count) bytes"
    case (.bytes(let bytes), _) where bytes.count > Self.itemLimit:
      return bytes.prefix(Self.itemLimit / 2).map { $0 }.hexadecimal + "… \(bytes.count) bytes"
    case (.array(let items), _) where items.count > Self.itemLimit: return "\(items.count) elements"
    case (.elements(let items), _) where items.count > Self.itemLimit: return "\(items.count) elements"
    case (.map(let pairs), _) where pairs.count > Self.itemLimit: return "\(pairs.count) elements"
    default: return plain.leaf(value, type)
    }
  }

  /// Returns the first `limit` changes and the number of all changes.
  func changes(from old: CBORValue, to new: CBORValue, as type: SchemaType, limit: Int = 200) -> JSONValue {
    let found = values.differences(from: old, to: new, as: type)
    let shown = found.prefix(limit).map { difference -> JSONValue in
      var members = [JSONValue.Member("path", .string(Self.trimmed(difference.path)))]
      var old = difference.old.map { line($0, difference.type, room: 400) }
      var new = difference.new.map { line($0, difference.type, room: 400) }
      if let before = difference.old, let after = difference.new, let one = old, let two = new,
        LookAlikes.areAlike(one, two)
      {
        (old, new) = LookAlikes.told(one, two, room: 400)
        if old == new { (old, new) = LookAlikes.told(before.encoded(), after.encoded()) }
      }
      if let old { members.append(.init("old", .string(old))) }
      if let new { members.append(.init("new", .string(new))) }
      if let place = difference.place {
        members.append(.init("place", .string(place.next.map { "before \($0)" } ?? "to the end")))
      }
      return JSONValue.object(members)
    }
    return ["count": .integer(found.count), "shown": .array(Array(shown))]
  }

  private static func trimmed(_ path: String) -> String { path.hasPrefix(".") ? String(path.dropFirst()) : path }
}
