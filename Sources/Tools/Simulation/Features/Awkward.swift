import IdentifiedCollections
internal import RandomNumbers
import ReplicatedArchitecture

/// A part of the simulated state that can have values which no reader accepts: keys and ids that equal nothing, members
/// that differ only in what is not replicated, values that are nested too deep. Others are readable, but equal other
/// values with other bytes.
@Replicated
struct Awkward: Equatable, Sendable {
  var weights: [Double: Int] = [:]
  var marks: Set<AwkwardMark> = []
  var rows: IdentifiedArrayOf<AwkwardRow> = []
  var nest: AwkwardNest?
  var text = ""
  var number = 0.0
}

/// A member of which only a part is on the wire.
@Replicated
struct AwkwardMark: Hashable, Sendable {
  var name = ""
  @Replicated(omit) var rank = 0
}

@Replicated
struct AwkwardRow: Equatable, Identifiable, Sendable {
  let id: Double
  var text = ""
}

/// A value that contains values of its own type.
@Replicated
struct AwkwardNest: Equatable, Sendable {
  var nests: [AwkwardNest] = []
}

extension Awkward {
  /// Makes one random change, which does not depend on the order of a set or a dictionary.
  mutating func change(_ chance: inout SplitMix) {
    let number = chance.pick([0, -0.0, 1, 2.5, 1e300, .infinity, .nan, -.nan, .signalingNaN])
    let text = chance.pick(["", "a", "caf\u{e9}", "cafe\u{301}", "a\u{0}b"])
    switch chance.number(0...11) {
    case 0: weights[number] = chance.number(0...2)
    case 1: weights.removeValue(forKey: number)
    case 2: weights = [:]
    case 3, 4: marks.insert(AwkwardMark(name: text, rank: chance.number(0...1)))
    case 5: marks = []
    case 6: rows.updateOrAppend(AwkwardRow(id: number, text: text))
    case 7: rows.remove(id: number)
    case 8:
      for _ in 0..<chance.pick([1, 10, 40, 70]) { nest = AwkwardNest(nests: nest.map { [$0] } ?? []) }
    case 9: nest = nil
    case 10: self.text = text
    default: self.number = number
    }
  }
}
