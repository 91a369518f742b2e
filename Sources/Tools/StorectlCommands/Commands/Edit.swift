internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

/// An edit of a part of a shared model by one command: the part, the action that changes it, and the hub.
struct Edit {
  private let tool: Tool
  private var hub: HubConnection
  let schema: Schema
  /// The path as given.
  let name: String
  /// The path, whose ids are those of the hub's elements.
  private(set) var path: PartPath
  private let shared: SharedPart

  /// Connects to the hub, and finds the action that changes a part.
  ///
  /// - Parameter entersOptionals: True to take the wrapped collection for an optional one.
  init(_ tool: Tool, _ name: String, enteringOptionals entersOptionals: Bool = false) async throws(ToolFailure) {
    let hub = try await tool.connect()
    let schema = hub.schema(of: .feature)
    var (inner, optionals) = (try tool.part(name, in: schema).type, 0)
    while case .named(let type, let parts) = inner, NamedLayout(type, parts.count) == .optional {
      (inner, optionals) = (parts[0], optionals + 1)
    }
    let isCollection =
      if case .named(let type, let parts) = inner { NamedLayout(type, parts.count) != nil } else { false }
    let whole = entersOptionals && isCollection ? name + String(repeating: "?", count: optionals) : name
    try self.init(tool, hub, schema, whole, try tool.part(whole, in: schema))
    try await findStoredIDs()
  }

  private init(
    _ tool: Tool, _ hub: HubConnection, _ schema: Schema, _ name: String, _ path: PartPath
  ) throws(ToolFailure) {
    (self.tool, self.hub, self.schema, self.name, self.path) = (tool, hub, schema, name, path)
    let shared = schema.sharedParts
    guard let found = shared.first(where: { path.steps.starts(with: $0.path) }) else {
      throw ToolFailure(.unknownName, Self.missing(name, path, shared, schema))
    }
    self.shared = found
  }

  /// The reason why no action changes a part.
  private static func missing(_ name: String, _ path: PartPath, _ shared: [SharedPart], _ schema: Schema) -> String {
    let parts = shared.compactMap { try? schema.name(of: $0.path) }
    let inside = zip(shared, parts).filter { $0.0.path.starts(with: path.steps) }.map(\.1)
    if !inside.isEmpty {
      let place = name.isEmpty || name == "." ? "the state" : "'\(name)'"
      return "\(place) is changed part by part: \(inside.joined(separator: ", "))"
    }
    let what = "this hub's feature has no action that changes '\(name)' in place"
    // Most features name their actions like the parts.
    var stem = name.split(separator: ".").map(String.init)
    var near: [String] = []
    while near.isEmpty, !stem.isEmpty {
      stem.removeLast()
      near = schema.actionCompletions(stem.isEmpty ? "" : stem.joined(separator: ".") + ".").map(\.text)
    }
    let actions =
      near.isEmpty ? "" : "; its actions are \(near.prefix(6).joined(separator: ", "))\(near.count > 6 ? ", …" : "")"
    return what + (parts.isEmpty ? "" : ", only \(parts.joined(separator: ", "))") + actions + " (`storectl send`)"
  }

  private var steps: some Sequence<PartPath.Step> {
    (path.steps.map { .part($0) } + path.rest).dropFirst(shared.path.count)
  }

  var layout: NamedLayout? {
    if case .named(let name, let parts) = path.type { NamedLayout(name, parts.count) } else { nil }
  }

  /// A type in the type of the part.
  func partType(_ index: Int) -> SchemaType {
    if case .named(_, let parts) = path.type, index < parts.count { parts[index] } else { path.type }
  }

  // MARK: Values

  /// The value of a word on the command line.
  func value(_ word: String, as type: SchemaType) throws(ToolFailure) -> CBORValue {
    do { return try SchemaJSON(schema).value(of: try tool.value(word, type), as: type) } catch let error as ToolFailure
    {
      throw error
    } catch let error as SchemaValueError {
      throw ToolFailure(error)
    } catch {
      throw ToolFailure(.unknownName, "\(error)")
    }
  }

  func json(_ json: JSONValue, as type: SchemaType) throws(ToolFailure) -> CBORValue {
    do throws(SchemaValueError) { return try SchemaJSON(schema).value(of: json, as: type) } catch {
      throw ToolFailure(error)
    }
  }

