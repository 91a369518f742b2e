internal import JSONParser
internal import JSONText
internal import SchemaNames
package import Wire

/// A typed value that a user enters: a line, a choice, or a group of such values.
package struct FieldNode: Equatable, Sendable {
  /// The name as people read it; empty for the only value of an action.
  package let label: String
  package let type: SchemaType
  package var content: Content

  package indirect enum Content: Equatable, Sendable {
    /// Text or digits.
    case line(String)
    /// Any value as JSON.
    case json(String)
    case toggle(Bool)
    /// One of the cases, with the values of the chosen one.
    case choice(names: [String], chosen: Int, values: [FieldNode])
    /// A value that may be left out: an optional, or a field with a default.
    case optional(isOn: Bool, isDefault: Bool, FieldNode)
    /// The fields of a struct.
    case fields(names: [String], [FieldNode])
  }

  /// The depth at which values are entered as JSON.
  private static let depthLimit = 5
  /// The maximum number of fields inside a field; structs beyond it are entered as JSON.
  package static let countLimit = 500

  /// Creates an empty field.
  package init(_ label: String, _ type: SchemaType, in schema: Schema) {
    var budget = Self.countLimit
    self.init(label, type, schema, depth: 0, &budget)
  }

  private init(_ label: String, _ type: SchemaType, _ schema: Schema, depth: Int, _ budget: inout Int) {
    (self.label, self.type) = (label, type)
    content = Self.content(type, schema, depth, &budget)
  }

  private init(_ label: String, _ type: SchemaType, _ content: Content) {
    (self.label, self.type, self.content) = (label, type, content)
  }

  /// - Parameter budget: The number of fields that may still be made.
  private static func content(
    _ type: SchemaType, _ schema: Schema, _ depth: Int, _ budget: inout Int
  ) -> Content {
    guard depth < depthLimit else { return .json("") }
    switch type {
    case .definition(let index):
      switch schema.definitions[index].content {
      case .fields(let fields):
        guard fields.count <= budget else { return .json("") }
        budget -= fields.count
        let nodes = fields.map { field in
          let inner = FieldNode(Wording.title(field.name), field.type, schema, depth: depth + 1, &budget)
          if case .optional = inner.content { return inner }
          guard field.hasDefault else { return inner }
          return FieldNode(inner.label, field.type, .optional(isOn: false, isDefault: true, inner))
        }
        return .fields(names: fields.map(\.name), nodes)
      case .cases(let cases):
        guard let first = cases.first, first.payload.count <= budget else { return .json("") }
        budget -= first.payload.count
        return .choice(names: cases.map(\.name), chosen: 0, values: values(of: first.payload, schema, depth, &budget))
      }
    case .named("Bool", _): return .toggle(false)
    case .named("raw", let parts) where parts.count == 2: return content(parts[1], schema, depth, &budget)
    case .named(let name, let parts):
      switch NamedLayout(name, parts.count) {
      case .optional:
        return .optional(isOn: false, isDefault: false, FieldNode("", parts[0], schema, depth: depth + 1, &budget))
      case nil: return name == "opaque" ? .json("") : .line("")
      default: return .json("")
      }
    }
  }

  private static func values(
    of payload: [Schema.Payload], _ schema: Schema, _ depth: Int, _ budget: inout Int
  ) -> [FieldNode] {
    payload.enumerated().map { index, value in
      let label = value.label.isEmpty ? (payload.count > 1 ? "Value \(index + 1)" : "") : Wording.title(value.label)
      return FieldNode(label, value.type, schema, depth: depth + 1, &budget)
    }
  }

  /// The fields for the values of an action.
  package static func fields(_ payload: [Schema.Payload], in schema: Schema) -> [FieldNode] {
    var budget = countLimit
    return values(of: payload, schema, -1, &budget)
  }
}

// MARK: - Lines

/// A line of a form: a part of a field that is entered by itself.
package struct FieldLine: Equatable, Sendable {
  /// The indices that lead from the fields to the part.
  package let place: [Int]
  package let label: String
  /// The depth, for the indentation.
  package let depth: Int
  package let content: FieldNode.Content
  package let type: SchemaType

  /// The text of a value that is written; nil for one that is chosen.
  package var entry: String? {
    switch content {
    case .line(let text), .json(let text): return text
    case .optional(let isOn, _, let inner):
      guard case .line(let text) = inner.content else { return nil }
      return isOn ? text : ""
    case .toggle, .choice, .fields: return nil
    }
  }

  /// What an empty line means: the type of the value that is needed, or that there is none.
  package func placeholder(in schema: Schema) -> String {
    switch content {
    case .optional(_, let isDefault, _): isDefault ? "default" : "none"
    case .json: "\(schema.name(of: type)) as JSON"
    default: schema.name(of: type)
    }
  }
}

extension FieldNode {
  /// The lines of the field and of those in it, from the top.
  package func lines(at place: [Int], depth: Int = 0, label: String? = nil) -> [FieldLine] {
    let label = label ?? self.label
    let own = FieldLine(place: place, label: label, depth: depth, content: content, type: type)
    switch content {
    case .line, .json, .toggle: return [own]
    case .choice(_, _, let values):
      return [own] + values.enumerated().flatMap { $1.lines(at: place + [$0], depth: depth + 1) }
    case .optional(let isOn, _, let inner):
      if case .line = inner.content { return [own] }
      return [own] + (isOn ? inner.lines(at: place + [0], depth: depth + 1, label: "") : [])
    case .fields(_, let nodes):
      let isBare = label.isEmpty
      return (isBare ? [] : [own])
        + nodes.enumerated().flatMap { $1.lines(at: place + [$0], depth: isBare ? depth : depth + 1) }
    }
  }

  /// Changes the node at a place.
  package mutating func change(at place: ArraySlice<Int>, _ body: (inout FieldNode) -> Void) {
    guard let index = place.first else { return body(&self) }
    let rest = place.dropFirst()
    switch content {
    case .choice(let names, let chosen, var values) where values.indices.contains(index):
      values[index].change(at: rest, body)
      content = .choice(names: names, chosen: chosen, values: values)
    case .optional(let isOn, let isDefault, var inner):
      inner.change(at: rest, body)
      content = .optional(isOn: isOn, isDefault: isDefault, inner)
    case .fields(let names, var nodes) where nodes.indices.contains(index):
      nodes[index].change(at: rest, body)
      content = .fields(names: names, nodes)
    default: break
    }
  }

  /// Chooses the next or a previous case, switches a toggle, or begins or ends an optional value.
  package mutating func step(by offset: Int, in schema: Schema) {
    switch content {
    case .toggle(let isOn): content = .toggle(!isOn)
    case .choice(let names, let chosen, _):
      guard let cases = schema.cases(of: FieldRank.unwrapped(type)), !names.isEmpty else { return }
      let next = ((chosen + offset) % names.count + names.count) % names.count
      var budget = Self.countLimit
      content = .choice(names: names, chosen: next, values: Self.values(of: cases[next].payload, schema, 1, &budget))
    case .optional(let isOn, let isDefault, let inner): content = .optional(isOn: !isOn, isDefault: isDefault, inner)
    case .line, .json, .fields: break
    }
  }
}
