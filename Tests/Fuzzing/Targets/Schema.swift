import Wire

extension FuzzTarget {
  /// Two schemas, each after its length, then a path and a value of the first. An empty schema stands for the
  /// specimen's.
  static let schema = FuzzTarget(name: "schema") { bytes in
    var input = FuzzInput(bytes)
    guard let theirs = try readSchema(input.data()), let ours = try readSchema(input.data()) else { return }
    let (there, here) = (ours.compatibility(with: theirs), theirs.compatibility(with: ours))
    try promise(there.verdict == here.verdict, "two sides judge otherwise: \(there) and \(here)")
    try promise((there == .same) == (ours == theirs), "only the same schema is the same")
    let steps = input.data()
    let path =
      (try? [PathStep](decoding: steps.span.bytes)) ?? Specimen.paths[Int(steps.first ?? 0) % Specimen.paths.count]
    let type = try? theirs.type(at: path)
    let value = input.rest
    for root in [SchemaMapping.Root.state, .action] + (type.map { [.types(source: $0, target: $0)] } ?? []) {
      guard let mapping = try? SchemaMapping(from: theirs, to: ours, root) else { continue }
      if let mapped = try? mapping.mapPath(path), let part = try? mapping.part(at: path) {
        try promise((try? ours.type(at: mapped)) != nil || root != .state, "a mapped path leads nowhere")
        try map(value, part)
      }
      try map(value, mapping)
    }
  } seeds: {
    let own = Schema(state: Specimen.self, action: SpecimenAction.self)
    var renamed = own
    for index in renamed.definitions.indices {
      renamed.definitions[index].content.shiftKeys()
      renamed.definitions[index].id = renamed.definitions[index].id.map { $0 + 1 }
    }
    let value = Specimen.sample(15).encoded()
    var seeds = [own.encoded().asData + [0, 0, 0, 1, 3] + value, renamed.encoded().asData + [0, 0, 0, 1, 8] + value]
    seeds.append([0, 0] + renamed.encoded().asData + [0, 1, 9] + value)
    let small = Schema(state: Branch.self, action: Kind.self)
    let reordered = Schema(state: Kind.self, action: Branch.self)
    seeds.append(small.encoded().asData + small.encoded().asData + [0, 1, 0] + Branch(id: 1).encoded())
    seeds.append(small.encoded().asData + reordered.encoded().asData + [0, 1, 1, 0xa0])
    return seeds
  }

  private static func readSchema(_ bytes: [UInt8]) throws -> Schema? {
    if bytes.isEmpty { return Schema(state: Specimen.self, action: SpecimenAction.self) }
    try Promises.roundTrip(Schema.self, bytes)
    guard let schema = try? Schema(decoding: bytes.span.bytes) else { return nil }
    try promise(schema.compatibility(with: schema) == .same, "a schema is not the same as itself")
    if case .failure(let error) = Result(catching: { try SchemaMapping(from: schema, to: schema, .state) }) {
      throw BrokenPromise("a schema cannot be mapped to itself: \(error)")
    }
    return schema
  }

  /// Checks that a mapped value is one item, and passes it to every decoder.
  private static func map(_ value: [UInt8], _ mapping: SchemaMapping) throws {
    for isChange in [false, true] {
      var decoder = CBORDecoder(value.span.bytes)
      var encoder = CBOREncoder()
      encoder.unsigned(7)
      let isMapped =
        (try? isChange ? mapping.mapChange(&decoder, to: &encoder) : mapping.mapValue(&decoder, to: &encoder)) != nil
      guard isMapped else {
        try promise(encoder.bytes == [7], "a mapping that throws has written something")
        continue
      }
      let mapped = Array(encoder.bytes.dropFirst())
      if mapping.isIdentity {
        try promise(mapped.elementsEqual(value[..<decoder.offset]), "an identity changes bytes")
      }
      var reader = CBORDecoder(mapped.span.bytes)
      do throws(WireError) {
        try reader.skip()
        try reader.finish()
      } catch {
        guard case .tooDeep = error.problem else {
          throw BrokenPromise("\(value.hexadecimal) is mapped to \(mapped.hexadecimal): \(error)")
        }
      }
      _ = try? Specimen(decoding: mapped.span.bytes)
      var change = CBORDecoder(mapped.span.bytes)
      _ = try? Specimen.sample(15).applying(delta: &change)
    }
  }
}

extension SchemaCompatibility {
  fileprivate var verdict: Int {
    switch self {
    case .same: 0
    case .compatible: 1
    case .compatibleByName: 2
    case .incompatible: 3
    }
  }
}

extension Schema.Content {
  fileprivate mutating func shiftKeys() {
    switch self {
    case .fields(var fields):
      for index in fields.indices { fields[index].key += 1 }
      self = .fields(fields)
    case .cases(var cases):
      for index in cases.indices { cases[index].key += 1 }
      self = .cases(cases)
    }
  }
}
