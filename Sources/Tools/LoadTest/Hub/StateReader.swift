internal import SchemaNames
internal import Wire

/// Finds parts of an encoded state by the schema, without decoding the rest.
struct StateReader {
  let schema: Schema

  /// Returns the range and the type of the part at a path; nil if it has no value.
  ///
  /// - Complexity: O(bytes before the part).
  func part(at path: [PathStep], of state: [UInt8]) throws(LoadError) -> (range: Range<Int>, type: SchemaType)? {
    var (position, type) = (0, schema.state)
    for step in path {
      guard let next = try read({ () throws(WireError) in try enter(step, type, state, position) }) else { return nil }
      (position, type) = next
    }
    let end = try read { () throws(WireError) in
      var decoder = CBORDecoder(state.span.bytes, at: position)
      try decoder.skip()
      return decoder.offset
    }
    return (position..<end, type)
  }

  /// Returns the integer at a path, or the number of elements of a collection.
  func number(at path: [PathStep], of state: [UInt8]) throws(LoadError) -> Int? {
    guard let part = try part(at: path, of: state) else { return nil }
    return try read { () throws(WireError) in
      var decoder = CBORDecoder(state.span.bytes, at: part.range.lowerBound)
      switch try decoder.nextType() {
      case .unsigned, .negative: return Int(try decoder.integer())
      case .array: return try decoder.arrayHeader()
      case .map: return try decoder.mapHeader()
      default: return nil
      }
    }
  }

  /// Calls a function with the id and the value of each element of an identified collection, in order.
  ///
  /// - Throws: An error if the part is not such a collection.
  func forEachElement(
    at path: [PathStep], of state: [UInt8], _ body: (_ id: Range<Int>, _ value: Range<Int>) -> Void
  ) throws(LoadError) {
    guard let part = try part(at: path, of: state) else { return }
    guard let (isInStack, idPath) = collection(part.type) else {
      throw .doesNotFit("\(schema.name(of: part.type)) is not a collection of elements with ids")
    }
    try read { () throws(WireError) in
      var decoder = CBORDecoder(state.span.bytes, at: part.range.lowerBound)
      for _ in 0..<(try decoder.arrayHeader()) {
        let start = decoder.offset
        if isInStack {
          try decoder.tuple(2)
          let idStart = decoder.offset
          try decoder.skip()
          let idEnd = decoder.offset
          try decoder.skip()
          body(idStart..<idEnd, idEnd..<decoder.offset)
        } else {
          try decoder.skip()
          let end = decoder.offset
          var position = start
          for key in idPath { position = try field(key, state, position) ?? position }
          var id = CBORDecoder(state.span.bytes, at: position)
          try id.skip()
          body(position..<id.offset, start..<end)
        }
      }
    }
  }

  /// Returns true for a stack and false for an identified array, with the keys from its elements to their ids.
  func collection(_ type: SchemaType) -> (isInStack: Bool, idPath: [UInt64])? {
    guard case .named(let name, let parts) = type else { return nil }
    switch (name, parts.count) {
    case ("StackState", 1): return (true, [])
    case ("IdentifiedArray", 2):
      guard case .definition(let index) = parts[1], !schema.definitions[index].id.isEmpty else { return nil }
      return (false, schema.definitions[index].id)
    default: return nil
    }
  }

  /// Returns the bytes of a part of an element.
  func part(
    _ path: [PathStep], ofElement range: Range<Int>, _ type: SchemaType, in state: [UInt8]
  ) throws(LoadError) -> Range<Int>? {
    try read { () throws(WireError) in
      var (position, type) = (range.lowerBound, type)
      for step in path {
        guard let next = try enter(step, type, state, position) else { return nil }
        (position, type) = next
      }
      var decoder = CBORDecoder(state.span.bytes, at: position)
      try decoder.skip()
      return position..<decoder.offset
    }
  }

  /// Returns the type of a collection's elements.
  func element(of type: SchemaType) -> SchemaType? {
    guard case .named(let name, let parts) = type else { return nil }
    return name == "StackState" ? parts.first : parts.last
  }

  /// Follows one step of a path; nil if there is no value.
  private func enter(
    _ step: PathStep, _ type: SchemaType, _ state: [UInt8], _ position: Int
  ) throws(WireError) -> (Int, SchemaType)? {
    switch (type, step) {
    case (.definition(let index), .key(let key)):
      switch schema.definitions[index].content {
      case .fields(let fields):
        guard let field = fields.first(where: { $0.key == key }), let place = try self.field(key, state, position)
        else { return nil }
        return (place, field.type)
      case .cases(let cases):
        guard let element = cases.first(where: { $0.key == key }), element.payload.count == 1 else { return nil }
        var decoder = CBORDecoder(state.span.bytes, at: position)
        guard try decoder.arrayHeader() == 2, try decoder.unsigned() == key else { return nil }
        return (decoder.offset, element.payload[0].type)
      }
    case (.named("Optional", let parts), .key(0)), (.named("PresentationState", let parts), .key(0)):
      var decoder = CBORDecoder(state.span.bytes, at: position)
      if try decoder.null() { return nil }
      try decoder.tuple(1)
      return (decoder.offset, parts[0])
    case (.named, .id(let wanted)):
      guard let (isInStack, idPath) = collection(type), let elementType = element(of: type) else { return nil }
      var decoder = CBORDecoder(state.span.bytes, at: position)
      for _ in 0..<(try decoder.arrayHeader()) {
        let start = decoder.offset
        var place = start
        if isInStack {
          var pair = CBORDecoder(state.span.bytes, at: start)
          try pair.tuple(2)
          place = pair.offset
        }
        for key in idPath { place = try field(key, state, place) ?? place }
        var id = CBORDecoder(state.span.bytes, at: place)
        try id.skip()
        try decoder.skip()
        if state[place..<id.offset].elementsEqual(wanted) { return (isInStack ? id.offset : start, elementType) }
      }
      return nil
    default: return nil
    }
  }

  /// Returns the start of a field's value.
  private func field(_ key: UInt64, _ state: [UInt8], _ position: Int) throws(WireError) -> Int? {
    var decoder = CBORDecoder(state.span.bytes, at: position)
    for _ in 0..<(try decoder.mapHeader()) {
      if try decoder.unsigned() == key { return decoder.offset }
      try decoder.skip()
    }
    return nil
  }

  private func read<Value>(_ body: () throws(WireError) -> Value) throws(LoadError) -> Value {
    do throws(WireError) { return try body() } catch { throw .malformed("\(error)") }
  }
}
