import TestFeatures
import TestSupport
import Testing
import Wire

@testable import HubCore

/// The lists of the connections with something to write.
@Suite struct OutputQueuesTests {
  private func connections(_ count: Int) -> [LiveConnection] {
    let schema = Schema(state: Board.State.self, action: Board.Action.self)
    var random = SplitMix(seed: 1)
    return (0..<count).map { number in
      LiveConnection(
        id: ConnectionID(slot: Int32(number), generation: 0), peer: Peer(process: 1, user: 1000, group: 1000),
        account: UserAccount(user: 1000), rights: AccessRights(.everything, schema: schema),
        decoder: FrameDecoder(payloadLimit: 1024),
        session: Session(id: SessionID.random(using: &random), user: 1000, name: ""), knowsHistory: true, attendee: 0,
        number: UInt64(number), sentProcessed: 0)
    }
  }

  /// Writes to all pending connections, and returns their numbers in order.
  private func written(_ queues: inout OutputQueues) -> [Int32] {
    var numbers: [Int32] = []
    queues.beginWriting()
    while let connection = queues.takeNext() {
      queues.take(connection)
      numbers.append(connection.id.slot)
    }
    queues.endWriting()
    return numbers
  }

  @Test func aConnectionIsWrittenToOnceHoweverOftenItIsWoken() {
    var queues = OutputQueues()
    let connections = connections(2)
    for index in [1, 0, 1, 1, 0] { queues.wake(connections[index]) }
    #expect(written(&queues) == [1, 0])
    #expect(written(&queues) == [])
  }

  @Test func whoIsWokenNoLongerWaitsForThePublication() {
    var queues = OutputQueues()
    let connections = connections(4)
    for connection in connections { queues.delay(connection) }
    queues.wake(connections[1])
    let waiting = queues.coalescingCount
    #expect(waiting == 3)
    #expect(written(&queues) == [1])
    queues.wakeCoalescing()
    let isEmpty = queues.coalescingCount == 0
    #expect(Set(written(&queues)) == [0, 2, 3] && isEmpty)
  }

  /// The unfinished ones that got nothing come first, then those that got a part, then who was woken, then who goes last.
  @Test func theUnfinishedTakeTurns() {
    var queues = OutputQueues()
    let connections = connections(6)
    for index in [0, 1, 2, 3] { queues.leaveUnfinished(connections[index], wasServed: index < 2) }
    for index in [4, 2, 5] { queues.wake(connections[index]) }
    let before = queues.hasUnfinished
    queues.resumeUnfinished { $0.id.slot == 3 }
    let after = queues.hasUnfinished
    #expect(before && !after)
    #expect(written(&queues) == [2, 0, 1, 4, 5, 3])
  }

  @Test func whoIsHeldBackIsFirstInTheNextTurn() {
    var queues = OutputQueues()
    let connections = connections(3)
    for connection in connections { queues.wake(connection) }
    queues.beginWriting()
    while let connection = queues.takeNext() {
      if connection.id.slot == 1 { queues.holdBack(connection) } else { queues.take(connection) }
    }
    queues.endWriting()
    let heldBackCount = queues.heldBackCount
    #expect(heldBackCount == 1)
    queues.wake(connections[0])
    #expect(written(&queues) == [1, 0])
    let rest = queues.heldBackCount
    #expect(rest == 0)
  }

  /// After each of many random operations, every connection is in the list of its standing and in no other.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func everyConnectionIsInTheListOfItsStanding(seed: UInt64) {
    var queues = OutputQueues()
    var random = SplitMix(seed: seed)
    let connections = connections(12)
    for _ in 0..<2000 {
      let connection = connections[Int.random(in: 0..<12, using: &random)]
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2: queues.wake(connection)
      case 3...5: queues.delay(connection)
      case 6 where connection.standing == .idle:
        queues.leaveUnfinished(connection, wasServed: Bool.random(using: &random))
      case 7 where connection.standing == .idle: queues.leaveWithoutHash(connection)
      case 8:
        queues.resumeHashes()
        queues.resumeUnfinished { $0.id.slot.isMultiple(of: 2) }
        if Bool.random(using: &random) { queues.wakeCoalescing() }
        let pending = connections.filter { $0.standing == .pending }.map(\.id.slot)
        #expect(written(&queues).sorted() == pending, "seed \(seed)")
      case 9 where Int.random(in: 0..<100, using: &random) == 0: queues.close(connection)
      default: break
      }
      let indices = connections.compactMap { if case .coalescing(let index) = $0.standing { index } else { nil } }
      let count = queues.coalescingCount
      #expect(indices.sorted() == Array(0..<count), "seed \(seed)")
      let isUnfinished = connections.contains { if case .unfinished = $0.standing { true } else { false } }
      let (hasUnfinished, hasAwaiting) = (queues.hasUnfinished, queues.hasAwaitingHashes)
      #expect(hasUnfinished == isUnfinished, "seed \(seed)")
      #expect(hasAwaiting == connections.contains { $0.standing == .awaitingHash }, "seed \(seed)")
      let hasPending = queues.hasPending
      #expect(hasPending == connections.contains { $0.standing == .pending }, "seed \(seed)")
    }
  }
}
