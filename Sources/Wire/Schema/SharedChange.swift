// The payload of a shared model's action has the type `Change<Value>`: a change that merges (PROTOCOL.md, 10.3).

/// A part of a change that is a whole value.
enum SharedChangeItem {
  case value(SchemaType)
  /// A key of a dictionary, a member of a set, or an id.
  case key(SchemaType)
  /// An element of an identified array or a stack.
  case element(ElementType)
}

extension SchemaType {
  /// The raw type of a counter, whose change is a difference.
  package static var counter: SchemaType { .named("raw", [.named("SharedCounter"), .named("Int")]) }
}

extension Schema {
  /// True if an action of the feature changes a shared model.
  package var hasSharedChanges: Bool {
    definitions.contains { $0.parts.contains(where: \.isChange) }
  }
}

extension SchemaValues {
  /// Reads the payload of a shared model's action.
  func change(of type: SchemaType, from decoder: inout CBORDecoder) throws(WireError) -> CBORValue {
    let start = decoder.offset
    try readChange(&decoder, of: type) { (item, decoder) throws(WireError) in
      switch item {
      case .value(let type): _ = try value(of: type, from: &decoder)
      case .element(let type): _ = try value(of: type, from: &decoder)
      case .key(let type):
        let start = decoder.offset
        let key = try value(of: type, from: &decoder)
        try rules?.checkKey(key, at: start)
      }
    }
    return try decoder.value(from: start)
  }

