internal import JSONText
internal import Spelling
internal import Wire

// A change of a shared model is an array of its edits. Each edit has the path of the edited part in the changed one, which
// may be missing for the latter itself, and one verb:
//
//     {"at": "[3].title", "set": "x"}                      a new value of any part
//     {"at": "votes", "add": 2}                            a counter
//     {"at": "words", "append": ["x"]}                     an array
//     {"at": "tags", "remove": ["a"]}                      the members of a set, the keys of a dictionary, the ids of elements
//     {"at": "tags", "insert": ["b"]}                      members of a set
//     {"at": "ages", "insert": {"ann": 30}}                pairs of a dictionary
//     {"at": "items", "insert": {"id": 4}, "after": 3}     an element with an id
//     {"at": "items", "move": 5, "to": "start"}            an element by its id
//
// The place of an element is after another one or at the "start" or the "end"; "offset" counts if the other one is gone.

extension SchemaJSON {
  private static let verbs = ["set", "add", "append", "remove", "insert", "move"]

  // MARK: To JSON

  /// A change as JSON; nil for a change that has no edits from which it could be made again.
  func change(_ value: CBORValue, _ type: SchemaType) -> JSONValue? {
    guard let edits = SchemaValues(schema).edits(of: value, as: type) else { return nil }
    let json = JSONValue.array(edits.map(self.json))
    guard let made = try? change(json, type), made.encoded() == value.encoded() else { return nil }
    return json
  }

  private func json(_ edit: ChangeEdit) -> JSONValue {
    var members = edit.path.isEmpty ? [] : [JSONValue.Member("at", .string(edit.path))]
    func list(_ name: String, _ items: [CBORValue], _ type: SchemaType) {
      members.append(.init(name, .array(items.map { json(of: $0, as: type) })))
    }
    switch edit.verb {
    case .set(let value): members.append(.init("set", json(of: value, as: edit.type)))
    case .add(let amount): members.append(.init("add", json(of: amount, as: .named("Int128"))))
    case .append(let elements): list("append", elements, edit.itemType)
    case .remove(let items): list("remove", items, edit.keyType)
    case .insertMembers(let items): list("insert", items, edit.keyType)
    case .insertPairs(let pairs): members.append(.init("insert", json(of: .map(pairs), as: edit.type)))
    case .insert(let element, let place):
      members.append(.init("insert", json(ofElement: element, edit)))
      members += self.members(place, edit)
    case .move(let id, let place):
      members.append(.init("move", json(of: id, as: edit.keyType)))
      members += self.members(place, edit)
    }
    return .object(members)
  }

  private func json(ofElement element: CBORValue, _ edit: ChangeEdit) -> JSONValue {
    // A stack's elements have a form only in the stack.
    guard case .array(let items) = json(of: .array([element]), as: edit.type), items.count == 1 else {
      return json(of: element, as: edit.itemType)
    }
    return items[0]
  }

  private func members(_ place: ChangeEdit.Place, _ edit: ChangeEdit) -> [JSONValue.Member] {
    let anchor: JSONValue.Member =
      switch place.anchor {
      case .start: .init("to", "start")
      case .end: .init("to", "end")
      case .after(let id): .init("after", json(of: id, as: edit.keyType))
      }
    return [anchor] + (place.offset.map { [.init("offset", json(of: .unsigned($0), as: .named("UInt64")))] } ?? [])
  }

  // MARK: From JSON

  /// Reads a change of a value of a type.
  func change(_ json: JSONValue, _ type: SchemaType) throws(SchemaValueError) -> CBORValue {
    var change: CBORValue
    if let encoded = Self.encoded(json) {
      change = encoded
    } else {
      guard case .array(let items) = json else {
        throw SchemaValueError("", "expected the edits of a change, as in [{\"set\": …}], not \(json.kind)")
      }
      var tree = ChangeTree(schema, type)
      for (index, item) in items.enumerated() {
        do throws(SchemaValueError) {
          let (edit, steps) = try edit(item, type)
          try tree.add(edit.verb, at: steps[...])
        } catch {
          throw error.inside("[\(index)]")
        }
      }
      change = try tree.value()
    }
    let bytes = change.encoded()
    do throws(WireError) {
      try schema.check(bytes, .named("Change", [type]))
      return try unsafe CBORValue(decoding: bytes.span.bytes)
    } catch {
      throw SchemaValueError("", "this is no change of a \(schema.name(of: type)): \(error.problem)")
    }
  }

