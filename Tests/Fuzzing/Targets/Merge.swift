import Wire

extension FuzzTarget {
  /// The first byte selects the input: a change that is merged into the sample that the second byte selects; another
  /// value to which the change is computed; or a value, after its length, and a change that is merged into it.
  static let merge = FuzzTarget(name: "merge") { bytes in
    var input = FuzzInput(bytes)
    let mode = input.below(3)
    let base = Specimen.sample(input.byte())
    switch mode {
    case 0: try Promises.merge(of: input.rest, into: base) { try $0.check() }
    case 1:
      var decoder = CBORDecoder(input.rest.span.bytes)
      guard let result = try? Specimen(from: &decoder) else { return }
      try Promises.sharing(from: base, to: result)
      try Promises.sharing(from: result, to: base)
    default:
      let value = input.data()
      guard let own = try? Specimen(decoding: value.span.bytes) else { return }
      try Promises.merge(of: input.rest, into: own) { try $0.check() }
    }
  } seeds: {
    var seeds: [[UInt8]] = []
    for seed: UInt8 in stride(from: 1, to: 240, by: 12) {
      let (base, result) = (Specimen.sample(seed), Specimen.sample(seed + 11))
      let change = result.change(from: base)
      // Also into a value that others have changed meanwhile.
      seeds.append([0, seed] + change)
      seeds.append([0, seed + 5] + change)
      seeds.append([1, seed] + result.encoded())
      seeds.append([2, 0] + base.encoded().asData + change)
    }
    return seeds
  }
}

extension Promises {
  /// The change that merges from one value to another, merged into the first, gives the second.
  static func sharing<Value: Replicated>(from base: Value, to result: Value) throws {
    let change = result.change(from: base)
    var merged = base
    do throws(WireError) { try merged.merge(change: change.span.bytes) } catch {
      throw BrokenPromise("\(Value.self): the change \(change.hexadecimal) does not merge into its base: \(error)")
    }
    try promise(merged.encoded() == result.encoded(), "a change merges into its base as something else")
  }

  /// Any change is merged completely or not at all, and gives a value that can be encoded.
  static func merge<Value: Replicated>(of change: [UInt8], into base: Value, check: (Value) throws -> Void) throws {
    let before = base.encoded()
    var merged = base
    guard (try? merged.merge(change: change.span.bytes)) != nil else {
      return try promise(merged.encoded() == before, "merge has thrown and left something changed")
    }
    let bytes = merged.encoded()
    try promise(base.encoded() == before, "merge has changed a copy of the value")
    try check(merged)
    guard let again = try? Value(decoding: bytes.span.bytes) else {
      throw BrokenPromise("what a change made cannot be read: \(bytes.hexadecimal)")
    }
    try promise(again.encoded() == bytes, "what a change made is read as something else")
    try sharing(from: base, to: merged)
    try sharing(from: merged, to: base)
  }
}
