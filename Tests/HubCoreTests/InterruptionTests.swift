import FeatureCore
import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// The hub's reaction to actions at which earlier processes have ended.
@Suite struct InterruptionTests {
  private typealias Memory = MarkMemory

  private let increment = Action.counter(.incrementButtonTapped)

  private func outcomes(_ frames: [Hub.Frame]) throws -> (applied: [UInt64], rejected: [UInt64]) {
    (
      try frames.filter { $0.kind == .applied }.map { try $0.number },
      try frames.filter { $0.kind == .rejected }.map {
        let rejected = try $0.decoded(as: Rejected.self)
        #expect(rejected.code == .actionCrashes)
        return rejected.sequence
      }
    )
  }

  @Test func onlyTheActionOfTwoEndsIsRefusedInAFrameOfMany() throws {
    let memory = Memory()
    let hub = try Hub(recovering: [])
    hub.core.setMark(memory.mark())
    let (id, welcome) = try hub.openStored()
    memory.end(in: welcome.session, at: 3)
    for ends in 1...2 {
      if ends == 2 { memory.end(in: welcome.session, at: 3) }
      hub.core.setMark(memory.mark())
      hub.turn()
      let reports = hub.reports.filter { if case .interrupted = $0 { true } else { false } }
      #expect(reports.count == ends)
      guard ends == 2 else { continue }
      hub.send(Array(repeating: increment, count: 5), from: 1, on: id)
      hub.turn()
      hub.store()
      let outcomes = try outcomes(hub.turn(id))
      #expect(outcomes.rejected == [3] && outcomes.applied == [5])
      #expect(hub.engine.state.counter.count == 4)
      // The refusal is stored, so a restart does not change it.
      let session = try #require(hub.log.lastSessions.last)
      #expect(session.processed == 5 && session.rejections.map(\.sequence) == [3])
    }
  }

  @Test func anActionIsTriedAgainAfterOneEnd() throws {
    let memory = Memory()
    let hub = try Hub(recovering: [])
    let (id, welcome) = try hub.openStored()
    memory.end(in: welcome.session, at: 1)
    hub.core.setMark(memory.mark())
    hub.send([increment], from: 1, on: id)
    hub.turn()
    hub.store()
    #expect(try outcomes(hub.turn(id)).applied == [1])
  }

  @Test func theMarkNamesTheActionWithinItsBatch() throws {
    let memory = Memory()
    let hub = Hub()
    let mark = memory.mark()
    hub.core.setMark(mark)
    let (id, welcome) = try hub.open()
    // The mark as a trap in the fourth action would leave it.
    mark.begin(welcome.session, first: 1)
    let actions = Array(repeating: increment.encoded(), count: 3).flatMap(\.self)
    _ = hub.engine.applyBatch(actions.span.bytes, 0, .max, .hub)
    let last = memory.mark().last
    #expect(last?.place == .client(welcome.session, sequence: 4))
    // After a whole frame nothing is marked.
    hub.core.setMark(memory.mark())
    hub.send([increment, increment], from: 1, on: id)
    #expect(memory.mark().last == nil)
  }

  @Test func theLastWordsAreThoseOfTheWorkThatEnded() {
    let memory = Memory()
    let mark = memory.mark()
    let session = SessionID(high: 1, low: 2)
    func say(_ text: String) {
      mark.message.storeBytes(of: UInt64(text.utf8.count), as: UInt64.self)
      UnsafeMutableRawBufferPointer(rebasing: mark.message[8...]).copyBytes(from: text.utf8)
    }
    mark.begin(session, first: 1)
    say("a line of an earlier action")
    mark.end()
    mark.begin(session, first: 2)
    #expect(memory.mark().last?.message == "")
    mark.begin(session, first: 2)
    say("Fatal error")
    #expect(memory.mark().last?.message == "Fatal error")
    #expect(memory.mark().last == nil)
  }

  @Test func workOfTheHubThatSucceedsIsForgiven() {
    let memory = Memory()
    func end(_ bytes: [UInt8]) { memory.mark().begin(.effect, bytes.span.bytes) }
    let action = increment.encoded()
    let (checksum, name) = (Checksum.of(action.span.bytes), "counter.incrementButtonTapped")
    end(action)
    var mark = memory.mark()
    #expect(mark.interruptions.refusal(of: .effect, checksum: checksum, name: name) == nil)
    mark.succeeded(.effect, checksum: checksum, name: name)
    end(action)
    mark = memory.mark()
    #expect(mark.interruptions.refusal(of: .effect, checksum: checksum, name: name) == nil)
    end(action)
    mark = memory.mark()
    #expect(mark.interruptions.refusal(of: .effect, checksum: checksum, name: name)?.count == 2)
    // Another origin, and another action of the name, are not affected.
    #expect(mark.interruptions.refusal(of: .program, checksum: checksum, name: name) == nil)
    #expect(mark.interruptions.refusal(of: .effect, checksum: 1, name: "counter.other") == nil)
    // Actions of one name that differ each time, such as those with a time.
    let memory2 = Memory()
    for last: UInt8 in 1...3 {
      memory2.mark().begin(.effect, Array("\(last)".utf8).span.bytes)
      let refusal = memory2.mark().interruptions.refusal(of: .effect, checksum: 0, name: "")
      #expect((refusal != nil) == (last == 3))
    }
    // An end in order forgets all.
    mark.clear()
    #expect(memory.mark().interruptions == Interruptions())
  }

  @Test func actionsOfATurnThatEndedAreEncodedAlone() throws {
    let memory = Memory()
    memory.mark().beginTurn()
    let hub = try Hub(recovering: [])
    hub.core.setMark(memory.mark())
    let (id, _) = try hub.openStored()
    let before = try #require(hub.core.mark?.interruptions.examinedCount)
    hub.send(Array(repeating: increment, count: 5), from: 1, on: id)
    while hub.hasBacklog { hub.work(limit: .max) }
    hub.turn()
    hub.store()
    #expect(try outcomes(hub.turn(id)).applied == [5])
    let after = try #require(hub.core.mark?.interruptions.examinedCount)
    #expect(after == before - 5)
  }

  @Test func memoryThatAnotherProgramHasWrittenIsHarmless() {
    var random = SplitMix(seed: 36)
    for _ in 0..<300 {
      let memory = Memory()
      memory.end(in: SessionID(high: 1, low: 2), at: 3)
      memory.end(in: SessionID(high: 1, low: 2), at: 3)
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        let index = Int.random(in: 0..<(Bool.random(using: &random) ? 2200 : ActionMark.byteCount), using: &random)
        memory.bytes[index] = UInt8.random(in: .min ... .max, using: &random)
      }
      _ = memory.mark()
      #expect(memory.mark().last == nil)
    }
  }
}
