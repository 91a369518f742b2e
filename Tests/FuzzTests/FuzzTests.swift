import FoundationEssentials
import Fuzzing
import TestSupport
import Testing

/// Runs the fuzz targets on the stored corpus and its mutations; `make fuzz` does so with more time and a sanitizer.
@Suite(.timeLimit(.minutes(30)), .computing) struct FuzzTests {
  /// All targets, or the one that the environment names.
  static let targets = FuzzTarget.all.map(\.name).filter {
    !$0.hasPrefix("canary") && $0 == ProcessInfo.processInfo.environment["STOREHUB_FUZZ_TARGET", default: $0]
  }
  /// A new seed each time, unless the environment sets one.
  static let seed =
    ProcessInfo.processInfo.environment["STOREHUB_FUZZ_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)

  /// The seconds for the mutations of each target, if the environment sets them; otherwise one, and 5000 inputs.
  static let seconds = ProcessInfo.processInfo.environment["STOREHUB_FUZZ_SECONDS"].flatMap { Int($0) }

  @Test(arguments: targets)
  func keptInputsKeepPromises(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let corpus = Corpus(target)
    #expect(!corpus.seeds.isEmpty)
    for input in corpus.inputs { expect(target, input) }
  }

  @Test(arguments: targets)
  func mutatedInputsKeepPromises(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    print("FuzzTests: \(name), seed \(Self.seed)")
    var mutator = Mutator(seed: Self.seed, corpus: Corpus(target).inputs)
    let end = ContinuousClock.now + .seconds(Self.seconds ?? 1)
    var count = 0
    while ContinuousClock.now < end, Self.seconds != nil || count < 5000 {
      expect(target, mutator.next())
      count += 1
    }
    print("FuzzTests: \(name), \(count) inputs")
  }

  /// The stored seeds equal those that the targets generate, so that they follow changes of the wire.
  @Test(arguments: FuzzTarget.all.map(\.name))
  func keptSeedsAreCurrent(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    if ProcessInfo.processInfo.environment["STOREHUB_CORPUS"] == "write" { try Corpus.writeSeeds(of: target) }
    #expect(Corpus(target).seeds == target.seeds(), "write them anew, as the first lines of the file say")
  }

  @Test func canaryIsFoundByItsBytes() throws {
    let canary = try #require(FuzzTarget.named("canary"))
    #expect(throws: BrokenPromise.self) { try canary.run([0x1a, 0xc0, 0xff, 0xee]) }
    try canary.run([0x1a, 0xc0, 0xff, 0xef])
  }

  private func expect(_ target: FuzzTarget, _ input: [UInt8]) {
    do {
      try target.run(input)
    } catch {
      let digits = input.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      Issue.record("\(target.name): \(error); the input, with seed \(Self.seed): \(digits)")
    }
  }
}
