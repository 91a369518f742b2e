internal import Wire

/// Writes replicated structs and enums with the keys of the schema, for programs without the package of the feature.
///
/// Their own schema is compatible with that of the hub: the same keys, names, labels and named types.
struct SwiftWriter {
  let model: SchemaModel
  private let names: [String]
  private let indirect: Set<Int>
  private let raws: [(name: String, value: SchemaType)]
  /// The definitions that are members of sets, keys or ids, and those of errors.
  private let hashable: Set<Int>
  private let errors: Set<Int>

  init(_ model: SchemaModel) {
    self.model = model
    // Their names are a part of the schema, and stay as they are.
    raws = model.rawTypes().filter { $0.name != "SharedCounter" && NameWords($0.name).pascal == $0.name }
    var module = NameScope(reserved: SwiftNames.types.union(raws.map(\.name)))
    names = model.schema.definitions.map { module.take(NameWords($0.name).pascal) }
    indirect = model.indirectDefinitions()
    hashable = model.keyDefinitions()
    errors = model.errorDefinitions()
  }

  func source() throws(GenerationError) -> String {
    var out = SourceText(indentation: "  ")
    for line in model.head(.swift) { out.line("// " + line) }
    out.line()
    var used = Set(model.schema.definitions.flatMap { model.types(of: $0) }.flatMap(Self.namedTypes))
    if names.indices.contains(where: { generic($0) != nil }) { used.insert("PresentationAction") }
    let usesFoundation = !used.isDisjoint(with: SwiftNames.foundation)
    if !used.isDisjoint(with: SwiftNames.architecture) { out.line("import ComposableArchitecture") }
    if usesFoundation { out.line("import Foundation") }
    out.line("import ReplicatedArchitecture")
    if usesFoundation { out.line("import ReplicatedFoundation") }
    out.line()
    for raw in raws {
      out.line("/// A value of `\(raw.name)`, whose own values the schema does not list.")
      out.block("struct \(raw.name): RawRepresentable, Hashable, Sendable {", "}") { out in
        out.line("var rawValue: \(Self.rawType(raw.value))")
        out.line()
        out.line("/// Creates a value.")
        out.line("init(rawValue: \(Self.rawType(raw.value))) { self.rawValue = rawValue }")
      }
      out.line()
      out.line("extension \(raw.name): Replicated {}")
      out.line()
    }
    // The types of values are made first, because only they can fail.
    for index in names.indices where generic(index) == nil {
      let definition = model.schema.definitions[index]
      switch definition.content {
      case .fields(let fields):
        declare(
          index, fields,
          try fields.map { field throws(GenerationError) in
            try type(field.type, in: "\(definition.name).\(field.name)")
          }, &out)
      case .cases(let cases):
        declare(
          index, cases,
          try cases.map { element throws(GenerationError) in
            try element.payload.map { value throws(GenerationError) in
              try type(value.type, in: "\(definition.name).\(element.name)")
            }
          }, &out)
      }
    }
    // Without the line after the last type.
    return String(out.text.dropLast())
  }

  private func declare(_ index: Int, _ fields: [Schema.Field], _ types: [String], _ out: inout SourceText) {
    let definition = model.schema.definitions[index]
    Self.comment(model.documentation.text(of: index) ?? "`\(definition.name)`", &out)
    let identity = identity(of: definition)
    out.line("@Replicated")
    let protocols = self.protocols(index, isIdentifiable: identity != nil)
    out.block("struct \(names[index]): \(protocols) {", "}") { out in
      for (field, type) in zip(fields, types) {
        Self.comment(model.documentation.text(ofMember: field.key, of: index) ?? "`\(field.name)`", &out)
        Self.mark(field.formerNames, &out)
        out.line("@ReplicatedKey(\(field.key)) var \(Self.escaped(field.name)): \(type)")
      }
      if let identity, identity.path != "id" {
        out.line()
        out.line("/// The id as an element of an identified array.")
        out.line("var id: \(identity.type) { \(identity.path) }")
      }
    }
    out.line()
  }

  /// The path to the field that is the id, and its type; nil if there is none.
  private func identity(of definition: Schema.Definition) -> (path: String, type: String)? {
    var (definition, path, type) = (definition, [String](), "")
    for key in definition.id {
      guard case .fields(let fields) = definition.content, let field = fields.first(where: { $0.key == key }) else {
        return nil
      }
      path.append(Self.escaped(field.name))
      type = (try? self.type(field.type, in: "")) ?? ""
      if case .definition(let next) = field.type { definition = model.schema.definitions[next] }
    }
    return path.isEmpty ? nil : (path.joined(separator: "."), type)
  }

  /// The architecture's own type for a definition of this form; nil for another one.
  private func generic(_ index: Int) -> (name: String, parts: [SchemaType])? {
    let definition = model.schema.definitions[index]
    guard case .cases(let cases) = definition.content else { return nil }
    let form = cases.map { "\($0.name)(\($0.payload.map(\.label).joined(separator: ",")))" }
    func type(_ element: Int, _ value: Int) -> SchemaType { cases[element].payload[value].type }
    switch (definition.name, form) {
    case ("PresentationAction", ["dismiss()", "presented()"]) where cases[1].payload.count == 1:
      return (definition.name, [type(1, 0)])
    case ("IdentifiedAction", ["element(id,action)"]): return (definition.name, [type(0, 0), type(0, 1)])
    case ("StackAction", ["element(id,action)", "popFrom(id)", "push(id,state)"]):
      return (definition.name, [type(2, 1), type(0, 1)])
    default: return nil
    }
  }

