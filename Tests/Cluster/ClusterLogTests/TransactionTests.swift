import ClusterLog
import Testing
import Wire

@Suite struct TransactionTests {
  @Test func keysAreInTheOrderOfPositions() {
    #expect(LogKey.entry(1).description == "log/0000000000000001")
    #expect(LogKey.entry(255).description < LogKey.entry(256).description)
    #expect(
      LogKey.part(position: 16, process: .max, index: 3).description
        == "part/0000000000000010/ffffffffffffffff/0000000000000003")
    #expect(LogKey.node(Samples.name("b-2")).description == "node/b-2")
  }

  /// A beat, a part and a removal do not name a position, so the key `leader` is their only fence.
  @Test func everyTransactionOfALeaderComparesItsLeadership() {
    let leader = Samples.first
    let fence = LogTransaction.Condition.value(.leader, leader.encoded())
    let transactions: [LogTransaction] = [
      .append(Samples.log()[1]), .beat(3, of: leader), .part([1], index: 0, position: 3, of: leader),
      .trim(before: 2, of: leader),
    ]
    for transaction in transactions {
      #expect(transaction.conditions.contains(fence))
      #expect(transaction.reads.contains(.key(.leader)))
      #expect(!transaction.writes.contains { if case .put(.leader, _) = $0 { true } else { false } })
    }
  }

  /// A shell with a proxy before the store may send a transaction to one that was restored from a backup since.
  @Test func aRestoredStoreIsNotDamagedByARepetition() {
    // The parts are not in the backup. Of those that are written in order, the last one tells.
    #expect(
      LogTransaction.append(Samples.log()[2]).conditions.contains(.present(.part(position: 3, process: 7, index: 2))))
    // The restored log ends before the removal's position: everything would be removed.
    #expect(LogTransaction.trim(before: 9, of: Samples.first).conditions.contains(.present(.entry(9))))
  }

  @Test func aClaimOverlooksNothing() {
    let opening = Samples.log()[4]
    let own = NodeRegistration(process: .max, ordinal: 3, position: 4)
    let claim = LogTransaction.claim(
      opening, as: own, from: Samples.first, beat: 9, history: LogHistory(id: 1, store: 2), begins: false)
    #expect(claim.conditions.contains(.value(.node(Samples.name("b-2")), own.encoded())))
    #expect(claim.conditions.contains(.absent(.entry(5))) && claim.conditions.contains(.present(.entry(4))))
    #expect(claim.conditions.contains(.revision(.beat, 9)))
    #expect(claim.conditions.contains(.value(.leader, Samples.first.encoded())))
    #expect(claim.writes == [.put(.leader, Samples.second.encoded()), .put(.entry(5), opening.bytes)])
  }
}
