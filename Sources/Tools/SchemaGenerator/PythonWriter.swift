internal import Wire

/// Writes dataclasses, unions, paths and constructors of actions for `clients/python`.
struct PythonWriter {
  let model: SchemaModel
  /// The types of the definitions, in their order.
  let types: [PythonType]
  /// The names of the functions that make the feature's own actions, in the order of their cases.
  let constructors: [String]

  init(_ model: SchemaModel) {
    self.model = model
    var module = NameScope(reserved: PythonNames.reserved.union(["MODEL", "State"]))
    // First the types themselves, so that a case never takes the name of one.
    let names = model.schema.definitions.map { module.take(NameWords($0.name).pascal) }
    types = zip(model.schema.definitions, names).map { PythonType($0, $1, &module) }
    if case .definition(let root) = model.schema.action, case .choices(let cases) = types[root].content {
      constructors = cases.map { module.take($0.maker) }
    } else {
      constructors = []
    }
  }

  func source() -> String {
    var body = SourceText(indentation: "    ")
    for index in types.indices { declare(index, &body) }
    bind(&body)
    paths(&body)
    actions(&body)
    var out = SourceText(indentation: "    ")
    out.line("\"\"\"" + model.head(.python).joined(separator: "\n"))
    out.line("\"\"\"")
    out.line()
    out.line("from __future__ import annotations")
    out.line()
    // What a file does not use, type checkers complain about.
    let text = body.text
    for (alias, line) in Self.imports where text.contains(alias) { out.line(line) }
    out.line()
    out.line("import storehub as _storehub")
    out.line()
    for name in ["_V", "_A"] where text.contains("Generic[\(name)]") {
      out.line("\(name) = _typing.TypeVar(\"\(name)\")")
    }
    return out.text + text
  }

  private static let imports = [
    ("_abc.", "import collections.abc as _abc"), ("_decimal.", "import decimal as _decimal"),
    ("_enum.", "import enum as _enum"), ("_typing.", "import typing as _typing"), ("_uuid.", "import uuid as _uuid"),
    ("@_dataclass", "from dataclasses import dataclass as _dataclass"),
  ]

  // MARK: - Types

  private func declare(_ index: Int, _ out: inout SourceText) {
    let type = types[index]
    switch type.content {
    case .record(let members):
      out.line()
      out.line()
      out.line("@_dataclass(frozen=True, slots=True, kw_only=True)")
      out.block("class \(type.name):") { out in
        Self.comment(model.documentation.text(of: index) ?? "`\(type.source)`", &out)
        for member in members {
          out.line()
          let name = pythonType(member.type)
          out.line("\(member.name): \(name)\(model.isOptional(member.type) ? " = None" : "")")
          if let text = model.documentation.text(ofMember: member.key, of: index) { Self.comment(text, &out) }
        }
      }
    case .choices(let cases) where cases.contains { !$0.values.isEmpty }: declareUnion(index, cases, &out)
    case .choices(let cases):
      out.line()
      out.line()
      guard !cases.isEmpty else { return out.line("\(type.name): _typing.TypeAlias = _typing.NoReturn") }
      out.block("class \(type.name)(_enum.Enum):") { out in
        Self.comment(model.documentation.text(of: index) ?? "`\(type.source)`", &out)
        for element in cases {
          out.line()
          out.line("\(element.name) = \(quoted(element.source))")
          if let text = model.documentation.text(ofMember: element.key, of: index) { Self.comment(text, &out) }
        }
      }
    }
  }

