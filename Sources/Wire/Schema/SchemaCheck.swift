extension Schema {
  /// Refuses bytes that are not exactly one value of a type, as far as the schema describes it: opaque types may
  /// contain anything.
  /// - Complexity: O(bytes), and O(cases) for each enum.
  package func check(_ bytes: [UInt8], _ type: SchemaType) throws(WireError) {
    var decoder = unsafe CBORDecoder(bytes.span.bytes)
    try check(&decoder, type)
    try decoder.finish()
  }

  private func check(_ decoder: inout CBORDecoder, _ type: SchemaType) throws(WireError) {
    try decoder.enter(limit: CBORDecoder.nestingLimit)
    defer { decoder.leave() }
    switch type {
    case .definition(let index): try check(&decoder, definitions[index])
    case .named(let name, let parts):
      if let layout = NamedLayout(name, parts.count) { return try check(&decoder, layout, parts) }
      if name == "raw", parts.count == 2 { return try check(&decoder, parts[1]) }
      try check(&decoder, name)
    }
  }

  private func check(_ decoder: inout CBORDecoder, _ item: SharedChangeItem) throws(WireError) {
    switch item {
    case .value(let type), .key(let type): try check(&decoder, type)
    case .element(let type):
      if type.isInStack {
        try decoder.tuple(2)
        try check(&decoder, type.idType)
      }
      try check(&decoder, type.element)
    }
  }

  private func check(_ decoder: inout CBORDecoder, _ definition: Definition) throws(WireError) {
    let start = decoder.offset
    switch definition.content {
    case .fields(let fields):
      var missing = Set(fields.filter { !$0.hasDefault }.map(\.key))
      var cursor = try decoder.fields()
      while let key = try decoder.nextKey(of: &cursor) {
        missing.remove(key)
        if let field = fields.first(where: { $0.key == key }) {
          try check(&decoder, field.type)
        } else {
          try decoder.skip()
        }
      }
      if let key = missing.min() { throw WireError(.missingField(key: key, type: definition.name), at: start) }
    case .cases(let cases):
      let (key, count) = try decoder.caseKey()
      guard let found = cases.first(where: { $0.key == key && $0.payload.count == count }) else {
        throw WireError(.unknownCase(key, type: definition.name), at: start)
      }
      for value in found.payload { try check(&decoder, value.type) }
    }
  }

  private func check(_ decoder: inout CBORDecoder, _ layout: NamedLayout, _ parts: [SchemaType]) throws(WireError) {
    let start = decoder.offset
    switch layout {
    case .optional:
      if try decoder.null() { return }
      try decoder.tuple(1)
      try check(&decoder, parts[0])
    case .array, .set, .identified:
      for _ in 0..<(try decoder.arrayHeader()) { try check(&decoder, parts[parts.count - 1]) }
    case .dictionary:
      for _ in 0..<(try decoder.mapHeader()) {
        try check(&decoder, parts[0])
        try check(&decoder, parts[1])
      }
    case .result:
      let (key, count) = try decoder.caseKey()
      guard key < 2, count == 1 else { throw WireError(.unknownCase(key, type: "Result"), at: start) }
      try check(&decoder, parts[Int(key)])
    case .range:
      try decoder.tuple(2)
      try check(&decoder, parts[0])
      try check(&decoder, parts[0])
    case .stack, .button, .alert, .dialog:
      try decoder.skip()
    case .change:
      try SchemaValues(self).readChange(&decoder, of: parts[0]) { (item, decoder) throws(WireError) in
        try check(&decoder, item)
      }
    }
  }

  private func check(_ decoder: inout CBORDecoder, _ name: String) throws(WireError) {
    switch name {
    case "Bool": _ = try decoder.bool()
    case "Int", "Int64", "StackElementID": _ = try decoder.integer()
    case "Int8": _ = try Int8(from: &decoder)
    case "Int16": _ = try Int16(from: &decoder)
    case "Int32": _ = try Int32(from: &decoder)
    case "UInt", "UInt64": _ = try decoder.unsigned()
    case "UInt8": _ = try UInt8(from: &decoder)
    case "UInt16": _ = try UInt16(from: &decoder)
    case "UInt32": _ = try UInt32(from: &decoder)
    case "Int128": _ = try Int128(from: &decoder)
    case "UInt128": _ = try UInt128(from: &decoder)
    case "Float": _ = try Float(from: &decoder)
    case "Double", "Date": _ = try decoder.float()
    case "String", "Substring", "Decimal": _ = try decoder.text()
    case "Character": _ = try Character(from: &decoder)
    case "Unicode.Scalar": _ = try Unicode.Scalar(from: &decoder)
    case "Duration": _ = try Duration(from: &decoder)
    case "Data": _ = try decoder.byteString()
    case "UUID":
      let start = decoder.offset
      guard try decoder.byteString(limit: 16).byteCount == 16 else {
        throw WireError(.typeMismatch(expected: "16 bytes"), at: start)
      }
    default: try decoder.skip()
    }
  }
}
