import TestSupport
import Wire

/// A schema from a seed, in which any type can be inside of any other, and states of it.
struct GeneratedFeature {
  let schema: Schema

  init(seed: UInt64) {
    var generator = SchemaGenerator(random: SplitMix(seed: seed))
    schema = generator.schema()
  }

  /// Returns the state with a seed.
  func state(seed: UInt64) -> CBORValue {
    var generator = ValueGenerator(schema: schema, random: SplitMix(seed: seed))
    return generator.value(of: schema.state, depth: 0)
  }
}

private struct SchemaGenerator {
  private static let leaves = [
    "Bool", "Int", "Int8", "UInt64", "Int128", "Double", "Float", "String", "Character", "Unicode.Scalar", "Duration",
    "Date", "UUID", "Data", "URL", "Decimal", "TextState",
  ]
  private static let names = ["id", "name", "todos", "order`s", "when", "水", "a b", "self", "count", "is on", "parts"]
  private static let structCount = 6
  private static let enumCount = 3

  var random: SplitMix

  /// The structs come first, the state as the first of them; then enums, and the actions.
  mutating func schema() -> Schema {
    var schema = Schema(state: Int.self, action: Int.self)
    let actions = Self.structCount + Self.enumCount
    (schema.state, schema.action) = (.definition(0), .definition(actions))
    for index in 0..<Self.structCount {
      let id = Schema.Field(key: 0, name: "id", type: id(of: index), hasDefault: false)
      let count = Int.random(in: 0...(index == 0 ? 30 : 8), using: &random)
      let fields = (0..<count).map { number in
        Schema.Field(
          key: UInt64(number + 1), name: name(number), type: type(within: index, depth: 0), hasDefault: flip())
      }
      schema.definitions.append(.init(name: "S\(index)", id: [0], content: .fields([id] + fields)))
    }
    for index in Self.structCount..<actions {
      schema.definitions.append(.init(name: "E\(index)", content: .cases(cases(within: index))))
    }
    // A prompt is shown if the feature has an action of its name.
    let prompt = Schema.Case(
      key: 100, name: "prompt", payload: [.init(label: "", type: .definition(actions - 1))])
    schema.definitions.append(.init(name: "Action", content: .cases(cases(within: actions - 1) + [prompt])))
    if case .fields(let fields) = schema.definitions[0].content {
      let layout = flip() ? "AlertState" : "ConfirmationDialogState"
      let type = SchemaType.named("Optional", [.named(layout, [.definition(actions - 1)])])
      schema.definitions[0].content = .fields(
        fields + [Schema.Field(key: 100, name: "prompt", type: type, hasDefault: true)])
    }
    return schema
  }

  private mutating func flip() -> Bool { Bool.random(using: &random) }

  private mutating func name(_ number: Int) -> String {
    "\(Self.names[Int.random(in: 0..<Self.names.count, using: &random)])\(number)"
  }

  private func id(of definition: Int) -> SchemaType { .named(definition.isMultiple(of: 2) ? "Int" : "String") }

  private mutating func cases(within definition: Int) -> [Schema.Case] {
    (0..<Int.random(in: 1...5, using: &random)).map { number in
      let payload = (0..<Int.random(in: 0...3, using: &random)).map { value in
        Schema.Payload(label: flip() ? "" : name(value), type: type(within: definition, depth: 0))
      }
      return Schema.Case(key: UInt64(number), name: name(number), payload: payload)
    }
  }

  /// A type that a definition may contain: itself and those before it only in collections and optionals.
  private mutating func type(within definition: Int, depth: Int) -> SchemaType {
    let leaf = SchemaType.named(Self.leaves[Int.random(in: 0..<Self.leaves.count, using: &random)])
    guard depth < 3 else { return leaf }
    let any = Int.random(in: 0..<Self.structCount + Self.enumCount, using: &random)
    let key = SchemaType.named(flip() ? "Int" : "String")
    switch Int.random(in: 0..<18, using: &random) {
    case 0: return .named("Optional", [anyType(any, definition, depth)])
    case 1: return .named("Array", [anyType(any, definition, depth)])
    case 2, 3:
      let element = any % Self.structCount
      return .named("IdentifiedArray", [id(of: element), .definition(element)])
    case 4: return .named("Set", [key])
    case 5: return .named("Dictionary", [key, anyType(any, definition, depth)])
    case 6: return .named("Result", [type(within: definition, depth: depth + 1), leaf])
    case 7: return .named("Range", [.named("Int")])
    case 8: return .named("StackState", [anyType(any, definition, depth)])
    case 9: return .named("PresentationState", [anyType(any, definition, depth)])
    case 10: return .named("raw", [.named("Name"), .named("String")])
    case 11: return .named("opaque", [.named("Secret")])
    case 12..<15: return leaf
    default: return any > definition ? .definition(any) : leaf
    }
  }

  private mutating func anyType(_ any: Int, _ definition: Int, _ depth: Int) -> SchemaType {
    flip() ? .definition(any) : type(within: definition, depth: depth + 1)
  }
}