  /// The new element of an identified array or a stack.
  func element(_ word: String) throws(ToolFailure) -> CBORValue {
    guard layout == .stack else { return try value(word, as: partType(1)) }
    // Only a stack has a form for its elements, which are pairs.
    do {
      let list = try SchemaJSON(schema).value(of: .array([try tool.value(word, nil)]), as: path.type)
      if case .array(let items) = list, let element = items.first { return element }
    } catch let error as ToolFailure {
      throw error
    } catch {
      throw ToolFailure(.unknownName, "\(error)")
    }
    throw ToolFailure(.unknownName, "expected an element")
  }

  /// The id or key of a word that is written as between brackets.
  func id(_ word: String) throws(ToolFailure) -> CBORValue {
    do throws(SchemaValueError) { return try schema.id(named: word, ofElementsIn: path.type) } catch {
      throw ToolFailure(.unknownName, "\(word): \(error.reason)")
    }
  }

  func pair(_ key: [UInt8], _ value: CBORValue) throws(ToolFailure) -> CBORValue.Pair {
    do throws(WireError) {
      return CBORValue.Pair(key: try CBORValue(decoding: key.span.bytes), value: value)
    } catch {
      throw ToolFailure(.unknownName, "\(error)")
    }
  }

  /// The collection of the element or value that the path ends with; nil if it ends with none.
  func collection() throws(ToolFailure) -> Edit? {
    guard let name = schema.collectionName(ofElementNamed: name) else { return nil }
    return try Edit(tool, hub, schema, name, try tool.part(name, in: schema).replacing(path.steps))
  }

  /// The id or key that the path ends with, and its collection.
  func item() throws(ToolFailure) -> (id: CBORValue, collection: Edit) {
    if let collection = try collection() {
      switch (path.rest.last, path.steps.last) {
      case (.key(let key)?, _), (.part(.id(let key))?, _), (nil, .id(let key)?):
        return (try pair(key, .null).key, collection)
      default: break
      }
    }
    throw ToolFailure(
      .unknownName,
      "'\(name)' is no element with an id or a key; `storectl set` changes it, with null if it is optional")
  }

  // MARK: The hub's state

  /// Reads a part for a check; nil if this user may not.
  private mutating func read(_ steps: [PathStep]) async throws(ToolFailure) -> HubConnection.Scope? {
    guard hub.mayReadHub else { return nil }
    return try await tool.subscribe(to: steps, reconnecting: &hub, keeping: false)
  }

  /// Replaces the ids of the path by those of the elements that the hub finds by them.
  private mutating func findStoredIDs() async throws(ToolFailure) {
    let steps = path.steps
    guard steps.contains(where: \.mayHaveOtherForms), Attach.excess(of: steps) == nil,
      try await read(steps)?.mirror.value == nil
    else { return }
    let stored = try await tool.storedPath(steps) { (steps) async throws(ToolFailure) in try await read(steps) }
    if let stored { path = path.replacing(stored) }
  }

  /// An element that is searched by its id.
  private enum Stored {
    case absent
    /// The element has this id, which may have other bytes.
    case with(CBORValue)
    /// This user may not know.
    case unknown
  }

  /// Searches an element of this collection as the hub does for a change.
  private mutating func stored(_ id: CBORValue) async throws(ToolFailure) -> Stored {
    if path.rest.isEmpty {
      guard let element = try await read(path.steps + [.id(id.encoded())]) else { return .unknown }
      if element.mirror.value != nil { return .with(id) }
      // Only now is it worth to read all elements.
      guard ElementID(id).mayHaveOtherForms else { return .absent }
    }
    guard let scope = try await read(path.steps) else { return .unknown }
    guard let list = scope.part(path.rest) else { return .absent }
    return SchemaValues(schema).storedID(id, in: list.value, as: list.type).map { .with($0) } ?? .absent
  }

  /// Refuses a part that the hub's state does not have, also within a value of a dictionary.
  ///
  /// - Parameter advice: How to create it.
  mutating func requireExisting(otherwise advice: String? = nil) async throws(ToolFailure) {
    // An element of a plain array, and a number of elements, are refused for another reason.
    let leadsOn = !path.rest.isEmpty && path.rest.allSatisfy(\.leadsToPart)
    guard path.steps.count > shared.path.count || leadsOn, let scope = try await read(path.steps) else { return }
    guard scope.mirror.value == nil || leadsOn && scope.part(path.rest) == nil else { return }
    throw ToolFailure(.absent, "there is no \(name)\(advice.map { "; \($0)" } ?? "")")
  }

