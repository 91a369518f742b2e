/// Collects the definitions of the types in a schema, each once.
public struct SchemaBuilder {
  private var indices: [ObjectIdentifier: Int] = [:]
  private(set) var definitions: [Schema.Definition] = []
  /// The indices of the structs with fields that are not replicated. They are no part of a schema.
  private(set) var omitting: Set<Int> = []
  /// The names of types with raw values that may have a raw value that they do not accept. They are no part of a schema.
  private(set) var restricted: Set<String> = []

  /// True if a type has values without any bytes that its decoder accepts. It is no part of a schema.
  private(set) var hasUnwritableValues = false
  /// The visitor of one type's fields.
  fileprivate var visitor: (any FieldVisitor)?
  /// The comments of the definitions, for a builder that collects them.
  private(set) var documentation: SchemaDocumentation?

  /// Creates an empty builder.
  public init() {}

  init(visitor: any FieldVisitor) { self.visitor = visitor }

  init(documentation: SchemaDocumentation) { self.documentation = documentation }

  /// The fields of a struct, as they are added.
  public struct Fields {
    fileprivate var builder: SchemaBuilder
    fileprivate var fields: [Schema.Field] = []
    fileprivate var id: [UInt64] = []
    fileprivate var omits = false
    fileprivate var comments = SchemaDocumentation.Entry()

    /// Declares that the struct has fields that are not replicated, so different values may have the same bytes.
    public mutating func omitted() { omits = true }

    /// Declares the names that the field with a key had in earlier versions.
    public mutating func was(_ names: [String], key: UInt64) {
      for index in fields.indices where fields[index].key == key { fields[index].formerNames = names }
    }

    /// Adds the documentation comment of the struct.
    public mutating func document(_ text: String) {
      if builder.documentation != nil { comments.text = text }
    }

    /// Adds the documentation comment of the field with a key.
    public mutating func document(_ text: String, key: UInt64) {
      if builder.documentation != nil { comments.members[key] = text }
    }

    /// Adds a field that holds the state of a presented child.
    public mutating func presented<Root, Value: Replicated>(
      _ name: String, key: UInt64, _ path: KeyPath<Root, Value?>, hasDefault: Bool
    ) {
      let type = SchemaType.named("PresentationState", [Value.schema(in: &builder)])
      fields.append(Schema.Field(key: key, name: name, type: type, hasDefault: hasDefault))
    }

    /// The single diagnostic for a presented child whose state is not `Replicated`.
    @available(
      *, unavailable,
      message:
        "the state of this child cannot be replicated: mark its type '@Replicated', or this field '@Replicated(omit)'"
    )
    @_disfavoredOverload
    public mutating func presented<Root, Value>(
      _ name: String, key: UInt64, _ path: KeyPath<Root, Value?>, hasDefault: Bool
    ) {}

    /// Declares that this field is the struct's id.
    public mutating func id<Root: Replicated, Value>(_ field: KeyPath<Root, Value>) {
      id = Root.key(of: field).map { [$0] } ?? []
    }

    /// Declares that the struct's id is a field of a field.
    public mutating func id<Root: Replicated, Part: Replicated, Value>(
      _ field: KeyPath<Root, Part>, _ inner: KeyPath<Part, Value>
    ) {
      guard let key = Root.key(of: field), let innerKey = Part.key(of: inner) else { return }
      id = [key, innerKey]
    }

    /// Declares that the struct's id is the id of a field.
    public mutating func id<Root: Replicated, Part: Replicated>(of field: KeyPath<Root, Part>) {
      guard let key = Root.key(of: field), case .definition(let index) = Part.schema(in: &builder) else { return }
      let inner = builder.definitions[index].id
      if !inner.isEmpty { id = [key] + inner }
    }

    /// No effect: the part is not `Replicated`, which is reported where it is added.
    @_disfavoredOverload
    public mutating func id<Root, Part, Value>(_ field: KeyPath<Root, Part>, _ inner: KeyPath<Part, Value>) {}

    /// No effect: the part is not `Replicated`, which is reported where it is added.
    @_disfavoredOverload
    public mutating func id<Root, Part>(of field: KeyPath<Root, Part>) {}

    /// Adds a field, whose type comes from the key path.
    public mutating func replicated<Root, Value: Replicated>(
      _ name: String, key: UInt64, _ path: KeyPath<Root, Value>, hasDefault: Bool
    ) {
      let type = Value.schema(in: &builder)
      fields.append(Schema.Field(key: key, name: name, type: type, hasDefault: hasDefault))
    }

    /// Adds a field that can be set by itself; see `FieldVisitor`.
    public mutating func replicated<Root, Value: Replicated & Equatable & Sendable>(
      _ name: String, key: UInt64, _ path: any WritableKeyPath<Root, Value> & Sendable, hasDefault: Bool
    ) {
      if let visitor = builder.visitor as? any FieldVisitor<Root> { visitor.visit(name, key: key, path) }
      let type = Value.schema(in: &builder)
      fields.append(Schema.Field(key: key, name: name, type: type, hasDefault: hasDefault))
    }

    /// The single diagnostic for a field whose type is not `Replicated`.
    @available(
      *, unavailable,
      message: """
        this field cannot be replicated: mark its type '@Replicated', or the field '@Replicated(omit)' and give it a \
        default; for a type of another module with a raw value, write 'extension TheType: @retroactive Replicated {}'
        """
    )
    @_disfavoredOverload
    public mutating func replicated<Root, Value>(
      _ name: String, key: UInt64, _ path: KeyPath<Root, Value>, hasDefault: Bool
    ) {}
  }

