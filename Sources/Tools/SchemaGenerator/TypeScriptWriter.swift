internal import Wire

/// Writes interfaces, discriminated unions, constructors and paths for `clients/typescript`, whose README has the
/// rules.
struct TypeScriptWriter {
  let model: SchemaModel
  /// The names of the definitions, in their order.
  private let names: [String]
  /// The names of their classes of paths.
  private let paths: [String]

  init(_ model: SchemaModel) {
    self.model = model
    var module = NameScope(reserved: TypeScriptNames.reserved)
    names = model.schema.definitions.map { module.take(NameWords($0.name).pascal) }
    paths = names.map { module.take($0 + "Path") }
  }

  func source() -> String {
    var body = SourceText(indentation: "  ")
    for index in names.indices { declare(index, &body) }
    declarePaths(&body)
    var out = SourceText(indentation: "  ")
    for line in model.head(.typescript) { out.line("// " + line) }
    out.line()
    let text = body.text
    let used = TypeScriptNames.library.filter { name in Self.mentions(text, name) }
    let imports = used.map { $0 == "Path" ? $0 : "type \($0)" }
    if !imports.isEmpty { out.line("import { \(imports.joined(separator: ", ")) } from \"storehub\";") }
    out.line()
    out.line("/** The SHA-256 of the schema for which these types were generated. */")
    out.line("export const fingerprint = \"\(model.schema.fingerprint)\";")
    return out.text + text
  }

