import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport
import Testing
import Wire

/// Random histories of clients that edit one model at the same time.
@Suite(.timeLimit(.minutes(30)), .computing) struct MergeHistoryTests {
  private static let seed = UInt64.random(in: 0 ... .max)

  @Test func aChangeMergedIntoItsBaseGivesItsResult() throws {
    print("seed of the random states: \(Self.seed)")
    var shaper = Shaper(seed: Self.seed)
    func check<Value: Replicated>(_ old: Value, _ new: Value, _ round: Int) throws {
      let change = new.change(from: old)
      let merged = try old.merging(change)
      #expect(merged.encoded() == new.encoded(), "seed \(Self.seed), round \(round)")
      #expect(try CBORValue(decoding: change.span.bytes).encoded() == change, "a change is deterministic")
    }
    for round in 0..<300 {
      try check(shaper.world(), shaper.world(), round)
      let plan = shaper.plan()
      try check(plan, shaper.plan(), round)
      try check(plan, shaper.changed(plan), round)
    }
  }

  @Test func clientsConvergeWhateverTheyEdit() throws {
    var shaper = Shaper(seed: Self.seed &+ 1)
    for round in 0..<60 {
      var history = SharedHistory(shaper.plan(), clients: 3)
      for _ in 0..<60 {
        let client = shaper.below(3)
        switch shaper.below(4) {
        case 0, 1: try history.edit(client) { $0 = shaper.changed($0) }
        case 2: _ = try history.deliver(from: client)
        default: for _ in 0...shaper.below(4) { _ = try history.deliver(to: client) }
        }
      }
      try history.settle()
      let hub = history.hub.encoded()
      for client in history.clients {
        #expect(client.pending.isEmpty)
        #expect(client.known.encoded() == hub, "seed \(Self.seed &+ 1), round \(round)")
        #expect(client.shown.encoded() == hub, "seed \(Self.seed &+ 1), round \(round)")
      }
      // What the clients did together can be stored and read.
      #expect(try Plan(decoding: hub.span.bytes).encoded() == hub, "seed \(Self.seed &+ 1), round \(round)")
    }
  }

  /// Each client works on elements, fields, keys and members of its own, and on counters and lists of all.
  @Test func noWorkIsLostThatOnlyOneClientDid() throws {
    var shaper = Shaper(seed: Self.seed &+ 2)
    for round in 0..<60 {
      let start = IdentifiedArrayOf<Item>(uniqueElements: (0..<9).map { Item(id: $0) })
      var history = SharedHistory(Plan(items: start), clients: 3)
      var expected = Expected()
      for id in 0..<9 { expected.titles[id] = "" }
      for step in 0..<60 {
        let client = shaper.below(3)
        switch shaper.below(4) {
        case 0, 1: try history.edit(client) { shaper.work(of: client, step, on: &$0, &expected) }
        case 2: _ = try history.deliver(from: client)
        default: for _ in 0...shaper.below(4) { _ = try history.deliver(to: client) }
        }
      }
      try history.settle()
      let hub = history.hub
      let what: Comment = "seed \(Self.seed &+ 2), round \(round)"
      #expect(Set(hub.items.ids) == Set(expected.titles.keys), what)
      for (id, title) in expected.titles { #expect(hub.items[id: id]?.title == title, what) }
      #expect(hub.votes.value == expected.votes, what)
      #expect(hub.ballots["all", default: 0].value == expected.ballots, what)
      #expect(hub.members == expected.members, what)
      #expect(hub.history.sorted() == expected.history.sorted(), what)
      for client in 0..<3 {
        // In the order of their author.
        let mark = "\(client): "
        #expect(hub.history.filter { $0.hasPrefix(mark) } == expected.history.filter { $0.hasPrefix(mark) }, what)
      }
    }
  }

  @Test func changesForOtherBasesAreMergedOrRefusedWhole() throws {
    var shaper = Shaper(seed: Self.seed &+ 3)
    for round in 0..<200 {
      let (old, new, other) = (shaper.plan(), shaper.plan(), shaper.plan())
      let merged = try other.merging(new.change(from: old))
      #expect(try Plan(decoding: merged.encoded().span.bytes).encoded() == merged.encoded(), "round \(round)")
    }
  }

  @Test func changesThatBreakOffAreRefused() throws {
    var shaper = Shaper(seed: Self.seed &+ 4)
    for _ in 0..<20 {
      var old = shaper.plan()
      let (change, before) = (shaper.plan().change(from: old), old.encoded())
      for count in 0..<change.count {
        #expect(throws: WireError.self, "seed \(Self.seed &+ 4)") {
          try old.merge(change: Array(change[..<count]).span.bytes)
        }
        #expect(old.encoded() == before, "seed \(Self.seed &+ 4)")
      }
    }
  }

  @Test func changedBytesAreRefusedWholeOrMakeAState() throws {
    var shaper = Shaper(seed: Self.seed &+ 5)
    var (refused, merged) = (0, 0)
    for round in 0..<200 {
      let old = shaper.plan()
      for original in [shaper.changed(old).change(from: old), shaper.plan().change(from: old)] {
        for _ in 0..<20 {
          var change = original
          for _ in 0...shaper.below(2) {
            switch shaper.below(3) {
            case 0: change[shaper.below(change.count)] = UInt8(shaper.below(256))
            case 1: change[shaper.below(change.count)] ^= 1 << UInt8(shaper.below(8))
            default: change.insert(UInt8(shaper.below(256)), at: shaper.below(change.count))
            }
          }
          var state = old
          do {
            try state.merge(change: change.span.bytes)
            let bytes = state.encoded()
            #expect(try Plan(decoding: bytes.span.bytes).encoded() == bytes, "seed \(Self.seed &+ 5), round \(round)")
            merged += 1
          } catch {
            #expect(state.encoded() == old.encoded(), "seed \(Self.seed &+ 5), round \(round)")
            refused += 1
          }
        }
      }
    }
    print("seed \(Self.seed &+ 5): \(refused) refused, \(merged) merged")
    #expect(refused > 0 && merged > 0)
  }

  @Test func deepChangesAreRefusedBeforeTheStackEnds() {
    var plan = Plan()
    for step in [[0xa1, 0x01], [0x81], [0xa1, 0x0d, 0xa1, 0x05]] as [[UInt8]] {
      var change: [UInt8] = [0xa1, 0x0d, 0xa1, 0x05]
      for _ in 0..<100_000 { change += step }
      #expect(throws: WireError.self) { try plan.merge(change: change.span.bytes) }
      #expect(throws: WireError.self) { try SharedChange<Plan>(decoding: ([0x82, 0x0d] + change).span.bytes) }
    }
    #expect(plan == Plan())
  }

  @Test func aChangeOfOneOfManyElementsCostsWhatItChanges() throws {
    /// The nodes that a merge makes anew show as elements of leaves that both versions do not share.
    func visited(_ count: Int) throws -> (bytes: Int, comparisons: Int) {
      let base = Plan(items: IdentifiedArrayOf<Item>(uniqueElements: (0..<count).map { Item(id: $0) }))
      var edited = base
      edited.items[id: count / 2]?.title = "a"
      edited.items.insert(Item(id: -1), at: count / 3)
      edited.items.remove(id: count / 4)
      let change = edited.change(from: base)
      let merged = try base.merging(change)
      var comparisons = 0
      merged.items.visitChanges(from: base.items) { _, _ in
        comparisons += 1
        return true
      } _: { _ in
      }
      return (change.count, comparisons)
    }
    let (few, many) = (try visited(1_000), try visited(100_000))
    #expect(many.bytes <= few.bytes + 12)
    #expect(many.comparisons <= 2 * few.comparisons + 64)
  }
}

