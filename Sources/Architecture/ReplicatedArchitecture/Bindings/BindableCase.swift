internal import Wire

/// The cases of the enum in which a binding action travels.
enum BindableCase {
  /// The key of the case `self`, for a whole part.
  static let whole: UInt64 = 0

  /// The key of the case for a field; nil for the largest key, which leaves none.
  static func key(ofField key: UInt64) -> UInt64? { key < .max ? key + 1 : nil }

  /// Adds the cases for the fields of a state or a part.
  static func describe<Root: Replicated>(_ root: Root.Type, in cases: inout SchemaBuilder.Cases) {
    let description = Description<Root>(cases)
    Root.visitFields(description)
    cases = description.cases
    for field in fields(of: root) where !field.formerNames.isEmpty {
      if let key = key(ofField: field.key) { cases.was(field.formerNames, key: key) }
    }
  }

  private static func fields<Root: Replicated>(of root: Root.Type) -> [Schema.Field] {
    let schema = Schema(state: root, action: Bool.self)
    guard case .definition(let index) = schema.state, case .fields(let fields) = schema.definitions[index].content
    else { return [] }
    return fields
  }
}

/// The schema of the actions that set a part or a field of it; no value of it is made.
private struct PartAction<Part: Replicated & Equatable & Sendable>: WireValue {
  func encode(to encoder: inout CBOREncoder) {}

  init(from decoder: inout CBORDecoder) throws(WireError) {
    throw WireError(.unknownCase(0, type: "BindingAction"), at: decoder.offset)
  }

  static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    builder.enumeration(Self.self, name: "BindingAction") { cases in
      cases.enumCase("self", key: BindableCase.whole, labels: [""]) { (_: Part) in () }
      BindableCase.describe(Part.self, in: &cases)
    }
  }
}

private final class Description<Root: Replicated>: FieldVisitor {
  var cases: SchemaBuilder.Cases

  init(_ cases: SchemaBuilder.Cases) { self.cases = cases }

  func visit<Value: Replicated & Equatable & Sendable>(
    _ name: String, key: UInt64, _ path: any WritableKeyPath<Root, Value> & Sendable
  ) {
    guard let key = BindableCase.key(ofField: key) else { return }
    let parts = FieldCount<Value>()
    Value.visitFields(parts)
    if parts.count > 0 {
      cases.enumCase(name, key: key, labels: [""]) { (_: PartAction<Value>) in () }
    } else {
      cases.enumCase(name, key: key, labels: [""]) { (_: Value) in () }
    }
  }
}

private final class FieldCount<Root: Replicated>: FieldVisitor {
  private(set) var count = 0

  func visit<Value: Replicated & Equatable & Sendable>(
    _ name: String, key: UInt64, _ path: any WritableKeyPath<Root, Value> & Sendable
  ) {
    count += 1
  }
}
