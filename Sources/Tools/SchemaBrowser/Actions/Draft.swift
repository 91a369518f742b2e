internal import JSONText
package import SchemaNames
package import Wire

/// An action that is being made: an entry of the catalogue with the element that it is for, or an edit of a shared
/// model.
package struct Draft: Equatable, Sendable {
  /// What is made.
  package enum Kind: Equatable, Sendable {
    /// An action, with the name of the element that it is for, such as `[3]`.
    case action(ActionEntry, element: String?)
    /// A new value of a part of a shared model, which had another one when its form was opened.
    case set(SharedPart, steps: [PartPath.Step], opening: CBORValue?)
    /// A new element of a collection of a shared model, or a pair of a dictionary.
    case insert(SharedPart, steps: [PartPath.Step], into: SchemaType)
    /// The removal of an element with an id or a key.
    case remove(SharedPart, steps: [PartPath.Step], id: CBORValue)
  }

  package let kind: Kind
  /// The title of its form.
  package let title: String
  /// The values that are asked for.
  package var fields: [FieldNode]

  /// A draft of an action of the catalogue.
  package init(_ entry: ActionEntry, element: String?, in schema: Schema) {
    let element = entry.collection == nil ? nil : element
    kind = .action(entry, element: element)
    title = entry.title + (element.map { " \($0)" } ?? "")
    fields = FieldNode.fields(entry.asked(withElement: element != nil), in: schema)
  }

  /// A draft of an edit.
  package init(_ kind: Kind, title: String, fields: [FieldNode] = []) {
    (self.kind, self.title, self.fields) = (kind, title, fields)
  }

  /// The lines of the form.
  package var lines: [FieldLine] { fields.enumerated().flatMap { $1.lines(at: [$0]) } }

  /// Changes the field at a place of a line.
  package mutating func change(at place: [Int], _ body: (inout FieldNode) -> Void) {
    guard let first = place.first, fields.indices.contains(first) else { return }
    fields[first].change(at: place.dropFirst()[...], body)
  }

  /// The action as its bytes are sent.
  ///
  /// - Throws: The first field with a mistake; its place is empty if the whole action has one.
  package func action(in schema: Schema) throws(FieldError) -> CBORValue {
    var values: [JSONValue] = []
    for (index, field) in fields.enumerated() { values.append(try field.json(at: [index], in: schema)) }
    do throws(SchemaValueError) {
      switch kind {
      case .action(let entry, let element): return try action(entry, element, values, schema)
      case .set(let part, let steps, let opening):
        let value = try SchemaJSON(schema).value(of: values[0], as: fields[0].type)
        guard let opening else { return try schema.action(changing: part, .set(value), at: steps) }
        let edits = schema.edits(from: opening, to: value, fields[0].type, at: steps)
        guard !edits.isEmpty else { throw SchemaValueError("", "nothing was changed") }
        return try schema.action(changing: part, edits)
      case .insert(let part, let steps, let type): return try insertion(values, part, steps, type, schema)
      case .remove(let part, let steps, let id): return try schema.action(changing: part, .remove([id]), at: steps)
      }
    } catch {
      throw FieldError(place: [], reason: "\(error)")
    }
  }

  private func action(
    _ entry: ActionEntry, _ element: String?, _ values: [JSONValue], _ schema: Schema
  ) throws(SchemaValueError) -> CBORValue {
    var (name, values) = (entry.name, values)
    switch entry.target {
    case .none: break
    case .brackets: name = name.replacing("[]", with: element ?? "[]")
    case .value(let index, let collection):
      guard let element, let type = schema.type(ofPart: collection) else { break }
      let id = try schema.id(named: String(element.dropFirst().dropLast()), ofElementsIn: type)
      values.insert(SchemaJSON(schema).json(of: id, as: entry.payload[index].type), at: index)
    }
    let path: [PathStep]
    do throws(SchemaNameError) { path = try schema.actionPath(named: name) } catch {
      throw SchemaValueError("", "\(error)")
    }
    return try schema.action(path, values)
  }

  private func insertion(
    _ values: [JSONValue], _ part: SharedPart, _ steps: [PartPath.Step], _ type: SchemaType, _ schema: Schema
  ) throws(SchemaValueError) -> CBORValue {
    let json = SchemaJSON(schema)
    let made = try values.enumerated().map { (item) throws(SchemaValueError) in
      try json.value(of: item.element, as: fields[item.offset].type)
    }
    guard case .named(let name, let parts) = FieldRank.unwrapped(type) else { preconditionFailure("a collection") }
    let verb: ChangeEdit.Verb =
      switch NamedLayout(name, parts.count) {
      case .set: .insertMembers(made)
      case .dictionary: .insertPairs([CBORValue.Pair(key: made[0], value: made[1])])
      case .array: .append(made)
      default: .insert(made[0], ChangeEdit.Place(.end))
      }
    return try schema.action(changing: part, verb, at: steps)
  }
}

extension Schema {
  /// The edits that turn a value into another one: those of the fields that differ, so that what others change meanwhile
  /// in the same struct stays.
  fileprivate func edits(
    from old: CBORValue, to new: CBORValue, _ type: SchemaType, at steps: [PartPath.Step]
  ) -> [(verb: ChangeEdit.Verb, steps: [PartPath.Step])] {
    guard old != new else { return [] }
    guard case .definition(let index) = type, case .fields(let fields) = definitions[index].content,
      case .map(let before) = old, case .map(let after) = new, before.map(\.key) == after.map(\.key)
    else { return [(.set(new), steps)] }
    var found: [(verb: ChangeEdit.Verb, steps: [PartPath.Step])] = []
    for (before, after) in zip(before, after) {
      guard let field = fields.first(where: { .unsigned($0.key) == after.key }) else { continue }
      found += edits(from: before.value, to: after.value, field.type, at: steps + [.part(.key(field.key))])
    }
    return found
  }

  /// The type of a part by its path, without the optionals around it; nil for an unknown path.
  func type(ofPart path: String) -> SchemaType? {
    (try? part(named: path)).map { FieldRank.unwrapped($0.type) }
  }
}
