extension SchemaMapping {
  /// Maps a change inside an existing value.
  func change(
    _ entry: MappingTable.Entry, _ form: MappingForm, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    switch entry {
    case .verbatim, .texts, .structure, .sharedChange: break  // Never reached.
    case .enumeration(let cases): try change(of: cases, form, &decoder, &encoder)
    case .optional(let wrapped): try change(ofOneOf: [wrapped], "Optional", form, &decoder, &encoder)
    case .result(let payloads): try change(ofOneOf: payloads, "Result", form, &decoder, &encoder)
    case .array(let element):
      try kinds("array", &decoder, &encoder) { (kind, decoder, encoder) throws(WireError) in
        switch (kind, form) {
        case (0, .change): try splice(element, &decoder, &encoder)
        case (1, .change): try changes(form, &decoder, &encoder) { _ in element }
        case (2, .sharedChange): try value(.array(element), &decoder, &encoder)
        default: return false
        }
        return true
      }
    case .set(let member):
      try kinds("set", &decoder, &encoder) { (kind, decoder, encoder) throws(WireError) in
        guard kind <= 1 else { return false }
        try members(member, &decoder, &encoder)
        return true
      }
    case .dictionary(let key, let value):
      try kinds("dictionary", &decoder, &encoder) { (kind, decoder, encoder) throws(WireError) in
        switch kind {
        case 0: try members(key, &decoder, &encoder)
        case 1: try pairs(key, value, .value, &decoder, &encoder)
        case 2: try pairs(key, value, form, &decoder, &encoder)
        default: return false
        }
        return true
      }
    case .identified(let id, let element, let change):
      try kinds("identified array", &decoder, &encoder) { (kind, decoder, encoder) throws(WireError) in
        switch kind {
        case 0: try value(.array(id), &decoder, &encoder)
        case 1: try placed(id, id, form, &decoder, &encoder)
        case 2: try placed(element, id, form, &decoder, &encoder)
        case 3:
          try flatPairs(&decoder, &encoder) { (decoder, encoder) throws(WireError) in
            try map(id, .value, &decoder, &encoder)
            try map(change, form, &decoder, &encoder)
          }
        default: return false
        }
        return true
      }
    case .tuple(let parts):
      throw WireError(.typeMismatch(expected: "an array of \(parts.count) items"), at: decoder.offset)
    }
  }

  /// `{kind: ...}` of a collection. `body` maps the payload of a kind, and returns false for an unknown kind.
  private func kinds(
    _ type: String, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder,
    _ body: (UInt64, inout CBORDecoder, inout CBOREncoder) throws(WireError) -> Bool
  ) throws(WireError) {
    let count = try decoder.mapHeader()
    encoder.mapHeader(count: count)
    var keys = AscendingKeys()
    for _ in 0..<count {
      let kind = try keys.next(&decoder)
      let start = decoder.offset
      encoder.unsigned(kind)
      guard try body(kind, &decoder, &encoder) else {
        throw WireError(.unknownCase(kind, type: "change of an \(type)"), at: start)
      }
    }
  }

  /// `{index: change ...}`, each index with the entry that `part` returns for it.
  private func changes(
    _ form: MappingForm, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder, _ part: (UInt64) -> Int?
  ) throws(WireError) {
    let count = try decoder.mapHeader()
    encoder.mapHeader(count: count)
    var keys = AscendingKeys()
    for _ in 0..<count {
      let start = decoder.offset
      let key = try keys.next(&decoder)
      guard let part = part(key) else { throw WireError(.outOfRange(type: "index of a value"), at: start) }
      encoder.unsigned(key)
      try map(part, form, &decoder, &encoder)
    }
  }

  /// `{part: change}` of a type whose parts have the same keys on both sides.
  private func change(
    ofOneOf parts: [Int], _ type: String, _ form: MappingForm, _ decoder: inout CBORDecoder,
    _ encoder: inout CBOREncoder
  ) throws(WireError) {
    let start = decoder.offset
    guard let key = try decoder.change(), key < UInt64(parts.count) else {
      throw WireError(.doesNotFit(type: type), at: start)
    }
    encoder.change(of: key)
    try map(parts[Int(key)], form, &decoder, &encoder)
  }

  /// `{case's key: change}`, or `{case's key: {index: change ...}}` for several values.
  private func change(
    of cases: MappingTable.Cases, _ form: MappingForm, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    let start = decoder.offset
    guard let key = try decoder.change(), let element = cases.element(key), element.payloadCount > 0 else {
      throw WireError(.doesNotFit(type: cases.source), at: start)
    }
    guard let target = element.target else {
      throw WireError(.unknownName(element.name, type: cases.target), at: start)
    }
    encoder.change(of: target)
    if element.payloadCount == 1, let value = element.values.first {
      try map(value, form, &decoder, &encoder)
    } else {
      try changes(form, &decoder, &encoder) { $0 < UInt64(element.values.count) ? element.values[Int($0)] : nil }
    }
  }

  /// `[offset, removed, element ...]`.
  private func splice(
    _ element: Int, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    let start = decoder.offset
    let items = try decoder.arrayHeader()
    guard items >= 2 else { throw WireError(.typeMismatch(expected: "an offset and a count"), at: start) }
    encoder.arrayHeader(count: items)
    for _ in 0..<2 { encoder.unsigned(try decoder.unsigned()) }
    for _ in 2..<items { try map(element, .value, &decoder, &encoder) }
  }

  /// `[offset, value ...]`, or for a shared change `[place, value ...]`.
  private func placed(
    _ value: Int, _ id: Int, _ form: MappingForm, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    try flatPairs(&decoder, &encoder) { (decoder, encoder) throws(WireError) in
      if form == .sharedChange {
        try place(id, &decoder, &encoder)
      } else {
        encoder.unsigned(try decoder.unsigned())
      }
      try map(value, .value, &decoder, &encoder)
    }
  }

  /// `[offset, anchor]`, where the anchor is a number or `[id]`.
  private func place(
    _ id: Int, _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder
  ) throws(WireError) {
    try decoder.tuple(2)
    encoder.arrayHeader(count: 2)
    encoder.unsigned(try decoder.unsigned())
    guard try decoder.nextType() == .array else { return encoder.unsigned(try decoder.unsigned()) }
    try decoder.tuple(1)
    encoder.arrayHeader(count: 1)
    try map(id, .value, &decoder, &encoder)
  }

  private func flatPairs(
    _ decoder: inout CBORDecoder, _ encoder: inout CBOREncoder,
    _ pair: (inout CBORDecoder, inout CBOREncoder) throws(WireError) -> Void
  ) throws(WireError) {
    let count = try decoder.pairsHeader()
    encoder.arrayHeader(count: 2 * count)
    for _ in 0..<count { try pair(&decoder, &encoder) }
  }
}
