import IdentifiedCollections
import TestSupport

extension Specimen {
  /// Returns a specimen determined by a number; 0 is the empty one.
  static func sample(_ seed: UInt8) -> Specimen {
    var specimen = Specimen()
    guard seed > 0 else { return specimen }
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<Int(seed % 16) + 1 { specimen.change(using: &random) }
    return specimen
  }

  private static let texts = ["", "a", "caf\u{e9}", "cafe\u{301}", "b", "long enough to be kept elsewhere"]
  private static let reals = [0, -0.0, 1.5, .infinity, 1e300]

  /// Makes a random change.
  mutating func change(using random: inout SplitMix) {
    let number = Int.random(in: 0..<8, using: &random)
    let text = Self.texts[number % Self.texts.count]
    let real = Self.reals[number % Self.reals.count]
    var part = Part(id: text)
    part.count = number
    switch Int.random(in: 0..<20, using: &random) {
    case 0: (flag, small, wide, unsigned) = (true, -128, Int128.max - Int128(number), .max)
    case 1: (float, double, self.text) = (1.5, real, text)
    case 2: (letter, scalar, duration) = ("e\u{301}", "é", .milliseconds(-number))
    case 3: (range, maybe) = (number..<9, .some(number < 4 ? nil : number))
    case 4: numbers.insert(number, at: numbers.count / 2)
    case 5: lists.append([text])
    case 6: words.formSymmetricDifference([text])
    case 7: reals.formSymmetricDifference([real])
    case 8: byName[text] = part
    case 9: byReal[real] = [number]
    case 10, 11: parts.append(part)
    case 12: if !parts.isEmpty { parts.remove(at: number % parts.count) }
    case 13: if !parts.isEmpty { parts[number % parts.count].count += 1 }
    case 14: measures.append(Measure(id: real))
    case 15: outcome = number < 4 ? .success(part) : .failure(.because(text))
    case 16: kind = number < 4 ? .numbered(number) : .paired(part, first: [number])
    case 17: tree = number < 4 ? .node(tree, .leaf) : .tagged(text, tree)
    case 18: for id in 0..<40 { parts.append(Part(id: "\(id)")) }
    default:
      var branch = Branch(id: number)
      if let root {
        if number < 4 { branch.branches.append(root) } else { branch.byName[text] = root }
      }
      root = branch
    }
  }
}
