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
      self = .group(Group(style: .fields, prefix: "(", suffix: ")", children: fields(of: mirror)))
    case .enum:
      self = .init(enum: value, mirror, type: type, isRoot: isRoot, names: &names)
    case .struct:
      let prefix = names[type] + "("
      self = .group(Group(style: .fields, prefix: prefix, suffix: ")", children: fields(of: mirror)))
    case .class, .foreignReference:
      let prefix = names[type] + "("
      self = .group(
        Group(
          style: .fields, prefix: prefix, suffix: ")", children: fields(of: mirror),
          object: value as AnyObject))
    case .optional, nil:
      self = .init(plain: value, mirror, type: type, names: &names)
    @unknown default:
      self = .init(plain: value, mirror, type: type, names: &names)
    }
  }

  private init(enum value: Any, _ mirror: Mirror, type: Any.Type, isRoot: Bool, names: inout TypeNames) {
    let owner = isRoot ? names[type] : ""
    guard let payload = mirror.children.first else {
      self = .leaf("\(owner).\(caseName(of: value) ?? String(describing: value))")
      return
    }
    let inner = Mirror(reflecting: payload.value)
    let isList = inner.displayStyle == .tuple && !inner.children.isEmpty
    let children = isList ? fields(of: inner) : [Child(value: payload.value)]
    self = .group(
      Group(style: .fields, prefix: "\(owner).\(payload.label ?? "_")(", suffix: ")", children: children))
  }

  /// Numbers, functions, types and other values that mirrors do not describe.
  private init(plain value: Any, _ mirror: Mirror, type: Any.Type, names: inout TypeNames) {
    if let type = value as? any Any.Type {
      self = .leaf(typeName(type, generics: true))
    } else if value is any CustomStringConvertible || mirror.children.isEmpty {
      self = .leaf(String(describing: value))
    } else {
      let prefix = names[type] + "("
      self = .group(Group(style: .fields, prefix: prefix, suffix: ")", children: fields(of: mirror)))
    }
  }
}

/// The fields of a structure, a superclass's first, without storage that macros generate.
private func fields(of mirror: Mirror) -> [Child] {
  var fields = mirror.superclassMirror.map(fields(of:)) ?? []
  for child in mirror.children {
    // A macro's storage, such as `_$observationRegistrar`, is not part of the value; nor is an actor's queue.
    if let label = child.label, label.hasPrefix("_$") || label == "$defaultActor" { continue }
    // The elements of a tuple without labels have the labels `.0`, `.1`, ….
    let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
    fields.append(Child(label: label.map(Label.name) ?? .none, value: child.value))
  }
  return fields
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
