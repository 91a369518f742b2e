import HubCore
import Wire

extension FuzzTarget {
  /// The input is a program for up to four clients of a hub; see `HubStep`. One more client obeys the protocol, and has
  /// the hub's state in the end, whatever the others did.
  static let hub = FuzzTarget(name: "hub") { bytes in
    var input = FuzzInput(bytes)
    let play = try HubPlay()
    while !input.isAtEnd { try play.step(&input) }
    try play.finish()
  } seeds: {
    let specimen = Specimen.sample(15)
    let actions: [SpecimenAction] = [
      .setText("a"), .setParts(specimen.parts), .replace(specimen), .setTree(.node(.leaf, .tagged("b", .leaf))),
      .setReals([1.5, 0]), .setRoot(Specimen.sample(255).root ?? Branch(id: 1)), .count("a"),
    ]
    var seeds: [[UInt8]] = []
    let greeting: [UInt8] = [0, 0, 1, 0, 0, 0]
    for (index, action) in actions.enumerated() {
      let attach = [4, 0, 0, UInt8(index), 0] as [UInt8]
      let act = [5, 0, 0] + action.encoded().asData
      seeds.append(greeting + attach + [6] + act + [6] + act + [4, 0, 1, 0, 0, 6])
    }
    let attachAll = (0..<4).flatMap { [4, 0, $0, 3 * $0, 0] as [UInt8] }
    let write = [5, 0, 0] + SpecimenAction.replace(specimen).encoded().asData
    seeds.append(greeting + attachAll + [6, 8, 0] + write + [6, 7, 0, 1, 1, 1, 0, 0] + attachAll + [6, 8, 0, 6])
    seeds.append(greeting + attachAll + write + [6, 2, 0, 6, 1, 0, 0, 2, 0, 2, 2, 6, 7, 0, 9, 60, 10, 5, 6])
    // Views, with and without windows and parameters.
    let setParts = [5, 0, 0] + SpecimenAction.setParts(specimen.parts).encoded().asData
    for first in stride(from: 0, to: UInt8(Specimen.placesInViews.count), by: 4) {
      let attachViews = (0..<4).flatMap { [4, 0, 0x20 | $0, first + $0, 0] as [UInt8] }
      seeds.append(greeting + attachViews + [6] + setParts + [6] + write + [6, 7, 0] + greeting + attachViews + [6])
    }
    for frames in GoldenFiles.conversations {
      let theirs = frames.filter { $0.header[4] < 0x80 }
      seeds.append([0, 0] + theirs.flatMap { [3, 0] + $0.bytes.asData + [6] })
    }
    return seeds
  }
}
