internal import SchemaNames
package import Wire

/// An action that the schema offers.
package struct ActionEntry: Equatable, Sendable, Identifiable {
  /// The path in users' notation. Empty brackets stand for the id of an element: `todos.todos[].textChanged`.
  package let name: String
  /// The cases that lead to it, without those below the id of an element.
  let path: [PathStep]
  /// The values that it needs.
  package let payload: [Schema.Payload]
  /// Where the id of the element is inserted.
  package let target: Target
  /// The first paragraph of its documentation comment; empty if there is none.
  package var help = ""

  /// How an action is for one element of a collection.
  package enum Target: Equatable, Sendable {
    /// It is for no element.
    case none
    /// The brackets of the name are for the id of an element of the collection at this path.
    case brackets(collection: String)
    /// The value with this index is the id of an element of the collection at this path.
    case value(Int, collection: String)
  }

  package var id: String { name }
  /// The last case as people read it.
  package var title: String { Wording.title(name.split(separator: ".").last.map(String.init) ?? name) }
  /// The path of the collection for whose elements the action is.
  package var collection: String? {
    switch target {
    case .none: nil
    case .brackets(let collection), .value(_, let collection): collection
    }
  }

  /// True if features usually send such an action to themselves: answers of effects, ticks, the start of the hub.
  package var isInternal: Bool {
    let last = (name.split(separator: ".").last ?? "").lowercased()
    if name.contains("delegate.") || last.hasPrefix("_") || name.contains("internal.") { return true }
    return [
      "response", "received", "ticked", "loaded", "failed", "hubstarted", "onappear", "task", "resumed", "result",
    ]
    .contains { last == $0 || last.hasSuffix($0) }
  }

  /// The values that a form asks for, when the id of the element is known.
  package func asked(withElement hasElement: Bool) -> [Schema.Payload] {
    guard hasElement, case .value(let index, _) = target else { return payload }
    return payload.indices.filter { $0 != index }.map { payload[$0] }
  }
}

extension Schema {
  /// All actions of the feature, in the order of their declaration. The changes of shared models are not among them.
  /// - Complexity: O(actions × collections of the state).
  package func actionEntries(_ documentation: SchemaDocumentation = SchemaDocumentation()) -> [ActionEntry] {
    var list = ActionList(self, documentation)
    list.collect(action, name: "", path: [], element: nil, depth: 0)
    return list.entries
  }

}

/// The actions of a schema while they are being listed.
private struct ActionList {
  private(set) var entries: [ActionEntry] = []
  private let schema: Schema
  private let documentation: SchemaDocumentation
  private let collections: [CollectionPlace]
  private let stateTypes: Set<SchemaType>
  /// The maximum number of listed actions; a schema with more is not for people.
  private static let countLimit = 4096
  private static let depthLimit = 10

  init(_ schema: Schema, _ documentation: SchemaDocumentation) {
    (self.schema, self.documentation) = (schema, documentation)
    (collections, stateTypes) = (schema.collections, schema.stateTypes)
  }

  mutating func collect(_ type: SchemaType, name: String, path: [PathStep], element: String?, depth: Int) {
    guard depth < Self.depthLimit, let cases = schema.cases(of: type) else { return }
    for item in cases {
      guard entries.count < Self.countLimit else { return }
      if item == schema.elementCase(of: type) {
        // A collection in the element of another one has no place without both ids.
        guard element == nil, let collection = collections.first(where: { $0.path == name })?.path else { continue }
        collect(
          item.payload[1].type, name: name + "[]", path: path + [.key(item.key)], element: collection, depth: depth + 1)
        continue
      }
      // The bytes behind an id are at no fixed place.
      let steps = element == nil ? path + [.key(item.key)] : path
      let itemName = name.isEmpty ? NameText.name(item.name) : "\(name).\(NameText.name(item.name))"
      if item.payload.count == 1 {
        let inner = item.payload[0].type
        if inner.isChange || inner == .named("Never") { continue }
        // An enum that the state contains too is a value, and not one of further actions.
        if schema.cases(of: inner) != nil, !stateTypes.contains(inner) {
          collect(inner, name: itemName, path: steps, element: element, depth: depth + 1)
          continue
        }
      }
      let target = element.map { ActionEntry.Target.brackets(collection: $0) } ?? self.target(of: item, in: name)
      entries.append(
        ActionEntry(name: itemName, path: steps, payload: item.payload, target: target, help: help(item, type)))
    }
  }