  /// The cases of an enum, as they are added.
  public struct Cases {
    fileprivate var builder: SchemaBuilder
    fileprivate var cases: [Schema.Case] = []
    fileprivate var comments = SchemaDocumentation.Entry()

    /// Adds a case.
    public mutating func enumCase(_ name: String, key: UInt64) {
      cases.append(Schema.Case(key: key, name: name, payload: []))
    }

    /// Declares the names that the case with a key had in earlier versions.
    public mutating func was(_ names: [String], key: UInt64) {
      for index in cases.indices where cases[index].key == key { cases[index].formerNames = names }
    }

    /// Adds the documentation comment of the enum.
    public mutating func document(_ text: String) {
      if builder.documentation != nil { comments.text = text }
    }

    /// Adds the documentation comment of the case with a key.
    public mutating func document(_ text: String, key: UInt64) {
      if builder.documentation != nil { comments.members[key] = text }
    }

    /// Adds a case; the types of its payload come from its constructor.
    public mutating func enumCase<Root, each Value: WireValue>(
      _ name: String, key: UInt64, labels: [String], _ constructor: (repeat each Value) -> Root
    ) {
      enumCase(name, key: key, labels: labels) { builder in
        var types: [SchemaType] = []
        for type in repeat (each Value).self { types.append(type.schema(in: &builder)) }
        return types
      }
    }

    /// Adds a case; `types` describes the types of its payload in their order.
    package mutating func enumCase(
      _ name: String, key: UInt64, labels: [String], types: (inout SchemaBuilder) -> [SchemaType]
    ) {
      let payload = zip(labels, types(&builder)).map { Schema.Payload(label: $0, type: $1) }
      cases.append(Schema.Case(key: key, name: name, payload: payload))
    }

    /// Adds a case of a `@Replicated` enum; the types of its payload come from its constructor.
    public mutating func replicated<Root, each Value: Replicated>(
      _ name: String, key: UInt64, labels: [String], _ constructor: (repeat each Value) -> Root
    ) {
      enumCase(name, key: key, labels: labels, constructor)
    }

    /// The single diagnostic for a case with a payload that is not `Replicated`.
    @available(
      *, unavailable,
      message: """
        the payload of this case cannot be replicated: mark its type '@Replicated'; for a type of another module with a \
        raw value, write 'extension TheType: @retroactive Replicated {}'
        """
    )
    @_disfavoredOverload
    public mutating func replicated<Root, each Value>(
      _ name: String, key: UInt64, labels: [String], _ constructor: (repeat each Value) -> Root
    ) {}
  }

  /// Describes a struct; `describe` adds its fields in the order of their keys.
  public mutating func structure(
    _ type: Any.Type, name: String, _ describe: (inout Fields) -> Void
  ) -> SchemaType {
    define(type, name: name) { builder in
      var fields = Fields(builder: builder)
      describe(&fields)
      builder = fields.builder
      return Description(content: .fields(fields.fields), id: fields.id, omits: fields.omits, comments: fields.comments)
    }
  }

  /// Describes an enum; `describe` adds its cases in the order of their keys.
  public mutating func enumeration(
    _ type: Any.Type, name: String, _ describe: (inout Cases) -> Void
  ) -> SchemaType {
    define(type, name: name) { builder in
      var cases = Cases(builder: builder)
      describe(&cases)
      builder = cases.builder
      return Description(content: .cases(cases.cases), comments: cases.comments)
    }
  }

  /// Describes the changes of a struct: an enum with a case for each field, whose payload is a change of the field's type.
  ///
  /// - Returns: An enum without cases for a type that is no struct.
  package mutating func changes<Model: WireValue>(_ type: Any.Type, name: String, of model: Model.Type) -> SchemaType {
    let model = model.schema(in: &self)
    return define(type, name: name) { builder in
      guard case .definition(let index) = model, case .fields(let fields) = builder.definitions[index].content else {
        return Description(content: .cases([]))
      }
      let cases = fields.map { field in
        let payload = Schema.Payload(label: "", type: .named("Change", [field.type]))
        return Schema.Case(key: field.key, name: field.name, payload: [payload], formerNames: field.formerNames)
      }
      let comments = builder.documentation?.entries[index]?.members ?? [:]
      return Description(content: .cases(cases), comments: .init(members: comments))
    }
  }

  /// Notes that a type has values without any bytes that its decoder accepts, such as the binding of a field that is not
  /// replicated.
  package mutating func noteUnwritableValues() { hasUnwritableValues = true }

  /// Notes that a value of a type may have a raw value that the type does not accept.
  mutating func noteRestricted(_ name: String) { restricted.insert(name) }

  private struct Description {
    let content: Schema.Content
    var id: [UInt64] = []
    var omits = false
    var comments = SchemaDocumentation.Entry()
  }

  private mutating func define(
    _ type: Any.Type, name: String, _ describe: (inout SchemaBuilder) -> Description
  ) -> SchemaType {
    let identity = ObjectIdentifier(type)
    if let index = indices[identity] { return .definition(index) }
    // Its index is reserved before its parts are described, so that types may be recursive.
    let index = definitions.count
    indices[identity] = index
    definitions.append(Schema.Definition(name: name, content: .fields([])))
    let described = describe(&self)
    definitions[index].content = described.content
    definitions[index].id = described.id
    if described.omits { omitting.insert(index) }
    if !described.comments.isEmpty { documentation?.add(described.comments, of: index) }
    return .definition(index)
  }
}
