/// The type of the elements of an identified array or a stack, and where an element has its id.
struct ElementType {
  /// The type of an element; in a stack, of what stands behind the id.
  let element: SchemaType
  /// Whether each element is written as `[id, element]`.
  let isInStack: Bool
  /// The type of the ids.
  let idType: SchemaType
  /// The keys that lead from an element to its id; none in a stack, and for an element that computes its id.
  private let idPath: [UInt64]

  /// - Precondition: `type` is an identified array or a stack.
  init(_ type: SchemaType, in schema: Schema) {
    guard case .named(let name, let parts) = type else {
      preconditionFailure("only named types have elements with ids")
    }
    isInStack = NamedLayout(name, parts.count) == .stack
    element = isInStack ? parts[0] : parts[1]
    idType = isInStack ? .named("StackElementID") : parts[0]
    if case .definition(let index) = element, !isInStack {
      idPath = schema.definitions[index].id
    } else {
      idPath = []
    }
  }

  /// The id of an element, in the form that is compared.
  func id(of element: CBORValue) -> CBORValue? {
    if case .array(let items) = element, isInStack { return items.first?.comparable }
    guard !idPath.isEmpty else { return nil }
    var value = element
    for key in idPath {
      guard case .map(let pairs) = value, let pair = pairs.first(where: { $0.key == .unsigned(key) }) else {
        return nil
      }
      value = pair.value
    }
    return value.comparable
  }
}

extension CBORValue {
  /// The form in which ids are compared: as at the hub, zero is equal to minus zero, as equal texts are.
  var comparable: CBORValue {
    switch self {
    case .float(let bits) where bits << 1 == 0: .float(bits: 0)
    case .array(let items): .array(items.map(\.comparable))
    case .map(let pairs): .map(pairs.map { Pair(key: $0.key, value: $0.value.comparable) })
    default: self
    }
  }
}
