import TestSupport
import Testing

@testable import CustomDump

@Suite struct EditScriptTests {
  /// Applies a script to the old sequence, and counts the kept elements.
  private func apply(_ script: EditScript, _ old: [Int], _ new: [Int]) -> (result: [Int], removed: [Int], kept: Int) {
    var (result, removed, kept): ([Int], [Int], Int) = ([], [], 0)
    for step in script.steps {
      switch step {
      case .keep(let from, let to):
        #expect(old[from] == new[to])
        result.append(old[from])
        kept += 1
      case .replace(let from, let to):
        removed.append(old[from])
        result.append(new[to])
      case .remove(let index): removed.append(old[index])
      case .insert(let index): result.append(new[index])
      }
    }
    return (result, removed, kept)
  }

  @Test(arguments: 0..<200) func scriptsLeadFromOneSequenceToTheOther(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    // With few distinct values there are many repetitions, with many hardly any.
    let values = 1 + Int.random(in: 0..<30, using: &random)
    let make = { (0..<Int.random(in: 0..<40, using: &random)).map { _ in Int.random(in: 0..<values, using: &random) } }
    let (old, new) = (make(), make())
    let (result, removed, kept) = apply(EditScript(from: old, to: new), old, new)
    #expect(result == new)
    #expect(removed.count + kept == old.count)
    #expect(removed.count == new.difference(from: old).removals.count, "The script is as short as can be")
  }

  @Test func aLargeScriptIsAsShortAsCanBeWithoutRepetition() {
    let old = Array(0..<5_000)
    let new = old.filter { $0 % 3 != 0 } + (10_000..<12_000)
    let (result, removed, kept) = apply(EditScript(from: old, to: new), old, new)
    #expect(result == new)
    #expect(kept == 3_333)
    #expect(removed == old.filter { $0 % 3 == 0 })
  }

  @Test func aLargeScriptOfRepetitionsIsStillRight() {
    var random = SplitMix(seed: 2)
    let old = (0..<5_000).map { _ in Int.random(in: 0..<10, using: &random) }
    let new = (0..<5_000).map { _ in Int.random(in: 0..<10, using: &random) }
    let (result, removed, kept) = apply(EditScript(from: old, to: new), old, new)
    #expect(result == new)
    #expect(removed.count + kept == old.count)
  }
}
