/// A value without its wrappers, and one level of its contents.
struct Reflection {
  let type: Any.Type
  let node: Node

  /// - Parameter isRoot: True for the outermost value. Inside others an enum is `.case`, without its type.
  /// - Parameter isBefore: True if shared references have their values before a change.
  init(_ value: Any, isRoot: Bool, isBefore: Bool, names: inout TypeNames) {
    let (value, known) = unwrapped(value, isBefore: isBefore)
    type = Swift.type(of: value)
    node = known ?? Node(reflecting: value, type: type, isRoot: isRoot, names: &names)
  }
}

/// Removes invisible wrappers: optionals, type erasure, and types that dump as another value.
private func unwrapped(_ value: Any, isBefore: Bool) -> (Any, Node?) {
  var value = value
  while true {
    if let text = value as? String { return (text, .string(text)) }
    if let known = value as? any CustomDumpStringConvertible { return (value, .leaf(known.customDumpDescription)) }
    if let reference = value as? any DumpedReference {
      value = isBefore ? reference.dumpedValueBefore : reference.dumpedValue
    } else if let other = value as? any CustomDumpRepresentable {
      value = other.customDumpValue
    } else if let known = value as? any LibraryDescribed {
      return (value, .leaf(known.libraryDescription))
    } else if let other = value as? any LibraryRepresented {
      value = other.libraryValue
    } else if Mirror(reflecting: value).displayStyle == .optional {
      guard let wrapped = Mirror(reflecting: value).children.first?.value else { return (value, .leaf("nil")) }
      value = wrapped
    } else {
      return (value, nil)
    }
  }
}

extension Node {
  fileprivate init(reflecting value: Any, type: Any.Type, isRoot: Bool, names: inout TypeNames) {
    if let dictionary = value as? any UnorderedDictionary {
      let children = dictionary.pairs.map { Child(label: .key($0), value: $1) }
      self = .group(Group(style: .unorderedKeyed, prefix: "[", suffix: "]", children: children))
      return
    }
    if let structure = value as? any LibraryReflected {
      let children = structure.libraryFields.map { Child(label: .name($0), value: $1) }
      self = .group(Group(style: .fields, prefix: names[type] + "(", suffix: ")", children: children))
      return
    }
    let mirror = Mirror(customDumpReflecting: value)
    switch mirror.displayStyle {
    case .collection:
      let children = mirror.children.enumerated().map { Child(label: .index($0), value: $1.value) }
      self = .group(Group(style: .sequence, prefix: "[", suffix: "]", children: children))
    case .set:
      let children = mirror.children.map { Child(value: $0.value) }
      self = .group(Group(style: .set, prefix: "Set([", suffix: "])", children: children))
    case .dictionary:
      self = .group(Group(style: .keyed, prefix: "[", suffix: "]", children: mirror.children.map(keyed)))
    case .tuple:
      self = .group(Group(mirror, prefix: "("))
    case .enum:
      self = .init(enum: value, mirror, type: type, isRoot: isRoot, names: &names)
    case .struct:
      self = .group(Group(mirror, prefix: names[type] + "("))
    case .class, .foreignReference:
      self = .group(Group(mirror, prefix: names[type] + "(", object: value as AnyObject))
    case .optional, nil:
      self = .init(plain: value, mirror, type: type, names: &names)
    @unknown default:
      self = .init(plain: value, mirror, type: type, names: &names)
    }
  }

  private init(enum value: Any, _ mirror: Mirror, type: Any.Type, isRoot: Bool, names: inout TypeNames) {
    let owner = isRoot ? names[type] : ""
    guard let payload = mirror.children.first else {
      self = .leaf("\(owner).\(String(describing: value))")
      return
    }
    let inner = Mirror(reflecting: payload.value)
    let prefix = "\(owner).\(payload.label ?? "_")("
    let isList = inner.displayStyle == .tuple && !inner.children.isEmpty
    self = .group(
      isList
        ? Group(inner, prefix: prefix)
        : Group(style: .fields, prefix: prefix, suffix: ")", children: [Child(value: payload.value)]))
  }

  /// Numbers, functions, types and other values that mirrors do not describe.
  private init(plain value: Any, _ mirror: Mirror, type: Any.Type, names: inout TypeNames) {
    if let type = value as? any Any.Type {
      self = .leaf(typeName(type, generics: true) + ".self")
    } else if value is any CustomStringConvertible || mirror.children.isEmpty {
      self = .leaf(String(describing: value))
    } else {
      self = .group(Group(mirror, prefix: names[type] + "("))
    }
  }
}

extension Group {
  /// A structure with the fields of a mirror.
  fileprivate init(_ mirror: Mirror, prefix: String, object: AnyObject? = nil) {
    self.init(style: .fields, prefix: prefix, suffix: ")", children: [], object: object)
    add(fieldsOf: mirror)
  }

  /// Adds fields, a superclass's first, without storage that macros generate.
  private mutating func add(fieldsOf mirror: Mirror) {
    if let superclass = mirror.superclassMirror { add(fieldsOf: superclass) }
    for child in mirror.children {
      // A macro's storage, such as `_$observationRegistrar`, is not part of the value; nor is an actor's queue.
      if child.label?.hasPrefix("_$") == true {
        hiddenCount += 1
        continue
      }
      if child.label == "$defaultActor" { continue }
      // The elements of a tuple without labels have the labels `.0`, `.1`, ….
      let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
      children.append(Child(label: label.map(Label.name) ?? .none, value: child.value))
    }
  }
}

/// Returns true for an optional value that is not nil and has no dump of its own: one part, not a text.
func isPresentOptional(_ value: Any) -> Bool {
  var value = value
  while let other = value as? any CustomDumpRepresentable { value = other.customDumpValue }
  if value is any CustomDumpStringConvertible || value is any LibraryDescribed || value is any LibraryRepresented {
    return false
  }
  let mirror = Mirror(reflecting: value)
  return mirror.displayStyle == .optional && !mirror.children.isEmpty
}

private func keyed(_ child: Mirror.Child) -> Child {
  let pair = Array(Mirror(reflecting: child.value).children)
  return pair.count == 2 ? Child(label: .key(pair[0].value), value: pair[1].value) : Child(value: child.value)
}

/// The names of types, each computed once per dump.
struct TypeNames {
  private var names: [ObjectIdentifier: String] = [:]

  subscript(type: Any.Type) -> String {
    mutating get {
      if let name = names[ObjectIdentifier(type)] { return name }
      let name = typeName(type)
      names[ObjectIdentifier(type)] = name
      return name
    }
  }
}