  /// Refuses the id of an element that the hub's state has.
  mutating func requireNo(_ id: CBORValue) async throws(ToolFailure) {
    if path.rest.isEmpty, let excess = Attach.excess(of: path.steps + [.id(id.encoded())]) {
      throw ToolFailure(.failed, "not sent, because no client could attach the new element by its id: \(excess)")
    }
    guard case .with(let found) = try await stored(id) else { return }
    guard found != id else {
      throw ToolFailure(.failed, "there is \(element(id)) already; `storectl set` changes it")
    }
    let (new, old) = (LookAlikes.escapedKeys(element(id)), LookAlikes.escapedKeys(element(found)))
    throw ToolFailure(
      .failed,
      "there is \(old) already, and \(new) is the same id with other bytes, so that the new element would replace it; "
        + "`storectl set` changes it")
  }

  private func element(_ id: CBORValue) -> String {
    guard !path.rest.isEmpty else { return (try? schema.name(of: path.steps + [.id(id.encoded())])) ?? name }
    let type = ElementType(path.type, in: schema)
    return name + schema.text(ofID: id.encoded(), type.idType, isInStack: type.isInStack)
  }

  /// The place in this collection that the options name.
  ///
  /// - Parameter moved: The id of the element that is moved there.
  mutating func place(
    default anchor: ChangeEdit.Place.Anchor?, of moved: CBORValue? = nil
  ) async throws(ToolFailure) -> ChangeEdit.Place {
    let options = tool.options
    let given = ["at", "after", "before"].compactMap { options.string($0) }
    guard given.count == 1 || given.isEmpty && anchor != nil else {
      throw ToolFailure(.usage, "the place is one of --at, --after and --before")
    }
    switch (options.string("at"), options.string("after"), options.string("before")) {
    case ("start"?, _, _): return ChangeEdit.Place(.start)
    case ("end"?, _, _): return ChangeEdit.Place(.end)
    case (let other?, _, _): throw ToolFailure(.usage, "--at needs start or end, not '\(other)'")
    case (_, let word?, _):
      let id = try id(word)
      guard moved.map(ElementID.init) != ElementID(id) else {
        throw ToolFailure(.usage, "an element cannot be moved after itself")
      }
      switch try await stored(id) {
      case .absent: throw ToolFailure(.absent, "there is no \(element(id))")
      case .with(let found): return ChangeEdit.Place(.after(found))
      case .unknown: return ChangeEdit.Place(.after(id))
      }
    case (_, _, let word?): return try await place(before: try id(word), of: moved)
    default: return ChangeEdit.Place(anchor ?? .end)
    }
  }

  private mutating func place(
    before id: CBORValue, of moved: CBORValue?
  ) async throws(ToolFailure) -> ChangeEdit.Place {
    guard moved.map(ElementID.init) != ElementID(id) else {
      throw ToolFailure(.usage, "an element cannot be moved before itself")
    }
    let scope = try await hub.subscribe(to: path.steps, of: .feature)
    let type = ElementType(path.type, in: schema)
    guard let value = scope.part(path.rest)?.value, let elements = type.elements(of: value) else {
      throw ToolFailure(.absent, "there is no \(name)")
    }
    var (previous, offset): (CBORValue?, UInt64) = (nil, 0)
    for element in elements {
      guard let other = type.id(of: element) else { continue }
      if other == ElementID(id) {
        return ChangeEdit.Place(previous.map { .after($0) } ?? .start, offset: offset)
      }
      if moved.map(ElementID.init) == other { continue }
      (previous, offset) = (other.value, offset + 1)
    }
    throw ToolFailure(.absent, "there is no \(element(id))")
  }

  // MARK: Sending

  /// Sends the edit, waits for the hub, and prints what was done.
  func send(_ verb: ChangeEdit.Verb) async throws(ToolFailure) {
    let action: CBORValue
    do throws(SchemaValueError) { action = try schema.action(changing: shared, verb, at: steps) } catch {
      throw ToolFailure(error)
    }
    try Tool.checkReading(of: action, schema)
    let revision = try await tool.outcome(of: try hub.send(action), hub)
    if tool.isJSON {
      let json = SchemaJSON(schema).json(of: action, as: schema.action)
      return tool.print(["applied": .bool(true), "revision": .integer(revision), "action": json])
    }
    tool.print(["\(ValueText.safe(schema.text(ofAction: action))) \(tool.palette.faint("(revision \(revision))"))"])
  }
}

extension PartPath.Step {
  /// True for a step to a part that an action can change.
  fileprivate var leadsToPart: Bool {
    switch self {
    case .part, .key: true
    case .index, .count: false
    }
  }
}
