import Wire

extension FuzzTarget {
  /// The input is a program for a hub and a client's requests; see `ReplicaStep`. In the end the client connects to a
  /// hub that obeys the protocol, and has its state.
  static let replica = FuzzTarget(name: "replica") { bytes in
    var input = FuzzInput(bytes)
    let play = ReplicaPlay()
    while !input.isAtEnd { try play.step(&input) }
    try play.finish()
  } seeds: {
    let (base, result) = (Specimen.sample(14), Specimen.sample(15))
    var encoder = CBOREncoder()
    encoder.arrayHeader(count: 2)
    encoder.unsigned(1)
    result.encodeDelta(from: base, to: &encoder)
    let open: [UInt8] = [0, 2, 0, 0]
    let snapshot: [UInt8] = [3, 0, 1, 1] + base.encoded().asData
    let delta: [UInt8] = [1, 0x83, 0, 0, 2] + encoder.bytes.asData
    let schema = Schema(state: Specimen.self, action: SpecimenAction.self).encoded()
    var seeds = [open + snapshot + delta + [5, 3, 6, 1, 0x84, 0, 0, 2, 0, 1, 1]]
    seeds.append([0, 2, 2, 0, 1, 0x8c, 0, 0, 0] + schema.asData + snapshot + delta)
    seeds.append(open + snapshot + [1, 0x8b, 0, 0, 1, 0, 1, 0, 1, 0x8a, 0, 0, 0, 0, 0] + snapshot)
    seeds.append(open + [8, 3, 8, 5, 9, 1] + snapshot + [4, 7, 60, 0, 2, 1, 3] + snapshot + delta)
    for frames in GoldenFiles.conversations {
      let theirs = frames.filter { $0.header[4] >= 0x80 }
      seeds.append([0] + theirs.flatMap { [10] + $0.bytes.asData })
    }
    return seeds
  }
}
