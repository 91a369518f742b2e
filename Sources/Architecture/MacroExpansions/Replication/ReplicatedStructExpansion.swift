/// The replication code of a struct.
struct ReplicatedStructExpansion {
  let fields: [ReplicatedField]
  /// The statements that copy omitted fields from `base`.
  let omitted: [String]
  /// True if there may be omitted fields, also constants and those within `#if`.
  let omits: Bool
  /// The names that lead to the struct's id.
  let id: [String]
  let name: String
  let access: String
  /// The text of the struct's documentation comment.
  let documentation: String?

  var members: [String] {
    [encode, decode, hasParts, differs, encodeDelta, apply, copy, part, keyOfField, schema].compactMap(\.self)
  }

  private var encode: String {
    let lines = fields.map { "encoder.unsigned(\($0.key))\nWire.Expansion.encode(\($0.value()), to: &encoder)" }
    return """
      \(access)func encode(to encoder: inout Wire.CBOREncoder) {
      encoder.mapHeader(count: \(fields.count))
      \(lines.joined(separator: "\n"))
      }
      """
  }

  private var decode: String {
    let needed = fields.enumerated().filter { !$0.element.hasDefault }
    let variables = needed.map { index, field in absent(index, field) }
    let cases = fields.enumerated().map { index, field in
      let read =
        field.hasDefault
        ? field.initialisation(to: field.read) : "field\(index) = .some(\(field.read))"
      return "case \(field.key): \(read)"
    }
    let settings = needed.map { index, field -> String in
      if field.isOptional { return field.initialisation(to: "field\(index) ?? nil") }
      return """
        guard let field\(index) else {
        throw Wire.WireError(.missingField(key: \(field.key), type: "\(name)"), at: start)
        }
        \(field.initialisation(to: "field\(index)"))
        """
    }
    let start = needed.contains { !$0.element.isOptional } ? "let start = decoder.offset\n" : ""
    return """
      \(access)init(from decoder: inout Wire.CBORDecoder) throws(Wire.WireError) {
      \(start)\(variables.joined(separator: "\n"))
      \(loop(cases))
      \(settings.joined(separator: "\n"))
      }
      """
  }

  private var hasParts: String { "\(access)static var hasParts: Bool { true }" }

  private var differs: String {
    let lines = fields.map { "if Wire.Expansion.differs(\($0.value()), from: \($0.value(of: "base"))) { return true }" }
    return """
      \(access)func differs(from base: Self) -> Bool {
      \(lines.joined(separator: "\n"))
      return false
      }
      """
  }

  private var encodeDelta: String {
    let parameters = "from base: Self, to encoder: inout Wire.CBOREncoder"
    if fields.isEmpty { return "\(access)func encodeDelta(\(parameters)) {\nencoder.mapHeader(count: 0)\n}" }
    let notes = fields.enumerated().map { index, field in
      "changes.note(\(index), Wire.Expansion.differs(\(field.value()), from: \(field.value(of: "base"))))"
    }
    let writes = fields.enumerated().map { index, field in
      """
      if changes.contains(\(index)) {
      encoder.unsigned(\(field.key))
      Wire.Expansion.encodeDelta(\(field.value()), from: \(field.value(of: "base")), to: &encoder)
      }
      """
    }
    return """
      \(access)func encodeDelta(\(parameters)) {
      var changes = Wire.ChangedFields()
      \(notes.joined(separator: "\n"))
      encoder.mapHeader(count: changes.count)
      \(writes.joined(separator: "\n"))
      }
      """
  }

  private var constants: [(index: Int, field: ReplicatedField)] {
    fields.enumerated().filter { !$0.element.isVar }.map { ($0.offset, $0.element) }
  }

  private var apply: String {
    let cases = fields.enumerated().map { index, field -> String in
      // Through the field itself, so that its observers are notified.
      if field.isVar {
        let apply = "try Wire.Expansion.apply(&decoder, to: &self.\(field.name))"
        return field.mayWrap
          ? "case \(field.key):\ntry decoder.enter()\n\(apply)\ndecoder.leave()" : "case \(field.key): \(apply)"
      }
      return """
        case \(field.key):
        var value = self.\(field.name)
        try Wire.Expansion.apply(&decoder, to: &value)
        field\(index) = .some(value)
        """
    }
    let variables = constants.map { absent($0.index, $0.field) }
    let changed = constants.map { "field\($0.index) != nil" }
    let arguments = constants.map { "field\($0.index): field\($0.index) ?? self.\($0.field.name)" }
    let replacement = """
      if \(changed.joined(separator: " || ")) {
      self = Self(_replicating: self, \(arguments.joined(separator: ", ")))
      }
      """
    return """
      \(access)mutating func apply(delta decoder: inout Wire.CBORDecoder) throws(Wire.WireError) {
      \(variables.joined(separator: "\n"))
      \(loop(cases))
      \(constants.isEmpty ? "" : replacement)
      }
      """
  }