  private func help(_ item: Schema.Case, _ type: SchemaType) -> String {
    guard case .definition(let index) = type, let text = documentation.text(ofMember: item.key, of: index) else {
      return ""
    }
    return ReadableValue.safe(SchemaDocumentation.summary(of: text))
  }

  /// The collection whose element a value of an action identifies: one of the same feature with ids of this type, if the
  /// label names its elements and nothing else fits. Any other value may be another number or text of the same type, and
  /// is asked for.
  private func target(of item: Schema.Case, in feature: String) -> ActionEntry.Target {
    let near = collections.filter { $0.parent == feature }
    let fitting = item.payload.enumerated().flatMap { index, value in
      near.filter { $0.idType == value.type && $0.isNamed(by: value.label) }.map { (index, $0.path) }
    }
    guard fitting.count == 1 else { return .none }
    return .value(fitting[0].0, collection: fitting[0].1)
  }
}

/// A collection with ids at a fixed place of the state.
struct CollectionPlace {
  let path: String
  /// The path of the part that contains it.
  let parent: String
  let name: String
  let idType: SchemaType

  /// True if a label names the id of an element: `orderID` for `orders`, `entryID` for `entries`.
  func isNamed(by label: String) -> Bool {
    guard label.hasSuffix("ID") || label.hasSuffix("Id"), label.count > 2 else { return false }
    let (stem, name) = (label.dropLast(2).lowercased(), name.lowercased())
    return name == stem || name == stem + "s" || name == stem + "es"
      || stem.hasSuffix("y") && name == stem.dropLast() + "ies"
  }
}

extension Schema {
  /// The types in the state.
  var stateTypes: Set<SchemaType> {
    var (found, pending): (Set<SchemaType>, [SchemaType]) = ([], [state])
    while let type = pending.popLast() {
      guard found.insert(type).inserted else { continue }
      switch type {
      case .named(let name, let parts):
        // The actions of a prompt's buttons are no values.
        switch NamedLayout(name, parts.count) {
        case .alert, .dialog, .button: continue
        default: pending += parts
        }
      case .definition(let index):
        switch definitions[index].content {
        case .fields(let fields): pending += fields.map(\.type)
        case .cases(let cases): pending += cases.flatMap { $0.payload.map(\.type) }
        }
      }
    }
    return found
  }

  /// The collections with ids that a fixed path leads to.
  var collections: [CollectionPlace] {
    var found: [CollectionPlace] = []
    visitPlaces { path, name, parent, type in
      guard case .named(let container, let parts) = type else { return }
      switch NamedLayout(container, parts.count) {
      case .identified: found.append(CollectionPlace(path: path, parent: parent, name: name, idType: parts[0]))
      case .stack:
        found.append(CollectionPlace(path: path, parent: parent, name: name, idType: .named("StackElementID")))
      default: break
      }
    }
    return found
  }

  /// Visits the places of the state that a fixed path leads to: fields, also in optionals and in the only value of a
  /// case; at most 4,096.
  ///
  /// - Parameter visit: Called with the path, the last name, the path of the struct that contains it, and the type
  ///   without the optionals around it.
  func visitPlaces(_ visit: (_ path: String, _ name: String, _ parent: String, _ type: SchemaType) -> Void) {
    var pending: [(path: String, name: String, parent: String, type: SchemaType, depth: Int)] = [
      ("", "", "", state, 0)
    ]
    var index = 0
    while index < pending.count, index < 4096 {
      let place = pending[index]
      index += 1
      let type = FieldRank.unwrapped(place.type)
      visit(place.path, place.name, place.parent, type)
      guard place.depth < 8, case .definition(let number) = type else { continue }
      func add(_ name: String, _ type: SchemaType) {
        let name = NameText.name(name)
        let path = place.path.isEmpty ? name : "\(place.path).\(name)"
        pending.append((path, name, place.path, type, place.depth + 1))
      }
      switch definitions[number].content {
      case .fields(let fields): for field in fields { add(field.name, field.type) }
      case .cases(let cases):
        for item in cases where item.payload.count == 1 { add(item.name, item.payload[0].type) }
      }
    }
  }
}