private struct ValueGenerator {
  private static let texts = ["", "a", "café", "two\nlines", "水曜日 👩‍🌾", "\u{1b}[2J", "long enough for several columns"]
  private static let depthLimit = 5

  /// The number of elements that may still be made.
  private var rest = 400
  let schema: Schema
  var random: SplitMix

  init(schema: Schema, random: SplitMix) { (self.schema, self.random) = (schema, random) }

  mutating func value(of type: SchemaType, depth: Int) -> CBORValue {
    switch type {
    case .definition(let index):
      switch schema.definitions[index].content {
      case .fields(let fields):
        return .map(fields.map { .init(key: .unsigned($0.key), value: value(of: $0.type, depth: depth + 1)) })
      case .cases(let cases):
        let chosen = cases[number(below: cases.count)]
        guard !chosen.payload.isEmpty else { return .unsigned(chosen.key) }
        return .array([.unsigned(chosen.key)] + chosen.payload.map { value(of: $0.type, depth: depth + 1) })
      }
    case .named(let name, let parts): return named(name, parts, depth)
    }
  }

  private mutating func named(_ name: String, _ parts: [SchemaType], _ depth: Int) -> CBORValue {
    switch name {
    case "Optional", "PresentationState":
      return count(depth) == 0 ? .null : .array([value(of: parts[0], depth: depth + 1)])
    case "Array": return .array((0..<count(depth)).map { _ in value(of: parts[0], depth: depth + 1) })
    case "IdentifiedArray":
      return .array(
        (0..<count(depth)).map { number in
          guard case .map(var pairs) = value(of: parts[1], depth: depth + 1) else { return .null }
          pairs[0].value = key(number, parts[0])
          return .map(pairs)
        })
    case "StackState":
      return .array(
        (0..<count(depth)).map { .array([.unsigned(UInt64($0)), value(of: parts[0], depth: depth + 1)]) })
    case "Set": return .array((0..<count(depth)).map { key($0, parts[0]) })
    case "Dictionary":
      return .map(
        (0..<count(depth)).map { .init(key: key($0, parts[0]), value: value(of: parts[1], depth: depth + 1)) })
    case "Result":
      let index = number(below: 2)
      return .array([.unsigned(UInt64(index)), value(of: parts[index], depth: depth + 1)])
    case "Range": return .array([.negative(UInt64(number(below: 9))), .unsigned(UInt64(number(below: 9)))])
    case "raw": return value(of: parts[1], depth: depth)
    case "AlertState": return .array([styledText(), .null, buttons(parts[0], depth)])
    case "ConfirmationDialogState":
      return .array([.unsigned(2), styledText(), .array([styledText()]), buttons(parts[0], depth)])
    default: return leaf(name)
    }
  }

  private mutating func leaf(_ name: String) -> CBORValue {
    switch name {
    case "Bool": .simple(number(below: 2) == 0 ? 20 : 21)
    case "Int": number(below: 2) == 0 ? .unsigned(UInt64(Int.max)) : .negative(UInt64(Int.max))
    case "Int8": .negative(UInt64(number(below: 128)))
    case "UInt64": .unsigned(.max)
    case "Int128": .unsigned(UInt64(number(below: 9)))
    case "Double", "Float", "Date":
      .float(bits: [0, 1.5, -1e30, .infinity, .nan].map { Double(Float($0)).bitPattern }[number(below: 5)])
    case "Character": .text("e\u{301}")
    case "Unicode.Scalar": .unsigned(0x9b)
    case "Duration": .array([.unsigned(UInt64(Int64.max)), .unsigned(UInt64(number(below: 9)))])
    case "UUID": .bytes(Array(repeating: UInt8(number(below: 256)), count: 16))
    case "Data": .bytes(Array(repeating: 0x1b, count: number(below: 40)))
    case "Decimal": .text("-12.5")
    case "URL": .text("https://example.org/\(number(below: 9))")
    case "TextState": styledText()
    case "opaque": .map([.init(key: .text("inside"), value: .simple(23))])
    default: .text(text())
    }
  }

  private mutating func buttons(_ action: SchemaType, _ depth: Int) -> CBORValue {
    .array(
      (0..<count(depth)).map { index in
        let action = index == 0 ? CBORValue.null : .array([value(of: action, depth: depth + 1)])
        return .array([index == 0 ? .null : .unsigned(UInt64(index % 2)), action, styledText()])
      })
  }

  private mutating func styledText() -> CBORValue {
    let text = text()
    return .array(text.isEmpty ? [] : [.array([.text(text), .map([])])])
  }

  private mutating func text() -> String { Self.texts[number(below: Self.texts.count)] }

  /// A key of a set, a dictionary or an element, in the order of the keys' bytes.
  private func key(_ number: Int, _ type: SchemaType) -> CBORValue {
    type == .named("Int") ? .unsigned(UInt64(number)) : .text(String(UnicodeScalar(UInt8(97 + number))))
  }

  /// The number of elements of a collection: fewer inside of others.
  private mutating func count(_ depth: Int) -> Int {
    guard depth <= Self.depthLimit else { return 0 }
    let count = min(number(below: depth < 3 ? 20 : 3), rest)
    rest -= count
    return count
  }

  private mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
