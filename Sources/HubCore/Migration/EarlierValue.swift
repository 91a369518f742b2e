public import Wire

/// A value of an earlier schema, which a migration reads by the names of that schema.
///
/// ```swift
/// Migration(from: "3d55c9e700f5") { old in
///   try Shelf(books: old.books.value(), keeper: old.keys.elements.first?.name.value())
/// }
/// ```
///
/// `value()` converts a part by name, like a state without a migration. A field whose name is a member of this type is
/// read with `old["elements"]`.
@dynamicMemberLookup
public struct EarlierValue {
  private let context: Context
  private let type: SchemaType
  private let content: CBORValue
  /// The place in the state, for errors.
  private let place: String

  /// The schema, and the mappings from it that were needed.
  private final class Context {
    let schema: Schema
    var mappings: [Key: SchemaMapping] = [:]

    struct Key: Hashable {
      let source: SchemaType
      let target: ObjectIdentifier
    }

    init(_ schema: Schema) { self.schema = schema }
  }

  /// The state of a schema.
  init(state: [UInt8], of schema: Schema) throws(WireError) {
    var decoder = CBORDecoder(state.span.bytes)
    content = try SchemaValues(schema).value(of: schema.state, from: &decoder)
    try decoder.finish()
    (context, type, place) = (Context(schema), schema.state, "the state")
  }

  private init(_ content: CBORValue, of type: SchemaType, at place: String, in context: Context) {
    (self.context, self.type, self.content, self.place) = (context, type, content, place)
  }

  /// A field of a struct.
  /// - Throws: `MigrationError` if there is none with this name.
  public subscript(dynamicMember name: String) -> EarlierValue { get throws { try self[name] } }

  /// A field of a struct.
  /// - Throws: `MigrationError` if there is none with this name.
  public subscript(_ name: String) -> EarlierValue {
    get throws {
      let fields = try fields()
      guard let field = fields.first(where: { $0.name == name }) else {
        let names = fields.map { "'\($0.name)'" }.joined(separator: ", ")
        throw MigrationError("\(place) has no field '\(name)'; its fields are \(names)")
      }
      guard case .map(let pairs) = content, let pair = pairs.first(where: { $0.key == .unsigned(field.key) }) else {
        throw MigrationError("the field '\(name)' of \(place) was not stored")
      }
      return EarlierValue(pair.value, of: field.type, at: "\(place).\(name)", in: context)
    }
  }

  /// This value in another type, converted by the names of fields and cases.
  /// - Throws: `MigrationError` with the first difference if the types do not fit, or with the problem of the value.
  public func value<Value: WireValue>(as target: Value.Type = Value.self) throws -> Value {
    let mapping = try mapping(to: target)
    let source = content.encoded()
    var decoder = CBORDecoder(source.span.bytes)
    var encoder = CBOREncoder()
    do throws(WireError) {
      try mapping.mapValue(&decoder, to: &encoder)
      let bytes = encoder.bytes
      return try Value(decoding: bytes.span.bytes)
    } catch {
      throw MigrationError("\(place) cannot be read as \(target): \(error)")
    }
  }

  /// The elements of an array, a set or an identified array, in their order.
  public var elements: [EarlierValue] {
    get throws {
      guard case .named(let name, let parts) = type, let element = parts.last, let items = content.items,
        ["Array", "Set", "IdentifiedArray"].contains(name)
      else { throw mismatch("a list") }
      return items.enumerated().map { EarlierValue($1, of: element, at: "\(place)[\($0)]", in: context) }
    }
  }

  /// The keys and values of a dictionary, in the order of the keys' bytes.
  public var pairs: [(key: EarlierValue, value: EarlierValue)] {
    get throws {
      guard case .named("Dictionary", let parts) = type, parts.count == 2, case .map(let items) = content else {
        throw mismatch("a dictionary")
      }
      return items.map {
        (
          EarlierValue($0.key, of: parts[0], at: "a key of \(place)", in: context),
          EarlierValue($0.value, of: parts[1], at: "\(place)[\($0.key)]", in: context)
        )
      }
    }
  }

  /// The value of an optional; nil if it has none.
  public var optional: EarlierValue? {
    get throws {
      guard case .named("Optional", let parts) = type, parts.count == 1 else { throw mismatch("an optional") }
      guard case .array(let items) = content, items.count == 1 else { return nil }
      return EarlierValue(items[0], of: parts[0], at: place, in: context)
    }
  }

  /// The name of an enum's case.
  public var caseName: String { get throws { try element().0.name } }

  /// The values of an enum's case.
  public var payload: [EarlierValue] {
    get throws {
      let (element, values) = try element()
      return zip(element.payload, values).enumerated().map { index, item in
        EarlierValue(item.1, of: item.0.type, at: "\(place).\(element.name)[\(index)]", in: context)
      }
    }
  }

  /// The same struct without some fields, so that `value()` gives these their default values.
  /// - Throws: `MigrationError` if there is no such field.
  public func without(_ names: String...) throws -> EarlierValue {
    let fields = try fields()
    for name in names where !fields.contains(where: { $0.name == name }) { _ = try self[name] }
    let removed = fields.filter { names.contains($0.name) }.map { CBORValue.unsigned($0.key) }
    guard case .definition(let index) = type, case .map(let pairs) = content else { throw mismatch("a struct") }
    var schema = context.schema
    var definition = schema.definitions[index]
    definition.content = .fields(fields.filter { !names.contains($0.name) })
    schema.definitions.append(definition)
    return EarlierValue(
      .map(pairs.filter { !removed.contains($0.key) }), of: .definition(schema.definitions.count - 1), at: place,
      in: Context(schema))
  }

  // MARK: Types

  private func fields() throws -> [Schema.Field] {
    guard case .definition(let index) = type, case .fields(let fields) = context.schema.definitions[index].content
    else { throw mismatch("a struct") }
    return fields
  }

  private func element() throws -> (Schema.Case, [CBORValue]) {
    guard case .definition(let index) = type, case .cases(let cases) = context.schema.definitions[index].content,
      let element = SchemaValues.element(of: content, cases)
    else { throw mismatch("an enum") }
    return element
  }

  private func mapping<Value: WireValue>(to target: Value.Type) throws -> SchemaMapping {
    let key = Context.Key(source: type, target: ObjectIdentifier(target))
    if let known = context.mappings[key] { return known }
    // Only the state's type is compared.
    let schema = Schema(state: target, action: Bool.self)
    do throws(SchemaMismatch) {
      let mapping = try SchemaMapping(
        from: context.schema, to: schema, .types(source: type, target: schema.state), sides: .journalAndProgram)
      context.mappings[key] = mapping
      return mapping
    } catch {
      throw MigrationError("\(place) does not fit \(target): \(error.description)")
    }
  }

  private func mismatch(_ expected: String) -> MigrationError {
    MigrationError("\(place) is of type \(context.schema.name(of: type)), and not \(expected)")
  }
}

/// The reason why a migration cannot convert a state.
public struct MigrationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problem, with the place in the earlier state.
  public let description: String

  /// Creates an error, for example for a state that a migration does not accept.
  public init(_ description: String) { self.description = description }
}
