import TestSupport

/// Creates inputs from others, as libFuzzer does, but without coverage.
struct Mutator {
  private var random: SplitMix
  private let corpus: [[UInt8]]

  init(seed: UInt64, corpus: [[UInt8]]) {
    random = SplitMix(seed: seed)
    self.corpus = corpus
  }

  /// The next input.
  mutating func next() -> [UInt8] {
    var input = corpus[below(corpus.count)]
    for _ in 0...below(4) { mutate(&input) }
    // Where any byte means something, such as a key, noise gets further than few changes.
    if below(4) == 0 { input.replaceSubrange(below(input.count + 1)..., with: noise(below(400))) }
    return input
  }

  private mutating func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(bound, 1), using: &random) }

  /// Heads of items, limits of ranges, and numbers at which their encoding changes.
  private static let notable: [[UInt8]] = [
    [0], [1], [0x17], [0x18, 0x18], [0x1b] + [UInt8](repeating: 0xff, count: 8),
    [0x3b, 0x7f] + [UInt8](repeating: 0xff, count: 7),
    [0x80], [0x81], [0x9f], [0x9b] + [UInt8](repeating: 0xff, count: 8), [0xa0], [0xa1, 0],
    [0xbb, 0, 0, 0, 1, 0, 0, 0, 0],
    [0xc2], [0xf4], [0xf6], [0xf9, 0x7e, 0], [0xf9, 0x80, 0], [0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1], [0xff], [0x60],
    [0x40],
  ]

  private mutating func mutate(_ input: inout [UInt8]) {
    let start = below(input.count + 1)
    let end = min(input.count, start + below(9))
    switch below(7) {
    case 0 where start < input.count: input[start] ^= 1 << UInt8(below(8))
    case 1 where start < input.count: input[start] = UInt8(below(256))
    case 2: input.removeSubrange(start..<end)
    case 3: input.insert(contentsOf: Self.notable[below(Self.notable.count)], at: start)
    case 4: input.replaceSubrange(start..<end, with: Self.notable[below(Self.notable.count)])
    case 5:
      let other = corpus[below(corpus.count)]
      let from = below(other.count + 1)
      input.replaceSubrange(start..., with: other[from...])
    default:
      let copies = Array(input[start..<end])
      for _ in 0..<below(80) { input.insert(contentsOf: copies, at: start) }
    }
  }
}