/// What must remain of the work of all clients.
private struct Expected {
  var titles: [Int: String] = [:]
  var votes = 0
  var ballots = 0
  var members: Set<String> = []
  var history: [String] = []
}

extension Shaper {
  /// Does some work that conflicts with nobody's: a client edits and removes only elements of its own.
  fileprivate mutating func work(of client: Int, _ step: Int, on plan: inout Plan, _ expected: inout Expected) {
    let own = plan.items.ids.filter { $0 % 3 == client }
    switch below(8) {
    case 0:
      let id = 1000 + 3 * step + client
      plan.items.insert(Item(id: id, title: "new"), at: below(plan.items.count + 1))
      expected.titles[id] = "new"
    case 1 where !own.isEmpty:
      let (id, title) = (pick(own), "\(step)")
      plan.items[id: id]?.title = title
      expected.titles[id] = title
    case 2 where !own.isEmpty:
      let id = pick(own)
      plan.items.remove(id: id)
      expected.titles[id] = nil
    case 3 where !plan.items.isEmpty:
      // Also those of others, which remain what they are elsewhere.
      plan.items.move(fromOffsets: [below(plan.items.count)], toOffset: below(plan.items.count + 1))
    case 4:
      let amount = below(9) - 4
      plan.votes += amount
      expected.votes += amount
    case 5:
      plan.ballots["all", default: 0] += client + 1
      expected.ballots += client + 1
    case 6:
      let member = "\(client): \(below(4))"
      if plan.members.remove(member) == nil {
        plan.members.insert(member)
        expected.members.insert(member)
      } else {
        expected.members.remove(member)
      }
    default:
      plan.history.append("\(client): \(step)")
      expected.history.append("\(client): \(step)")
    }
  }
}
