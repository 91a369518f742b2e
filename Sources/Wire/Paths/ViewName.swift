/// The name of a view that a hub's feature declares, with the value of its parameter if it has one.
///
/// A client names the view and the type of its values. A module that the client and the hub share is the place for it:
///
/// ```swift
/// extension ViewName<Counts> { static let counts = ViewName("counts") }
/// extension ViewName<IdentifiedArrayOf<Todo>> {
///   static func tagged(_ tag: String) -> ViewName { ViewName("tagged", tag) }
/// }
/// ```
public struct ViewName<Value: Replicated>: Hashable, Sendable {
  /// The name of the view and its parameter.
  public let reference: ViewReference

  /// Names a view without a parameter.
  public init(_ name: String, of type: Value.Type = Value.self) { reference = ViewReference(name: name) }

  /// Names the values of a view for a parameter.
  public init(_ name: String, _ parameter: some WireValue, of type: Value.Type = Value.self) {
    reference = ViewReference(name: name, value: parameter)
  }
}

/// A view of any type: its name, and its parameter as bytes.
public struct ViewReference: Hashable, Sendable {
  /// The name in the feature's declaration.
  public let name: String
  /// The parameter in deterministic CBOR; nil for a view without one.
  public let parameter: [UInt8]?
  /// The type of the parameter; nil if its bytes are those of the hub's type.
  private let parameterType: (any WireValue.Type)?

  /// The maximum number of bytes of a parameter.
  package static var parameterLimit: Int { 1024 }

  /// Names a view.
  ///
  /// - Parameters:
  ///   - name: The name in the feature's declaration.
  ///   - parameter: The parameter as the hub's schema describes it, in deterministic CBOR; nil for none.
  public init(name: String, parameter: [UInt8]? = nil) {
    (self.name, self.parameter, parameterType) = (name, parameter, nil)
  }

  /// Names the values of a view for a parameter, which is mapped by name if the hub's type of it is of another release.
  public init<Parameter: WireValue>(name: String, value: Parameter) {
    (self.name, parameter, parameterType) = (name, value.encoded(), Parameter.self)
  }

  /// Compares the names, and the parameters by their types and bytes.
  public static func == (first: Self, second: Self) -> Bool {
    first.name == second.name && first.parameter == second.parameter && first.typeIdentity == second.typeIdentity
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(parameter)
    hasher.combine(typeIdentity)
  }

  private var typeIdentity: ObjectIdentifier? { parameterType.map { ObjectIdentifier($0) } }

  /// The bytes of the parameter for the type that a hub has of it.
  ///
  /// - Throws: The reason why it has no such value.
  fileprivate func parameter(for type: SchemaType, of schema: Schema) throws(SchemaPathError) -> [UInt8]? {
    guard let parameter else { return nil }
    var bytes = parameter
    if let parameterType {
      let own = Self.schema(of: parameterType)
      do throws(SchemaMismatch) {
        let mapping = try SchemaMapping(from: own, to: schema, .types(source: own.state, target: type))
        bytes = try Self.map(parameter, by: mapping)
      } catch {
        throw SchemaPathError(step: 1, reason: "the parameter of \(self) has another type on this hub: \(error)")
      }
    }
    guard bytes.count <= Self.parameterLimit else {
      let reason = "the parameter of \(self) has \(bytes.count) bytes; hubs take \(Self.parameterLimit)"
      throw SchemaPathError(step: 1, reason: reason)
    }
    return bytes
  }

  private static func schema<Parameter: WireValue>(of type: Parameter.Type) -> Schema {
    Schema(state: type, action: Never.self)
  }

  private static func map(_ bytes: [UInt8], by mapping: SchemaMapping) throws(SchemaMismatch) -> [UInt8] {
    if mapping.isIdentity { return bytes }
    do throws(WireError) {
      var decoder = unsafe CBORDecoder(bytes.span.bytes)
      var encoder = CBOREncoder()
      try mapping.mapValue(&decoder, to: &encoder)
      try decoder.finish()
      return encoder.bytes
    } catch {
      throw SchemaMismatch(description: error.description)
    }
  }
}

extension ViewReference: CustomStringConvertible {
  /// The name as users write it, without the parameter: `view:counts`.
  public var description: String { "view:\(name)" }
}

extension Schema {
  /// The path of a view from the root of the views, of whose schema this is.
  ///
  /// - Throws: The reason why there is no such view, or why it has no value for this parameter.
  package func path(of view: ViewReference) throws(SchemaPathError) -> [PathStep] {
    guard case .definition(let index) = state, case .fields(let fields) = definitions[index].content,
      let field = fields.first(where: { $0.name == view.name })
    else { throw SchemaPathError(step: 0, reason: "the feature declares no view '\(view.name)'") }
    let type: SchemaType? = if case .named("View", let parts) = field.type { parts.first } else { nil }
    let parameter = try type.map { (type) throws(SchemaPathError) in try view.parameter(for: type, of: self) }
    let path = [PathStep.key(field.key)] + ((parameter ?? view.parameter).map { [.id($0)] } ?? [])
    try checkView(path)
    return path
  }

  /// The view into whose value a path from the root of the views leads, and the steps from that value.
  ///
  /// - Throws: The reason why it leads into none.
  package func view(at path: [PathStep]) throws(SchemaPathError) -> (view: ViewReference, steps: [PathStep]) {
    let count = try checkView(path)
    let parameter: [UInt8]? = if count == 2, case .id(let bytes) = path[1] { bytes } else { nil }
    return (ViewReference(name: fieldName(of: path[0]), parameter: parameter), Array(path.dropFirst(count)))
  }

  private func fieldName(of step: PathStep) -> String {
    guard case .definition(let index) = state, case .fields(let fields) = definitions[index].content,
      case .key(let key) = step
    else { return "" }
    return fields.first { $0.key == key }?.name ?? ""
  }

  /// Refuses a path that does not lead into the values of a view.
  ///
  /// - Returns: The number of steps to the view's value.
  /// - Throws: An error at step 1 if the view has a parameter, and the path has none, or no value of its type; at step 0
  ///   if there is no such view.
  @discardableResult
  package func checkView(_ path: [PathStep]) throws(SchemaPathError) -> Int {
    guard let first = path.first else {
      throw SchemaPathError(step: 0, reason: "the views can be attached only one by one, and this path names none")
    }
    guard case .named("View", let parts) = try type(at: [first]), parts.count == 2 else { return 1 }
    let view = "view:\(fieldName(of: first))"
    guard path.count > 1, case .id(let parameter) = path[1] else {
      let reason = "\(view) has a value for each parameter, and this path has none; name one, as in \(view)[PARAMETER]"
      throw SchemaPathError(step: 1, reason: reason)
    }
    do throws(WireError) { try check(parameter, parts[0]) } catch {
      let reason = "the parameter of \(view) is no value of its type, \(name(of: parts[0])): \(error)"
      throw SchemaPathError(step: 1, reason: reason)
    }
    return 2
  }
}