  /// True if a text has a name that is not a part of another one.
  private static func mentions(_ text: String, _ name: String) -> Bool {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }.contains { $0 == name }
  }

  // MARK: - Types

  private func declare(_ index: Int, _ out: inout SourceText) {
    let definition = model.schema.definitions[index]
    out.line()
    switch definition.content {
    case .fields(let fields):
      Self.comment(model.documentation.text(of: index), &out)
      out.block("export interface \(names[index]) {", "}") { out in
        for field in fields {
          Self.comment(model.documentation.text(ofMember: field.key, of: index), &out)
          out.line("readonly \(Self.member(field.name)): \(type(field.type));")
        }
      }
    case .cases(let cases):
      Self.comment(model.documentation.text(of: index), &out)
      guard !cases.isEmpty else { return out.line("export type \(names[index]) = never;") }
      out.line("export type \(names[index]) =")
      out.block { out in
        for element in cases {
          Self.comment(model.documentation.text(ofMember: element.key, of: index), &out)
          let values = zip(Self.valueNames(element), element.payload)
          let members = values.map { "; readonly \(Self.member($0)): \(type($1.type))" }.joined()
          out.line("| { readonly case: \(quoted(element.name))\(members) }")
        }
      }
      out.line(";")
      constructors(index, cases, &out)
    }
  }

  /// An object with a function or a value for each case, which has the name of the type.
  private func constructors(_ index: Int, _ cases: [Schema.Case], _ out: inout SourceText) {
    out.line()
    out.line("/** Makes values of `\(names[index])`. */")
    out.block("export const \(names[index]) = {", "} as const;") { out in
      for element in cases {
        Self.comment(model.documentation.text(ofMember: element.key, of: index), &out)
        let names = Self.valueNames(element)
        var scope = NameScope(reserved: TypeScriptNames.keywords)
        let parameters = names.map { scope.take(Self.isIdentifier($0) ? $0 : NameWords($0).camel) }
        let given = zip(parameters, element.payload).map { "\($0): \(type($1.type))" }.joined(separator: ", ")
        let members = zip(names, parameters).map { ", \(Self.member($0)): \($1)" }.joined()
        let value = "{ case: \(quoted(element.name))\(members) }"
        let name = Self.member(element.name)
        out.line(
          element.payload.isEmpty
            ? "\(name): \(value) as \(self.names[index]),"
            : "\(name): (\(given)): \(self.names[index]) => (\(value)),")
      }
    }
  }

  /// The names of a case's values: see the README of the client.
  static func valueNames(_ element: Schema.Case) -> [String] {
    let labels = element.payload.map(\.label)
    let single = labels.count == 1
    let wanted = labels.enumerated().map { place, label in
      label.isEmpty ? (single ? "value" : "_\(place)") : label
    }
    let isClear = !wanted.contains("case") && Set(wanted).count == wanted.count
    return isClear ? wanted : labels.indices.map { "_\($0)" }
  }

  private func type(_ type: SchemaType) -> String {
    switch type {
    case .definition(let index): return names[index]
    case .named("raw", let parts): return parts.count == 2 ? self.type(parts[1]) : "Opaque"
    case .named(let name, let parts):
      if let plain = TypeScriptNames.plain[name], parts.isEmpty { return plain }
      return composed(name, parts) ?? "Opaque"
    }
  }

  private func composed(_ name: String, _ parts: [SchemaType]) -> String? {
    let inner = parts.map(type)
    switch (name, parts.count) {
    case ("Optional", 1), ("PresentationState", 1):
      return model.isOptional(parts[0]) ? "{ readonly some: \(inner[0]) } | null" : "\(inner[0]) | null"
    case ("Array", 1): return "readonly \(Self.element(inner[0]))[]"
    case ("IdentifiedArray", 2): return "readonly \(Self.element(inner[1]))[]"
    case ("StackState", 1): return "readonly StackElement<\(inner[0])>[]"
    case ("Set", 1): return "ReadonlySet<\(inner[0])>"
    case ("Dictionary", 2): return "ReadonlyMap<\(inner[0]), \(inner[1])>"
    case ("Result", 2): return "Result<\(inner[0]), \(inner[1])>"
    case ("Range", 1), ("ClosedRange", 1): return "Range<\(inner[0])>"
    case ("AlertState", 1), ("ConfirmationDialogState", 1), ("ButtonState", 1), ("Change", 1):
      return "\(name)<\(inner[0])>"
    default: return nil
    }
  }

  /// A type as that of an array's elements.
  private static func element(_ type: String) -> String {
    type.contains("|") || type.hasPrefix("readonly") ? "(\(type))" : type
  }

  // MARK: - Paths

  private func declarePaths(_ out: inout SourceText) {
    let state = model.schema.state
    for index in model.definitions(inside: state) {
      out.line()
      out.line("/** A path to a value of `\(names[index])`, or to an optional one. */")
      out.block("export class \(paths[index])<T = \(names[index])> extends Path<T> {", "}") { out in
        var scope = NameScope(reserved: TypeScriptNames.members)
        let steps = steps(of: index)
        for (step, name) in zip(steps, steps.map { scope.take($0.name) }) {
          Self.comment(step.comment, &out)
          let path = path(to: step.type)
          out.block("get \(Self.member(name))(): \(path) {", "}") { out in
            out.line("return new \(path)([...this.steps, \(quoted(step.name))]);")
          }
          elements(step, &scope, &out)
        }
      }
    }
    out.line()
    out.line("/** The path to the whole state; its properties lead to the parts. */")
    out.line("export const state = new \(path(to: state))([]);")
  }

  private typealias Step = (name: String, type: SchemaType, comment: String?)

  private func steps(of index: Int) -> [Step] {
    switch model.schema.definitions[index].content {
    case .fields(let fields):
      fields.map { ($0.name, $0.type, model.documentation.text(ofMember: $0.key, of: index)) }
    case .cases(let cases):
      cases.filter { $0.payload.count == 1 }.map {
        ($0.name, $0.payload[0].type, model.documentation.text(ofMember: $0.key, of: index))
      }
    }
  }

  /// Methods for an element with an id and for a window, beside the property of a collection.
  private func elements(_ step: Step, _ scope: inout NameScope, _ out: inout SourceText) {
    guard case .named(let name, let parts) = unwrapped(step.type) else { return }
    let element: SchemaType
    switch (name, parts.count) {
    case ("IdentifiedArray", 2):
      element = parts[1]
      one(step.name, id: type(parts[0]), element, &scope, &out)
    case ("StackState", 1):
      element = parts[0]
      one(step.name, id: "bigint", element, &scope, &out)
    case ("Array", 1): element = parts[0]
    default: return
    }
    let window = name == "StackState" ? "StackElement<\(type(element))>" : type(element)
    out.line("/** At most `count` elements from a position on; a negative one counts from the end. */")
    out.block(
      "\(Self.member(scope.take(step.name + "Window")))(start: number, count: number): Path<Window<\(window)>> {", "}"
    ) { out in
      out.line("return new Path<Window<\(window)>>([...this.steps, \(quoted(step.name)), { start, count }]);")
    }
  }

  private func one(
    _ name: String, id: String, _ element: SchemaType, _ scope: inout NameScope, _ out: inout SourceText
  ) {
    let path = path(to: element)
    out.line("/** The element with an id. */")
    out.block("\(Self.member(scope.take(name + "Element")))(id: \(id)): \(path) {", "}") { out in
      out.line("return new \(path)([...this.steps, \(quoted(name)), { id }]);")
    }
  }

  private func path(to type: SchemaType) -> String {
    let value = self.type(type)
    guard let index = model.definition(of: type) else { return "Path<\(value)>" }
    return value == names[index] ? paths[index] : "\(paths[index])<\(value)>"
  }

  private func unwrapped(_ type: SchemaType) -> SchemaType {
    if case .named(_, let parts) = type, model.isOptional(type), parts.count == 1 { return unwrapped(parts[0]) }
    return type
  }

  // MARK: - Text

  /// The name of a member; quoted if it is not an identifier.
  private static func member(_ name: String) -> String { isIdentifier(name) ? name : quoted(name) }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first.isASCII, !first.properties.numericType.isSome else {
      return false
    }
    return name.unicodeScalars.allSatisfy { scalar in
      scalar == "_" || scalar == "$"
        || (scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType.isSome))
    }
  }

  private static func comment(_ text: String?, _ out: inout SourceText) {
    guard let text else { return }
    let lines = commentLines(text).map { $0.replacing("*/", with: "*\\/") }
    guard lines.count > 1 else { return out.line("/** \(lines.first ?? "") */") }
    out.line("/**")
    for line in lines { out.line(line.isEmpty ? " *" : " * " + line) }
    out.line(" */")
  }
}