  /// An initialiser that copies everything from another value except the constants, for deltas that change one of
  /// those.
  private var copy: String? {
    guard !constants.isEmpty else { return nil }
    let generics = constants.map { "Field\($0.index)" }
    let parameters = constants.map { "field\($0.index): Field\($0.index)" }
    let settings = fields.enumerated().map { index, field in
      field.isVar ? field.copy : "self.\(field.name) = Wire.Expansion.same(field\(index))"
    }
    return """
      private init<\(generics.joined(separator: ", "))>(_replicating base: Self, \(parameters.joined(separator: ", "))) {
      \((settings + omitted).joined(separator: "\n"))
      }
      """
  }

  private var part: String? {
    guard !fields.isEmpty else { return nil }
    let cases = fields.map {
      "case .key(\($0.key))?: return Wire.Expansion.part(of: \($0.value()), at: path.dropFirst())"
    }
    return """
      \(access)func part(at path: ArraySlice<Wire.PathStep>) -> (any Wire.Replicated)? {
      switch path.first {
      case nil: return self
      \(cases.joined(separator: "\n"))
      default: return nil
      }
      }
      """
  }

  private var keyOfField: String? {
    guard !fields.isEmpty else { return nil }
    let lines = fields.map { "if field == \\Self.\($0.name) { return \($0.key) }" }
    return """
      \(access)static func key(of field: PartialKeyPath<Self>) -> UInt64? {
      \(lines.joined(separator: "\n"))
      return nil
      }
      """
  }

  /// A variable of the field's type, without a value. The type is not named: in an extension of a nested type, the
  /// names of the enclosing types are not in scope.
  private func absent(_ index: Int, _ field: ReplicatedField) -> String {
    "var field\(index) = Wire.Expansion.absent { (root: Self) in root.\(field.name) }"
  }

  private func loop(_ cases: [String]) -> String {
    if cases.isEmpty {
      return """
        var fields = try decoder.fields()
        while try decoder.nextKey(of: &fields) != nil { try decoder.skip() }
        """
    }
    return """
      var fields = try decoder.fields()
      while let key = try decoder.nextKey(of: &fields) {
      switch key {
      \(cases.joined(separator: "\n"))
      default: try decoder.skip()
      }
      }
      """
  }

  /// The statement that declares the location of the struct's id, for elements of identified arrays.
  private var idLine: [String] {
    guard let first = id.first, fields.contains(where: { plain($0.name) == plain(first) }) else { return [] }
    switch id.count {
    case 1: return ["fields.id(\\Self.\(first))"]
    case 2 where id[1] == "id": return ["fields.id(of: \\Self.\(first))"]
    case 2: return ["fields.id(\\Self.\(first), \\.\(id[1]))"]
    default: return []
    }
  }

  private var schema: String {
    var lines = fields.flatMap { field in
      let method = field.storage == .presented ? "presented" : "replicated"
      // At the field's own line, where the compiler then reports a type that is not replicated.
      return [
        field.location,
        "fields.\(method)(\"\(plain(field.name))\", key: \(field.key), \\Self.\(field.name), "
          + "hasDefault: \(field.hasDefault || field.isOptional))",
      ].compactMap(\.self)
    }
    if fields.contains(where: { $0.location != nil }) { lines.append("#sourceLocation()") }
    lines += idLine
    if omits { lines.append("fields.omitted()") }
    lines += fields.compactMap { $0.formerNames.declaration(in: "fields", key: $0.key) }
    if let documentation { lines.append("fields.document(\(documentation.literal))") }
    lines += fields.compactMap { field in
      field.documentation.map { "fields.document(\($0.literal), key: \(field.key))" }
    }
    return """
      \(access)static func schema(in builder: inout Wire.SchemaBuilder) -> Wire.SchemaType {
      builder.structure(Self.self, name: "\(name)") { \(lines.isEmpty ? "_" : "fields") in
      \(lines.joined(separator: "\n"))
      }
      }
      """
  }
}