  private func edit(
    _ json: JSONValue, _ type: SchemaType
  ) throws(SchemaValueError) -> (edit: ChangeEdit, steps: [PartPath.Step]) {
    guard case .object(let members) = json else {
      throw SchemaValueError("", "expected an edit, as in {\"at\": \"[3].title\", \"set\": …}, not \(json.kind)")
    }
    let known = ["at", "to", "after", "offset"] + Self.verbs
    if let other = members.first(where: { !known.contains($0.name) }) {
      throw SchemaValueError(
        "", "an edit has no '\(other.name)'", suggestions: Spelling.nearest(to: other.name, among: known))
    }
    let verbs = members.filter { Self.verbs.contains($0.name) }
    guard let verb = verbs.first, verbs.count == 1 else {
      throw SchemaValueError("", "an edit has one of \(Self.verbs.joined(separator: ", "))")
    }
    var path = ""
    if let given = json["at"] {
      guard case .string(let text) = given else { throw SchemaValueError("at", "expected a path, not \(given.kind)") }
      path = text
    }
    let place: SchemaPlace
    let steps: [PartPath.Step]
    do throws(SchemaNameError) {
      (place, steps) = try schema.steps(from: type, named: path)
    } catch {
      throw SchemaValueError("at", error.reason, suggestions: error.suggestions)
    }
    let edit = ChangeEdit(
      path, place.type,
      try inside(verb.name) { () throws(SchemaValueError) in
        try self.verb(verb.name, verb.value, json, place)
      })
    let hasPlace =
      switch edit.verb {
      case .insert, .move: true
      default: false
      }
    if !hasPlace, let name = ["to", "after", "offset"].first(where: { json[$0] != nil }) {
      throw SchemaValueError(name, "only an element with an id that is inserted or moved has a place")
    }
    return (edit, steps)
  }

  private func inside<Value>(
    _ part: String, _ body: () throws(SchemaValueError) -> Value
  ) throws(SchemaValueError) -> Value {
    do throws(SchemaValueError) { return try body() } catch { throw error.inside(part) }
  }

  /// Reads the value of a verb.
  private func verb(
    _ name: String, _ value: JSONValue, _ edit: JSONValue, _ place: SchemaPlace
  ) throws(SchemaValueError) -> ChangeEdit.Verb {
    let type = place.type
    func items(_ type: SchemaType) throws(SchemaValueError) -> [CBORValue] {
      guard case .array(let items) = try self.value(of: value, as: .named("Array", [type])) else { return [] }
      return items
    }
    let target = ChangeEdit("", type, .append([]))
    switch (name, place.layout) {
    case ("set", _): return .set(try self.value(of: value, as: type))
    case ("add", _) where type == .counter: return .add(try self.value(of: value, as: .named("Int128")))
    case ("append", .array): return .append(try items(target.itemType))
    case ("remove", .set), ("remove", .dictionary), ("remove", .identified), ("remove", .stack):
      return .remove(try items(target.keyType))
    case ("insert", .set): return .insertMembers(try items(target.keyType))
    case ("insert", .dictionary):
      guard case .map(let pairs) = try self.value(of: value, as: type) else { return .insertPairs([]) }
      return .insertPairs(pairs)
    case ("insert", .identified), ("insert", .stack):
      guard case .array(let elements) = try self.value(of: .array([value]), as: type), elements.count == 1 else {
        break
      }
      return .insert(elements[0], try self.place(edit, target))
    case ("move", .identified), ("move", .stack):
      return .move(try self.value(of: value, as: target.keyType), try self.place(edit, target))
    default: break
    }
    throw SchemaValueError(
      "", "\(place.description) cannot be edited so; it takes \(place.verbs.joined(separator: ", "))")
  }

  private func place(_ edit: JSONValue, _ target: ChangeEdit) throws(SchemaValueError) -> ChangeEdit.Place {
    var place: ChangeEdit.Place
    switch (edit["to"], edit["after"]) {
    case (nil, let id?):
      place = .init(
        .after(
          try inside("after") { () throws(SchemaValueError) in
            try value(of: id, as: target.keyType)
          }))
    case ("start", nil): place = .init(.start)
    case ("end", nil), (nil, nil): place = .init(.end)
    default: throw SchemaValueError("to", "expected \"start\" or \"end\", without \"after\"")
    }
    if let offset = edit["offset"] {
      guard case .unsigned(let number) = try value(of: offset, as: .named("UInt64")) else { return place }
      place.offset = number
    }
    return place
  }
}

extension Schema {
  /// The place at the end of a path in users' notation from a value of a type, and all its steps.
  func steps(
    from type: SchemaType, named text: String
  ) throws(SchemaNameError) -> (place: SchemaPlace, steps: [PartPath.Step]) {
    var walk = NameWalk(self, from: type, text)
    for token in try NameScanner.tokens(of: text) { try walk.take(token) }
    let steps = try walk.end().map { PartPath.Step.part($0) } + walk.rest
    return (walk.place, steps)
  }
}

extension SchemaPlace {
  /// The verbs of edits of this place.
  fileprivate var verbs: [String] {
    switch layout {
    case .array: ["set", "append"]
    case .set, .dictionary: ["set", "insert", "remove"]
    case .identified, .stack: ["set", "insert", "remove", "move"]
    default: type == .counter ? ["set", "add"] : ["set"]
    }
  }
}

extension ChangeEdit {
  private var parts: [SchemaType] { if case .named(_, let parts) = type { parts } else { [] } }

  /// The type of the elements of an array, or of those with ids.
  var itemType: SchemaType { parts.last ?? type }

  /// The type of the members of a set, the keys of a dictionary, or the ids of elements.
  var keyType: SchemaType {
    guard case .named(let name, let parts) = type else { return type }
    return NamedLayout(name, parts.count) == .stack ? .named("StackElementID") : parts.first ?? type
  }
}