extension Optional {
  fileprivate var isSome: Bool { self != nil }
}

/// What TypeScript has for a type, and the names that it reserves.
enum TypeScriptNames {
  static let plain = [
    "Bool": "boolean", "Float": "number", "Double": "number", "String": "string", "Substring": "string",
    "Character": "string", "Unicode.Scalar": "string", "Data": "Uint8Array", "UUID": "string", "Date": "HubDate",
    "Decimal": "string", "URL": "HubURL",
    "Duration": "Duration", "TextState": "TextState",
    "Never": "never", "StackElementID": "bigint",
    "Int": "bigint", "Int8": "number", "Int16": "number", "Int32": "number", "Int64": "bigint", "Int128": "bigint",
    "UInt": "bigint", "UInt8": "number", "UInt16": "number", "UInt32": "number", "UInt64": "bigint",
    "UInt128": "bigint",
  ]

  /// What the client exports that a generated file may need.
  static let library = [
    "AlertState", "ButtonState", "Change", "ConfirmationDialogState", "Duration", "HubDate", "HubURL", "Opaque", "Path",
    "Range", "Result", "StackElement", "TextState", "Window",
  ]

  /// The members of a path, which a step must not hide.
  static let members: Set = ["constructor", "part", "steps", "to", "toString"]

  static let keywords: Set<String> = [
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum",
    "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null",
    "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "let",
    "static", "yield", "await", "implements", "interface", "package", "private", "protected", "public", "arguments",
    "eval",
  ]

  /// Names that a type may not have: those of the client, of this file, and of types that JavaScript has.
  static let reserved: Set<String> = keywords.union(library).union([
    "state", "fingerprint", "Array", "Date", "Error", "Map", "Number", "Object", "Promise", "ReadonlyMap",
    "ReadonlySet",
    "Set", "String", "Symbol", "Uint8Array", "any", "bigint", "boolean", "never", "number", "object", "string",
    "symbol",
    "undefined", "unknown",
  ])
}