  private func declareUnion(_ index: Int, _ cases: [PythonType.Choice], _ out: inout SourceText) {
    let type = types[index]
    for element in cases {
      out.line()
      out.line()
      out.line("@_dataclass(frozen=True, slots=True)")
      out.block("class \(element.name):") { out in
        Self.comment(
          model.documentation.text(ofMember: element.key, of: index) ?? "`\(type.source).\(element.source)`", &out)
        if !element.values.isEmpty { out.line() }
        for value in element.values { out.line("\(value.name): \(pythonType(value.type))") }
      }
    }
    out.line()
    out.line()
    if cases.count == 1 {
      out.line("\(type.name): _typing.TypeAlias = \(cases[0].name)")
    } else {
      out.block("\(type.name): _typing.TypeAlias = _typing.Union[", "]") { out in
        for element in cases { out.line("\(element.name),") }
      }
    }
    if let text = model.documentation.text(of: index) { Self.comment(text, &out) }
  }

  /// The type of a value. Strings for later types are not needed: annotations are not evaluated.
  func pythonType(_ type: SchemaType) -> String {
    switch type {
    case .definition(let index): return types[index].name
    case .named("raw", let parts): return parts.count == 2 ? pythonType(parts[1]) : "_storehub.Item"
    case .named(let name, let parts):
      if let plain = PythonNames.plain[name], parts.isEmpty { return plain }
      return composed(name, parts) ?? "_storehub.Item"
    }
  }

  private func composed(_ name: String, _ parts: [SchemaType]) -> String? {
    let inner = parts.map(pythonType)
    switch (name, parts.count) {
    case ("Optional", 1), ("PresentationState", 1):
      return model.isOptional(parts[0]) ? "_storehub.Some[\(inner[0])] | None" : "\(inner[0]) | None"
    case ("Array", 1): return "tuple[\(inner[0]), ...]"
    case ("IdentifiedArray", 2): return "_storehub.IdentifiedArray[\(inner[0]), \(inner[1])]"
    case ("StackState", 1): return "_storehub.IdentifiedArray[int, _storehub.StackElement[\(inner[0])]]"
    case ("Set", 1): return model.containsDictionary(parts[0]) ? "tuple[\(inner[0]), ...]" : "frozenset[\(inner[0])]"
    case ("Dictionary", 2):
      return model.containsDictionary(parts[0])
        ? "tuple[tuple[\(inner[0]), \(inner[1])], ...]" : "_abc.Mapping[\(inner[0]), \(inner[1])]"
    case ("Result", 2): return "_storehub.Success[\(inner[0])] | _storehub.Failure[\(inner[1])]"
    case ("Range", 1), ("ClosedRange", 1): return "_storehub.Range[\(inner[0])]"
    case ("AlertState", 1), ("ConfirmationDialogState", 1), ("ButtonState", 1): return "_storehub.\(name)[\(inner[0])]"
    default: return nil
    }
  }

  // MARK: - The model

  private func bind(_ out: inout SourceText) {
    out.line()
    out.line()
    out.line("MODEL = _storehub.Model(")
    out.block { out in
      out.block("bytes.fromhex(", ")") { out in
        let digits = Array(model.schema.withoutFormerNames.encoded().hexadecimal)
        for start in stride(from: 0, to: digits.count, by: 100) {
          out.line("\"\(String(digits[start..<min(start + 100, digits.count)]))\"")
        }
      }
    }
    out.line(")")
    out.line("\"\"\"The schema for which these types were generated.\"\"\"")
    out.line("MODEL.bind([")
    out.block { out in
      for type in types { Self.bind(type, &out) }
    }
    out.line("])")
  }

  private static func bind(_ type: PythonType, _ out: inout SourceText) {
    switch type.content {
    case .record(let members):
      let names = members.map { "\(quoted($0.source)): \"\($0.name)\"" }.joined(separator: ", ")
      out.line("_storehub.StructBinding(\(type.name), {\(names)}),")
    case .choices(let cases):
      let isPlain = cases.allSatisfy { $0.values.isEmpty }
      out.block("_storehub.EnumBinding({", "}),") { out in
        for element in cases {
          let make = isPlain ? "\(type.name).\(element.name)" : element.name
          let values = element.values.map { ", \"\($0.name)\"" }.joined()
          let tuple = values.isEmpty ? "" : ", (\(values.dropFirst(2)),)"
          out.line("\(quoted(element.source)): _storehub.CaseBinding(\(make)\(tuple)),")
        }
      }
    }
  }

