import Wire

extension FuzzTarget {
  /// Any bytes are one item or none for all decoders, and each item has one encoding.
  static let cbor = FuzzTarget(name: "cbor") { bytes in
    var skipping = CBORDecoder(bytes.span.bytes)
    let isSkipped = (try? skipping.skip()) != nil
    var reading = CBORDecoder(bytes.span.bytes)
    let value = try? CBORValue(from: &reading)
    try promise(isSkipped == (value != nil), "what can be skipped can be read, and nothing else")
    if let value {
      try promise(skipping.offset == reading.offset, "skipping and reading end at different bytes")
      try promise(
        value.encoded().elementsEqual(bytes[..<reading.offset]), "\(value) is written otherwise than it was read")
      try promise(!value.description.isEmpty, "an item has a notation")
    }
    try Promises.roundTrip(Bool.self, bytes)
    try Promises.roundTrip(Int8.self, bytes)
    try Promises.roundTrip(UInt16.self, bytes)
    try Promises.roundTrip(Int64.self, bytes)
    try Promises.roundTrip(UInt64.self, bytes)
    try Promises.roundTrip(Int128.self, bytes)
    try Promises.roundTrip(UInt128.self, bytes)
    try Promises.roundTrip(Float.self, bytes)
    try Promises.roundTrip(Double.self, bytes)
    try Promises.roundTrip(String.self, bytes)
    try Promises.roundTrip(Character.self, bytes)
    try Promises.roundTrip(Unicode.Scalar.self, bytes)
    try Promises.roundTrip(Duration.self, bytes)
    try Promises.roundTrip(Range<Double>.self, bytes)
    try Promises.roundTrip(ClosedRange<Int8>.self, bytes)
    try Promises.roundTrip(Int???.self, bytes)
    try Promises.roundTrip([[UInt8]].self, bytes)
    try Promises.roundTrip(Set<Double>.self, bytes)
    try Promises.roundTrip(Set<String>.self, bytes)
    try Promises.roundTrip([Double: String].self, bytes)
    try Promises.roundTrip([String: [Int]].self, bytes)
    try Promises.roundTrip(Result<Int, Refusal>.self, bytes)
    try Promises.roundTrip(Tree.self, bytes)
    try Promises.rewriting(Branch.self, bytes)
  } seeds: {
    let items: [CBORValue] = [
      .unsigned(24), .negative(.max), .bytes([1, 2]), .text("caf\u{e9}"), .array([.null, .array([])]),
      .map([.init(key: .unsigned(1), value: .text("")), .init(key: .text("a"), value: .float(bits: 0x3ff8 << 48))]),
      .tagged(2, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0])), .simple(255), .float(bits: 1),
      .float(bits: 0x7ff8 << 48 | 1 << 32),
      .array([.negative(127), .unsigned(127)]), .array([.unsigned(1), .unsigned(500_000_000)]),
    ]
    return items.map { $0.encoded() } + [Specimen.sample(15).encoded(), Specimen.sample(255).encoded()]
  }
}

extension CBORValue {
  fileprivate static let null = CBORValue.simple(22)
}
