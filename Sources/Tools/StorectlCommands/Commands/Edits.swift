internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let set = Self(
    "set", "set a part of a shared model",
    arguments: [.init("PATH", value: .path), .init("VALUE", .atMostOnce)],
    options: [.init("add", argument: "N", "add N to a counter, in place of a VALUE; others may add at the same time")],
    details: [
      .text(
        """
        For a hub whose feature has actions that change parts of its state, as that of a shared model. The value is JSON; \
        a text needs no quotes, as in send. Only the part at PATH is changed: what others do at the same time to other \
        parts is kept. The value of a dictionary's new key is inserted, but --add is for a counter that exists. null \
        empties an optional. Fields that a VALUE for a struct lacks stay as they are.
        """),
      .text(
        """
        The command waits for the hub, and prints the change as log does. If the hub's state shows that the part does \
        not exist, nothing is sent. If another client removes it at the same moment, the change has no effect.
        """),
      .code([
        "storectl set 'syncUps[3].title' 'Design'", "storectl set 'syncUps[3].theme' indigo",
        "storectl set 'ages[\"ann\"]' 30", "storectl set votes --add 2",
      ]),
    ])

  nonisolated static let insert = Self(
    "insert", "insert an element into a collection of a shared model",
    arguments: [.init("PATH", value: .path), .init("ELEMENT")], options: place,
    details: [
      .text(
        """
        PATH is an identified array, a stack (with [id, element] as the ELEMENT), an array, a set or a dictionary; or a \
        key of a dictionary, with its value as the ELEMENT. An id that the state shows to exist is refused; if another \
        client inserts it at the same moment, the later element replaces the earlier one where it is.
        """),
      .text(
        """
        An ID is written as between brackets. Texts of the same characters are one id, whatever their bytes. The place \
        is kept if others insert, move or remove elements at the same time: after the element that was before it. If that \
        one is gone, it is the end, with --before the same number of elements from the start. --before needs the right \
        to read the collection, in which it finds the element before that place.
        """),
      .code([
        "storectl insert syncUps '{\"id\": 7, \"title\": \"Design\"}' --after 3",
        "storectl insert 'syncUps[3].tags' weekly",
      ]),
    ])

  nonisolated static let remove = Self(
    "remove", "remove an element of a shared model",
    arguments: [.init("PATH", value: .path), .init("ITEM", .anyNumber)],
    details: [
      .text(
        """
        PATH is an element by its id, or a value of a dictionary by its key. With ITEMs, PATH is the collection, and each \
        ITEM a member of a set, a key or an id.
        """),
      .code(["storectl remove 'syncUps[3]'", "storectl remove 'syncUps[3].tags' weekly"]),
    ])

  nonisolated static let move = Self(
    "move", "move an element of a shared model", arguments: [.init("PATH", value: .path)], options: place,
    details: [
      .text("PATH is an element of an identified array or a stack by its id; see insert for the places."),
      .code(["storectl move 'syncUps[5]' --after 3", "storectl move 'syncUps[5]' --at start"]),
    ])

  private nonisolated static let place: [ProgramOptions.Option] = [
    .init(
      "at", argument: "END", "start or end; an element is inserted at the end if no place is given",
      value: .words(["start", "end"])),
    .init("after", argument: "ID", "the place after the element with this id"),
    .init("before", argument: "ID", "the place before the element with this id"),
  ]
}

extension Tool {
  func set() async throws(ToolFailure) {
    let word = options.arguments.dropFirst().first
    guard (word == nil) != (options.string("add") == nil) else {
      throw ToolFailure(.usage, "set needs a VALUE, or --add")
    }
    var edit = try await Edit(self, options.arguments.first ?? "")
    if let amount = options.string("add") {
      guard edit.path.type == .counter else {
        throw ToolFailure(.unknownName, "'\(edit.name)' is no counter, so that --add could undo what others set")
      }
      let number = try edit.json(.number(amount), as: .named("Int128"))
      let hasKey = if case .key? = edit.path.rest.last { true } else { false }
      try await edit.requireExisting(otherwise: hasKey ? "`storectl insert` creates a counter under a new key" : nil)
      return try await edit.send(.add(number))
    }
    let value = try edit.value(word ?? "", as: edit.path.type)
    if case .key(let key)? = edit.path.rest.last, var collection = try edit.collection() {
      guard edit.path.type != .counter else {
        let reason = "a value that is inserted is added to the one of the same key"
        throw ToolFailure(.usage, "'\(edit.name)' is a counter: \(reason); use --add, or `storectl insert`")
      }
      // Also if the key does not exist.
      try await collection.requireExisting()
      return try await collection.send(.insertPairs([try edit.pair(key, value)]))
    }
    try await edit.requireExisting()
    try await edit.send(.set(value))
  }

  func insert() async throws(ToolFailure) {
    var edit = try await Edit(self, options.arguments.first ?? "", enteringOptionals: true)
    let word = options.arguments[1]
    if edit.layout != nil { try await edit.requireExisting() }
    switch edit.layout {
    case .identified, .stack:
      let element = try edit.element(word)
      let id = ElementType(edit.path.type, in: edit.schema).id(of: element)?.value
      if let id { try await edit.requireNo(id) }
      return try await edit.send(.insert(element, try await edit.place(default: .end)))
    case _ where options.string("after") != nil || options.string("before") != nil || options.string("at") == "start":
      throw ToolFailure(.usage, "'\(edit.name)' has no places; only elements with ids have")
    case .array: try await edit.send(.append([try edit.value(word, as: edit.partType(0))]))
    case .set: try await edit.send(.insertMembers([try edit.value(word, as: edit.partType(0))]))
    case .dictionary:
      guard case .map(let pairs) = try edit.value(word, as: edit.path.type) else { return }
      try await edit.send(.insertPairs(pairs))
    default:
      guard case .key(let key)? = edit.path.rest.last, var collection = try edit.collection() else {
        throw ToolFailure(.unknownName, "'\(edit.name)' is no collection; use `storectl set`")
      }
      try await collection.requireExisting()
      try await collection.send(.insertPairs([try edit.pair(key, try edit.value(word, as: edit.path.type))]))
    }
  }

  func remove() async throws(ToolFailure) {
    let words = options.arguments.dropFirst()
    var edit = try await Edit(self, options.arguments.first ?? "", enteringOptionals: !words.isEmpty)
    if words.isEmpty {
      let (id, collection) = try edit.item()
      try await edit.requireExisting()
      edit = collection
      return try await edit.send(.remove([id]))
    }
    var items: [CBORValue] = []
    for word in words {
      switch edit.layout {
      case .set: items.append(try edit.value(word, as: edit.partType(0)))
      case .dictionary, .identified, .stack: items.append(try edit.id(word))
      default: throw ToolFailure(.unknownName, "'\(edit.name)' is no collection with ids, keys or members")
      }
    }
    try await edit.send(.remove(items))
  }

  func move() async throws(ToolFailure) {
    var edit = try await Edit(self, options.arguments.first ?? "")
    let (id, collection) = try edit.item()
    guard [.identified, .stack].contains(collection.layout) else {
      throw ToolFailure(.unknownName, "'\(collection.name)' has no order")
    }
    try await edit.requireExisting()
    edit = collection
    try await edit.send(.move(id, try await edit.place(default: nil, of: id)))
  }
}
