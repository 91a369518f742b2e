import Wire

extension FuzzTarget {
  /// The first byte selects the input: a change of the sample that the second byte selects; another value to which the
  /// change is computed; or a value, after its length, and a change of it.
  static let delta = FuzzTarget(name: "delta") { bytes in
    var input = FuzzInput(bytes)
    let mode = input.below(3)
    let base = Specimen.sample(input.byte())
    switch mode {
    case 0: try Promises.application(of: input.rest, to: base) { try $0.check() }
    case 1:
      let bytes = input.rest
      try Promises.rewriting(Specimen.self, bytes)
      var decoder = CBORDecoder(bytes.span.bytes)
      guard let result = try? Specimen(from: &decoder) else { return }
      try result.check()
      try Promises.change(from: base, to: result)
      try Promises.change(from: result, to: base)
    default:
      let value = input.data()
      guard let own = try? Specimen(decoding: value.span.bytes) else { return }
      try Promises.application(of: input.rest, to: own) { try $0.check() }
    }
  } seeds: {
    var seeds: [[UInt8]] = []
    for seed: UInt8 in stride(from: 1, to: 240, by: 12) {
      let (base, result) = (Specimen.sample(seed), Specimen.sample(seed + 11))
      var encoder = CBOREncoder()
      result.encodeDelta(from: base, to: &encoder)
      seeds.append([0, seed] + encoder.bytes)
      seeds.append([1, seed] + result.encoded())
      seeds.append([2, 0] + base.encoded().asData + encoder.bytes)
    }
    return seeds
  }
}
