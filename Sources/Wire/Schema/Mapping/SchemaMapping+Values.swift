// A struct's value and its change have the same form, a map of keys; so do a case's value and change. They differ only
// in whether the parts are values or changes, and in that a map in place of any other item is a change.

extension SchemaMapping {
  /// Maps a value or a change of an entry's type.
  func map(
    _ index: Int, _ form: MappingForm, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    let entry = table.entries[index]
    if case .verbatim = entry { return try decoder.copyItem(to: &encoder, limit: Self.depthLimit) }
    if case .texts = entry { return try texts(&decoder, &encoder) }
    try decoder.enter(limit: Self.depthLimit)
    defer { decoder.leave() }
    if case .structure(let table) = entry { return try fields(table, form, &decoder, &encoder) }
    if case .sharedChange(let part) = entry { return try map(part, .sharedChange, &decoder, &encoder) }
    if form != .value {
      if try decoder.nextType() == .map { return try change(entry, form, &decoder, &encoder) }
      if case .dictionary = entry {
        // A new dictionary is wrapped, to distinguish it from a change.
        try decoder.tuple(1)
        encoder.arrayHeader(count: 1)
      }
    }
    try value(entry, &decoder, &encoder)
  }

  /// Maps a value of an entry's type, unless it is a struct.
  func value(
    _ entry: MappingTable.Entry, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    switch entry {
    case .verbatim, .texts, .structure, .sharedChange: break  // Handled above.
    case .enumeration(let cases): try enumCase(cases, &decoder, &encoder)
    case .optional(let wrapped):
      if try decoder.null() { return encoder.null() }
      try tuple([wrapped], &decoder, &encoder)
    case .array(let element), .identified(_, let element, _):
      let count = try decoder.arrayHeader()
      encoder.arrayHeader(count: count)
      for _ in 0..<count { try map(element, .value, &decoder, &encoder) }
    case .set(let member): try members(member, &decoder, &encoder)
    case .dictionary(let key, let value): try pairs(key, value, .value, &decoder, &encoder)
    case .result(let payloads):
      let start = decoder.offset
      let (key, count) = try decoder.caseKey()
      guard key < UInt64(payloads.count), count == 1 else {
        throw WireError(.unknownCase(key, type: "Result"), at: start)
      }
      encoder.enumCase(key, payloadCount: 1)
      try map(payloads[Int(key)], .value, &decoder, &encoder)
    case .tuple(let parts): try tuple(parts, &decoder, &encoder)
    }
  }

  private func tuple(
    _ parts: [Int], _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    try decoder.tuple(parts.count)
    encoder.arrayHeader(count: parts.count)
    for part in parts { try map(part, .value, &decoder, &encoder) }
  }

  private func enumCase(
    _ cases: MappingTable.Cases, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    let start = decoder.offset
    let (key, count) = try decoder.caseKey()
    guard let element = cases.element(key), element.payloadCount == count else {
      throw WireError(.unknownCase(key, type: cases.source), at: start)
    }
    guard let target = element.target else {
      throw WireError(.unknownName(element.name, type: cases.target), at: start)
    }
    if count == 0 { return encoder.enumCase(target) }
    encoder.enumCase(target, payloadCount: count)
    for value in element.values { try map(value, .value, &decoder, &encoder) }
  }

  private func fields(
    _ table: MappingTable.Fields, _ form: MappingForm, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    let count = try decoder.mapHeader()
    var keys = AscendingKeys()
    var written = WrittenItems(.map, count: count, in: &encoder)
    for _ in 0..<count {
      let keyStart = decoder.offset
      let sourceKey = try keys.next(&decoder)
      guard let field = table.field(sourceKey) else {
        if form == .sharedChange, let name = table.missing[sourceKey] {
          throw WireError(.unknownField(name, type: table.name), at: keyStart)
        }
        try decoder.pass(limit: Self.depthLimit)
        continue
      }
      let start = encoder.count
      encoder.unsigned(field.target)
      let key = start..<encoder.count
      try map(field.value, form, &decoder, &encoder)
      table.isOrdered ? written.count() : written.append(key: key, in: encoder)
    }
    // Names are unique, so no key is repeated.
    _ = written.finish(&encoder)
  }
}

// MARK: - Texts

extension SchemaMapping {
  /// Copies an item and replaces the texts in it, except keys.
  private func texts(_ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder) throws(WireError) {
    switch try decoder.nextType() {
    case .text:
      let text = try decoder.text()
      encoder.text(replacement?(text) ?? text)
    case .array:
      try decoder.enter(limit: Self.depthLimit)
      defer { decoder.leave() }
      let count = try decoder.arrayHeader()
      encoder.arrayHeader(count: count)
      for _ in 0..<count { try texts(&decoder, &encoder) }
    case .map:
      try decoder.enter(limit: Self.depthLimit)
      defer { decoder.leave() }
      let count = try decoder.mapHeader()
      encoder.mapHeader(count: count)
      for _ in 0..<count {
        try decoder.copyItem(to: &encoder, limit: Self.depthLimit)
        try texts(&decoder, &encoder)
      }
    default: try decoder.copyItem(to: &encoder, limit: Self.depthLimit)
    }
  }
}

// MARK: - Collections in the order of their bytes

extension SchemaMapping {
  /// An array of members or keys.
  func members(
    _ member: Int, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    try sorted(.array, try decoder.arrayHeader(), member, nil, &decoder, &encoder)
  }

  /// A map of keys to values or changes.
  func pairs(
    _ key: Int, _ value: Int, _ form: MappingForm, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    try sorted(.map, try decoder.mapHeader(), key, (value, form), &decoder, &encoder)
  }

  private func sorted(
    _ type: CBORMajorType, _ count: Int, _ key: Int, _ value: (Int, MappingForm)?, _ decoder: inout CBORDecoder,
    _ encoder: inout CBOREncoder
  ) throws(WireError) {
    let start = decoder.offset
    var written = WrittenItems(type, count: count, in: &encoder)
    var previous: Range<Int>?
    for _ in 0..<count {
      let (keyStart, writtenStart) = (decoder.offset, encoder.count)
      try map(key, .value, &decoder, &encoder)
      let range = keyStart..<decoder.offset
      try decoder.requireAscending(previous, range)
      previous = range
      let writtenKey = writtenStart..<encoder.count
      if let (value, form) = value { try map(value, form, &decoder, &encoder) }
      if case .verbatim = table.entries[key] { written.count() } else { written.append(key: writtenKey, in: encoder) }
    }
    guard written.finish(&encoder) else { throw WireError(.repeatedKey, at: start) }
  }
}
