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
    reference = ViewReference(name: name, parameter: parameter.encoded())
  }
}

/// A view of any type: its name, and its parameter as bytes.
public struct ViewReference: Hashable, Sendable {
  /// The name in the feature's declaration.
  public let name: String
  /// The parameter in deterministic CBOR; nil for a view without one.
  public let parameter: [UInt8]?

  /// Names a view.
  public init(name: String, parameter: [UInt8]? = nil) { (self.name, self.parameter) = (name, parameter) }
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
    let path = [PathStep.key(field.key)] + (view.parameter.map { [.id($0)] } ?? [])
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
  @discardableResult
  package func checkView(_ path: [PathStep]) throws(SchemaPathError) -> Int {
    guard let first = path.first else {
      throw SchemaPathError(step: 0, reason: "the views can be attached only one by one, and this path names none")
    }
    guard case .named("View", _) = try type(at: [first]) else { return 1 }
    guard path.count > 1, case .id = path[1] else {
      throw SchemaPathError(step: 1, reason: "this view has values for a parameter, and this path names none")
    }
    _ = try type(at: [first, path[1]])
    return 2
  }
}