  /// Writes a docstring.
  static func comment(_ text: String, _ out: inout SourceText) {
    let lines = commentLines(text).map { line in
      line.replacing("\\", with: "\\\\").replacing("\"\"\"", with: "\\\"\\\"\\\"")
    }
    guard lines.count > 1 || lines.first?.last == "\"" else { return out.line("\"\"\"\(lines.first ?? "")\"\"\"") }
    out.line("\"\"\"\(lines[0])")
    for line in lines.dropFirst() { out.line(line) }
    out.line("\"\"\"")
  }
}

/// What Python has for a type, and the names that it reserves.
enum PythonNames {
  static let plain = [
    "Bool": "bool", "Float": "float", "Double": "float", "String": "str", "Substring": "str", "Character": "str",
    "Unicode.Scalar": "str", "Data": "bytes", "UUID": "_uuid.UUID", "Date": "_storehub.Date",
    "Decimal": "_decimal.Decimal", "URL": "str | _storehub.RelativeURL", "Duration": "_storehub.Duration",
    "TextState": "_storehub.TextState", "Never": "_typing.NoReturn", "StackElementID": "int",
    "Int": "int", "Int8": "int", "Int16": "int", "Int32": "int", "Int64": "int", "Int128": "int",
    "UInt": "int", "UInt8": "int", "UInt16": "int", "UInt32": "int", "UInt64": "int", "UInt128": "int",
  ]

  /// Keywords, and the names of built-in types that annotations use.
  static let reserved: Set<String> = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case", "type", "bool", "bytes",
    "float", "frozenset", "int", "property", "self", "str", "tuple",
  ]
}

/// A definition with the names that it has in Python.
struct PythonType {
  struct Member {
    var key: UInt64
    var source: String
    var name: String
    var type: SchemaType
  }

  struct Choice {
    var key: UInt64
    var source: String
    /// The class of the case, or its name in the `Enum` if no case has values.
    var name: String
    /// The name of its constructor and of its path.
    var maker: String
    var values: [Member]
  }

  enum Content {
    case record([Member])
    case choices([Choice])
  }

  var source: String
  var name: String
  /// The class of paths to values of the type.
  var path: String
  /// The class that makes actions of the type.
  var maker: String
  var content: Content

  init(_ definition: Schema.Definition, _ name: String, _ module: inout NameScope) {
    source = definition.name
    self.name = name
    path = module.take(name + "Path")
    maker = module.take(name + "Maker")
    var scope = NameScope(reserved: PythonNames.reserved)
    switch definition.content {
    case .fields(let fields):
      content = .record(
        fields.map {
          Member(key: $0.key, source: $0.name, name: scope.take(NameWords($0.name).snake), type: $0.type)
        })
    case .cases(let cases):
      let isPlain = cases.allSatisfy { $0.payload.isEmpty }
      var members = NameScope(reserved: PythonNames.reserved)
      content = .choices(
        cases.map { element in
          let words = NameWords(element.name)
          return Choice(
            key: element.key, source: element.name,
            name: isPlain ? members.take(words.capitals) : module.take(name + words.pascal),
            maker: scope.take(words.snake), values: Self.values(element))
        })
    }
  }

  /// The values of a case: by their labels, `value` for the only one, else by their positions.
  private static func values(_ element: Schema.Case) -> [Member] {
    var scope = NameScope(reserved: PythonNames.reserved)
    return element.payload.enumerated().map { place, value in
      let label = value.label.isEmpty ? nil : NameWords(value.label).snake
      let name = scope.take(label ?? (element.payload.count == 1 ? "value" : "value\(place)"))
      return Member(
        key: UInt64(place), source: value.label.isEmpty ? "_\(place)" : value.label, name: name, type: value.type)
    }
  }
}
