import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(30)), .computing) struct ConvergenceTests {
  private static let seed = UInt64.random(in: 0 ... .max)

  private func check(_ old: World, _ new: World, _ what: Comment) throws {
    let bytes = new.encoded()
    var read = try World(decoding: bytes.span.bytes)
    #expect(read.scratch == 7, what)
    read.scratch = new.scratch
    #expect(read.encoded() == bytes, what)
    let delta = new.delta(from: old)
    let applied = try old.applying(delta)
    #expect(applied.encoded() == bytes, what)
    #expect(applied.scratch == old.scratch, what)
    #expect(new.differs(from: old) == (old.encoded() != bytes), what)
    #expect(!applied.differs(from: new), what)
    let item = try CBORValue(decoding: delta.span.bytes)
    #expect(item.encoded() == delta, "a delta is deterministic: \(what)")
  }

  @Test func theDeltaOfAnyTwoStatesMakesTheSecondOfTheFirst() throws {
    print("seed of the random states: \(Self.seed)")
    var shaper = Shaper(seed: Self.seed)
    for round in 0..<400 {
      try check(shaper.world(), shaper.world(), "seed \(Self.seed), round \(round)")
    }
  }

  @Test func aHistoryOfSmallChangesIsFollowedDeltaByDelta() throws {
    var shaper = Shaper(seed: Self.seed &+ 1)
    var (hub, whole, parts) = (shaper.world(), 0, 0)
    var replica = try World(decoding: hub.encoded().span.bytes)
    for round in 0..<1500 {
      let next = shaper.changed(hub)
      let delta = next.delta(from: hub)
      replica = try replica.applying(delta)
      #expect(replica.encoded() == next.encoded(), "seed \(Self.seed &+ 1), round \(round)")
      hub = next
      (whole, parts) = (whole + next.encoded().count, parts + delta.count)
    }
    print("seed \(Self.seed &+ 1): \(parts) bytes of deltas, \(whole) of states")
    #expect(parts < whole / 2)
  }

  @Test func deltasThatBreakOffAreRefused() throws {
    var shaper = Shaper(seed: Self.seed &+ 2)
    for _ in 0..<40 {
      let (old, new) = (shaper.world(), shaper.world())
      let (delta, before) = (new.delta(from: old), old.encoded())
      for count in 0..<delta.count {
        #expect(throws: WireError.self, "seed \(Self.seed &+ 2)") { try old.applying(Array(delta[..<count])) }
      }
      #expect(old.encoded() == before)
    }
  }

  @Test func changedBytesAreRefusedOrMakeAState() throws {
    var shaper = Shaper(seed: Self.seed &+ 3)
    var (refused, applied) = (0, 0)
    for round in 0..<300 {
      let old = shaper.world()
      let new = shaper.changed(old)
      for original in [new.delta(from: old), shaper.world().delta(from: old)] where !original.isEmpty {
        for _ in 0..<20 {
          var delta = original
          for _ in 0...shaper.below(2) {
            switch shaper.below(3) {
            case 0: delta[shaper.below(delta.count)] = UInt8(shaper.below(256))
            case 1: delta[shaper.below(delta.count)] ^= 1 << UInt8(shaper.below(8))
            default: delta.insert(UInt8(shaper.below(256)), at: shaper.below(delta.count))
            }
          }
          do {
            let state = try old.applying(delta)
            #expect(try World(decoding: state.encoded().span.bytes).encoded() == state.encoded(), "round \(round)")
            applied += 1
          } catch {
            refused += 1
          }
        }
      }
    }
    print("seed \(Self.seed &+ 3): \(refused) refused, \(applied) applied")
    #expect(refused > 0 && applied > 0)
  }

  @Test func aDeltaForAnotherBaseIsRefusedOrAppliedWhole() throws {
    var shaper = Shaper(seed: Self.seed &+ 4)
    for _ in 0..<300 {
      let (old, new, other) = (shaper.world(), shaper.world(), shaper.world())
      let before = other.encoded()
      if let state = try? other.applying(new.delta(from: old)) {
        #expect(try World(decoding: state.encoded().span.bytes).encoded() == state.encoded())
      }
      #expect(other.encoded() == before)
    }
  }
}