  /// Reads a change of a value of a type, and checks its form.
  ///
  /// - Parameter read: Reads a whole value in it.
  /// - Throws: The error of `read`, or the place where the bytes are not a change of the type.
  /// - Complexity: O(bytes).
  func readChange(
    _ decoder: inout CBORDecoder, of type: SchemaType,
    _ read: (SharedChangeItem, inout CBORDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    try decoder.enter(limit: CBORDecoder.nestingLimit)
    defer { decoder.leave() }
    if case .definition(let index) = type, case .fields(let fields) = schema.definitions[index].content {
      return try readParts(&decoder, read) { key in fields.first { $0.key == key }?.type }
    }
    guard try decoder.nextType() == .map else { return try readNewValue(&decoder, of: type, read) }
    if let rules, rules.countsForDepth(type) {
      try decoder.enterValue()
      defer { decoder.leaveValue() }
      return try readChange(inside: type, &decoder, read)
    }
    try readChange(inside: type, &decoder, read)
  }

  private func readNewValue(
    _ decoder: inout CBORDecoder, of type: SchemaType,
    _ read: (SharedChangeItem, inout CBORDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    // A new dictionary is wrapped, to distinguish it from a change.
    if case .named(let name, let parts) = type, NamedLayout(name, parts.count) == .dictionary { try decoder.tuple(1) }
    try read(.value(type), &decoder)
  }

  private func readChange(
    inside type: SchemaType, _ decoder: inout CBORDecoder,
    _ read: (SharedChangeItem, inout CBORDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    let start = decoder.offset
    switch type {
    case .counter:
      guard try decoder.change() == 0 else {
        throw WireError(.typeMismatch(expected: "the difference of a counter"), at: start)
      }
      try read(.value(.named("Int128")), &decoder)
    case .definition(let index):
      guard case .cases(let cases) = schema.definitions[index].content else { return }
      let name = schema.definitions[index].name
      guard let key = try decoder.change(), let element = cases.first(where: { $0.key == key }) else {
        throw WireError(.doesNotFit(type: name), at: start)
      }
      let payload = element.payload
      if payload.count == 1 { return try readChange(&decoder, of: payload[0].type, read) }
      try readParts(&decoder, read, else: WireError(.doesNotFit(type: name), at: start)) {
        $0 < UInt64(payload.count) ? payload[Int($0)].type : nil
      }
    case .named(let name, let parts):
      switch NamedLayout(name, parts.count) {
      case .optional, .result:
        let values = NamedLayout(name, parts.count) == .optional ? 1 : 2
        guard let key = try decoder.change(), key < UInt64(values) else {
          throw WireError(.doesNotFit(type: name), at: start)
        }
        try readChange(&decoder, of: parts[Int(key)], read)
      case .array:
        try readKinds(&decoder, "an array") { (kind, decoder) throws(WireError) in
          guard kind == 2 else { return false }
          for _ in 0..<(try decoder.arrayHeader()) { try read(.value(parts[0]), &decoder) }
          return true
        }
      case .set:
        try readKinds(&decoder, "a set") { (kind, decoder) throws(WireError) in
          guard kind <= 1 else { return false }
          try readKeys(&decoder, try decoder.arrayHeader(), of: parts[0], read) { _ in }
          return true
        }
      case .dictionary:
        try readKinds(&decoder, "a dictionary") { (kind, decoder) throws(WireError) in
          switch kind {
          case 0: try readKeys(&decoder, try decoder.arrayHeader(), of: parts[0], read) { _ in }
          case 1:
            try readKeys(&decoder, try decoder.mapHeader(), of: parts[0], read) { (decoder) throws(WireError) in
              try read(.value(parts[1]), &decoder)
            }
          case 2:
            try readKeys(&decoder, try decoder.mapHeader(), of: parts[0], read) { (decoder) throws(WireError) in
              try readChange(&decoder, of: parts[1], read)
            }
          default: return false
          }
          return true
        }
      case .identified, .stack: try readElements(&decoder, ElementType(type, in: schema), read)
      // A type that only its own code reads; other types have no changes.
      case nil: try read(.value(type), &decoder)
      case .range, .button, .alert, .dialog, .change: throw WireError(.doesNotFit(type: name), at: start)
      }
    }
  }

  private func readElements(
    _ decoder: inout CBORDecoder, _ type: ElementType,
    _ read: (SharedChangeItem, inout CBORDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    try readKinds(&decoder, "an identified array") { (kind, decoder) throws(WireError) in
      switch kind {
      case 0: for _ in 0..<(try decoder.arrayHeader()) { try read(.key(type.idType), &decoder) }
      case 1, 2:
        var previous: UInt64?
        for _ in 0..<(try decoder.pairsHeader()) {
          try readPlace(&decoder, after: &previous, type, read)
          try read(kind == 1 ? .key(type.idType) : .element(type), &decoder)
        }
      case 3:
        for _ in 0..<(try decoder.pairsHeader()) {
          try read(.key(type.idType), &decoder)
          try readChange(&decoder, of: type.element, read)
        }
      default: return false
      }
      return true
    }
  }

  /// `[offset, anchor]`; offsets ascend.
  private func readPlace(
    _ decoder: inout CBORDecoder, after previous: inout UInt64?, _ type: ElementType,
    _ read: (SharedChangeItem, inout CBORDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    let start = decoder.offset
    try decoder.tuple(2)
    let offset = try decoder.unsigned()
    if let previous, offset <= previous { throw WireError(.keysOutOfOrder, at: start) }
    previous = offset
    guard try decoder.nextType() != .array else {
      try decoder.tuple(1)
      return try read(.key(type.idType), &decoder)
    }
    let anchor = decoder.offset
    let key = try decoder.unsigned()
    guard key < 2 else { throw WireError(.unknownCase(key, type: "anchor of an element"), at: anchor) }
  }

  // MARK: Maps

  /// `{key: change ...}`. An unknown key is skipped, or refused with an error.
  private func readParts(
    _ decoder: inout CBORDecoder, _ read: (SharedChangeItem, inout CBORDecoder) throws(WireError) -> Void,
    else error: WireError? = nil, _ type: (UInt64) -> SchemaType?
  ) throws(WireError) {
    var cursor = try decoder.fields()
    while let key = try decoder.nextKey(of: &cursor) {
      if let type = type(key) {
        try readChange(&decoder, of: type, read)
      } else if let error {
        throw error
      } else {
        try decoder.skip()
      }
    }
  }

  /// `{kind: ...}` of a collection. `body` reads the payload of a kind, and returns false for an unknown kind.
  private func readKinds(
    _ decoder: inout CBORDecoder, _ type: String, _ body: (UInt64, inout CBORDecoder) throws(WireError) -> Bool
  ) throws(WireError) {
    var kinds = try decoder.fields()
    while let kind = try decoder.nextKey(of: &kinds) {
      let start = decoder.offset
      guard try body(kind, &decoder) else { throw WireError(.unknownCase(kind, type: "change of \(type)"), at: start) }
    }
  }

  /// Members or keys in the order of their bytes, each followed by what `value` reads.
  private func readKeys(
    _ decoder: inout CBORDecoder, _ count: Int, of type: SchemaType,
    _ read: (SharedChangeItem, inout CBORDecoder) throws(WireError) -> Void,
    _ value: (inout CBORDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    var previous: Range<Int>?
    for _ in 0..<count {
      let start = decoder.offset
      try read(.key(type), &decoder)
      let key = start..<decoder.offset
      try decoder.requireAscending(previous, key)
      previous = key
      try value(&decoder)
    }
  }
}

extension CBORDecoder {
  /// The item between an earlier offset and this one.
  fileprivate func value(from start: Int) throws(WireError) -> CBORValue {
    try CBORValue(decoding: bytes.extracting(start..<offset))
  }
}