  private func protocols(_ index: Int, isIdentifiable: Bool = false) -> String {
    var names = [hashable.contains(index) ? "Hashable" : "Equatable", "Sendable"]
    if isIdentifiable { names.insert("Identifiable", at: 1) }
    if errors.contains(index) { names.insert("Error", at: 0) }
    return names.joined(separator: ", ")
  }

  /// The names of the named types in a type.
  private static func namedTypes(_ type: SchemaType) -> [String] {
    guard case .named(let name, let parts) = type else { return [] }
    return [name] + parts.flatMap(namedTypes)
  }

  private static func mark(_ formerNames: [String], _ out: inout SourceText) {
    guard !formerNames.isEmpty else { return }
    out.line("@Replicated(was: \(formerNames.map(\.debugDescription).joined(separator: ", ")))")
  }

  private func declare(_ index: Int, _ cases: [Schema.Case], _ types: [[String]], _ out: inout SourceText) {
    Self.comment(model.documentation.text(of: index) ?? "`\(model.schema.definitions[index].name)`", &out)
    out.line("@Replicated")
    let keyword = indirect.contains(index) ? "indirect enum" : "enum"
    out.block("\(keyword) \(names[index]): \(protocols(index)) {", "}") { out in
      for (element, types) in zip(cases, types) {
        Self.comment(model.documentation.text(ofMember: element.key, of: index) ?? "`\(element.name)`", &out)
        let values = zip(element.payload, types).map { value, type in
          value.label.isEmpty ? type : "\(Self.label(value.label)): \(type)"
        }
        let payload = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
        Self.mark(element.formerNames, &out)
        out.line("@ReplicatedKey(\(element.key)) case \(Self.escaped(element.name))\(payload)")
      }
    }
    out.line()
  }

  private func type(_ type: SchemaType, in place: String) throws(GenerationError) -> String {
    switch type {
    case .definition(let index):
      guard let generic = generic(index) else { return names[index] }
      let inner = try generic.parts.map { part throws(GenerationError) in try self.type(part, in: place) }
      return "\(generic.name)<\(inner.joined(separator: ", "))>"
    case .named(let name, let parts):
      if parts.isEmpty, SwiftNames.plain.contains(name) { return name }
      if name == "raw", case .named(let raw, _)? = parts.first {
        if raw == "SharedCounter" || raws.contains(where: { $0.name == raw }) { return raw }
      }
      guard name != "raw", name != "opaque", let count = SwiftNames.generic[name], count == parts.count else {
        throw GenerationError(
          "the schema does not say what \(model.schema.name(of: type)) is in Swift (\(place)); "
            + "import the package of the feature instead")
      }
      let inner = try parts.map { part throws(GenerationError) in try self.type(part, in: place) }
      switch name {
      case "Optional": return inner[0] + "?"
      case "Array": return "[\(inner[0])]"
      case "Dictionary": return "[\(inner[0]): \(inner[1])]"
      default: return "\(name)<\(inner.joined(separator: ", "))>"
      }
    }
  }

  private static func rawType(_ type: SchemaType) -> String {
    if case .named(let name, let parts) = type, parts.isEmpty, SwiftNames.plain.contains(name) { name } else { "Int" }
  }

  private static func escaped(_ name: String) -> String {
    let isPlain = NameWords(name).words.joined() == name.filter { $0 != "_" } && name.first?.isNumber == false
    return isPlain && !SwiftNames.keywords.contains(name) ? name : "`\(name)`"
  }

  /// A label, for which most keywords are allowed.
  private static func label(_ name: String) -> String {
    SwiftNames.keywords.contains(name) && !["inout", "let", "var"].contains(name) ? name : escaped(name)
  }

  private static func comment(_ text: String, _ out: inout SourceText) {
    for line in commentLines(text) { out.line(line.isEmpty ? "///" : "/// " + line) }
  }
}

/// The types that Swift has under the names of the schema, and its keywords.
enum SwiftNames {
  static let plain: Set<String> = [
    "Bool", "Float", "Double", "String", "Substring", "Character", "Unicode.Scalar", "Data", "UUID", "Date", "Decimal",
    "URL", "Duration", "TextState", "Never", "StackElementID", "Int", "Int8", "Int16", "Int32", "Int64", "Int128",
    "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
  ]

  static let generic = [
    "Optional": 1, "PresentationState": 1, "Array": 1, "IdentifiedArray": 2, "StackState": 1, "Set": 1,
    "Dictionary": 2, "Result": 2, "Range": 1, "ClosedRange": 1, "AlertState": 1, "ConfirmationDialogState": 1,
    "ButtonState": 1,
  ]

  static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
    "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static",
    "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else",
    "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "as", "false",
    "is", "nil", "self", "Self", "super", "throws", "true", "try", "Any",
  ]

  /// The types of Foundation, and those of the architecture.
  static let foundation: Set = ["Data", "UUID", "Date", "Decimal", "URL"]
  static let architecture: Set = [
    "IdentifiedArray", "StackState", "StackElementID", "PresentationState", "TextState", "AlertState",
    "ConfirmationDialogState", "ButtonState", "PresentationAction",
  ]

  /// Names of types that generated ones must not hide.
  static let types: Set<String> = plain.union(generic.keys).union([
    "Any", "Self", "Type", "Protocol", "Equatable", "Identifiable", "Sendable", "Replicated", "ReplicatedKey",
  ])
}
