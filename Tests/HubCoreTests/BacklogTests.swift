import Features
import HubCore
import TestSupport
import Testing
import Wire

/// Frames that a turn has no time to handle.
@Suite struct BacklogTests {
  private let increment = Action.counter(.incrementButtonTapped).encoded()

  private func receive(_ bytes: [UInt8], _ hub: Hub, _ id: ConnectionID, limit: Int) -> (count: Int, isComplete: Bool) {
    let now = hub.now
    return hub.core.received(bytes.span.bytes, on: id, at: now, limit: limit)
  }

  @Test func aLargeFrameIsWorkedOnOverSeveralTurns() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let work = receive(
      actionsFrame(Array(repeating: increment, count: 5000), from: 1), hub, client, limit: 100)
    #expect(work.count == 100)
    #expect(!work.isComplete)
    // The frame itself counts too.
    #expect(hub.engine.state.counter.count == 99)
    #expect(try hub.turn(client).map { try $0.number } == [99])

    let needsAnotherTurn = hub.core.needsAnotherTurn
    #expect(hub.hasBacklog && needsAnotherTurn)
    let (some, rest) = (hub.work(limit: 1000), hub.work(limit: .max))
    #expect(some == 1000)
    #expect(rest > 3000)
    #expect(!hub.hasBacklog)
    #expect(hub.engine.state.counter.count == 5000)
    let commands = hub.core.commands
    #expect(commands.contains(.resumeReading(client)))
    #expect(try hub.turn(client).map { try $0.number } == [5000])
  }

  /// Actions may suddenly be slower than those from which the limit was derived.
  @Test(arguments: [64 << 20, 100]) func aTurnWithoutTimeEndsBeforeItsLimit(stateBytes: Int) throws {
    var limits = HubLimits()
    limits.stateBytes = stateBytes
    let hub = Hub(limits: limits)
    let (client, _) = try hub.open()
    var questions = 0
    hub.core.setLateness {
      questions += 1
      return questions > 2
    }
    let frames = actionsFrame(Array(repeating: increment, count: 100), from: 1)
    let work = receive(frames + actionsFrame([increment], from: 101), hub, client, limit: 512)
    #expect(work.count < 8 && !work.isComplete)
    #expect(hub.engine.state.counter.count == work.count - 1)
    hub.turn()
    #expect(hub.work(limit: 512) == 1)
    hub.core.setLateness(nil)
    hub.work(limit: .max)
    #expect(!hub.hasBacklog)
    #expect(hub.engine.state.counter.count == 101)
  }

  /// Single actions are not delayed, and the clock is not read for them.
  @Test func theLastActionOfAFrameAsksForNoTime() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    hub.core.setLateness {
      Issue.record("the clock was read")
      return true
    }
    let work = receive(actionsFrame([increment], from: 1), hub, client, limit: 512)
    #expect(work.isComplete)
    #expect(hub.engine.state.counter.count == 1)
  }

  /// A turn checks its time after its first actions, after a few of each further frame, and rarely otherwise.
  @Test func aTurnChecksItsTimeAtTheBeginning() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    var questions = 0
    hub.core.setLateness {
      questions += 1
      return false
    }
    let frame = { actionsFrame(Array(repeating: increment, count: 16), from: $0) }
    // At first the state's size is checked between the actions of a frame, which divides it.
    _ = receive(frame(1), hub, client, limit: 512)
    hub.turn()
    questions = 0
    _ = receive(frame(17), hub, client, limit: 512)
    #expect(questions == 4)
    _ = receive(frame(33), hub, client, limit: 512)
    #expect((5...7).contains(questions))
    hub.turn()
    hub.core.setLateness { true }
    let work = receive(frame(49), hub, client, limit: 512)
    #expect(!work.isComplete)
    #expect(hub.engine.state.counter.count == 49)
  }

  /// A frame of 1 MiB can repeat 349,000 actions, which a turn must not skip as one unit of work.
  @Test func repeatedActionsCountByTheirBytes() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let actions = Array(repeating: increment, count: 4000)
    _ = receive(actionsFrame(actions, from: 1), hub, client, limit: .max)
    hub.turn()
    let again = actionsFrame(actions + [Action.counter(.decrementButtonTapped).encoded()], from: 1)
    let unitCount = again.count / 256

    #expect(receive(again, hub, client, limit: 10) == (10, false))
    var (work, calls) = (10, 0)
    while hub.hasBacklog {
      let count = hub.work(limit: 10)
      #expect(count <= 10)
      (work, calls) = (work + count, calls + 1)
    }
    #expect((unitCount - calls...unitCount + 2).contains(work), "\(work) of \(unitCount)")
    #expect(hub.engine.state.counter.count == 3999)
    #expect(try hub.turn(client).last?.number == 4001)
  }

  /// A client that repeats a few actions after a cut is answered at once, however little time is left.
  @Test func aFewRepeatedActionsDivideNoFrame() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let actions = Array(repeating: increment, count: 10)
    hub.send(actionsFrame(actions, from: 1), on: client)
    #expect(receive(actionsFrame(actions, from: 1), hub, client, limit: 1) == (1, true))
    #expect(receive(actionsFrame(actions, from: 5), hub, client, limit: 5) == (5, true))
    #expect(hub.engine.state.counter.count == 14)
  }

  @Test func anotherClientIsServedBetweenTheSlices() throws {
    let hub = Hub()
    let (flood, _) = try hub.open()
    let (other, _) = try hub.open()
    _ = receive(actionsFrame(Array(repeating: increment, count: 1000), from: 1), hub, flood, limit: 10)
    let work = receive(actionsFrame([increment], from: 1), hub, other, limit: 10)
    #expect(work.isComplete)
    #expect(hub.turn(other).map(\.kind) == [.applied])
    #expect(hub.engine.state.counter.count == 10)
  }

  @Test func connectionsTakeTurns() throws {
    let hub = Hub()
    let clients = try (0..<3).map { _ in try hub.open().0 }
    for client in clients {
      _ = receive(actionsFrame(Array(repeating: increment, count: 100), from: 1), hub, client, limit: 0)
    }
    for _ in 0..<3 { hub.work(limit: 11) }
    hub.turn()
    for _ in 0..<3 { hub.work(limit: 11) }
    let processed = try clients.map { try #require(hub.turn($0).last).number }
    // The frame itself counts in the first round, and when it is resumed.
    #expect(Set(processed).count == 1)
  }

  @Test func theTimeLimitOfACutFrameDoesNotRunWhileNothingIsRead() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let next = actionsFrame([increment], from: 51)
    let bytes = actionsFrame(Array(repeating: increment, count: 50), from: 1) + next.prefix(10)
    #expect(!receive(bytes, hub, client, limit: 5).isComplete)
    hub.now += .seconds(60)
    hub.core.expire(at: hub.now)
    hub.work(limit: .max)
    #expect(hub.turn(client).map(\.kind) == [.applied])
    hub.now += .seconds(5)
    hub.send(Array(next.dropFirst(10)), on: client)
    #expect(hub.turn(client).map(\.kind) == [.applied])
    // It starts again once the connection is read.
    hub.send(Array(actionsFrame([increment], from: 52).prefix(10)), on: client)
    hub.now += .seconds(11)
    hub.core.expire(at: hub.now)
    #expect(hub.turn(client).map(\.kind) == [.error])
  }

  @Test func framesBehindALargeOneKeepTheirOrder() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    var writer = FrameWriter()
    writer.frame(Ping(number: 1))
    let bytes =
      actionsFrame(Array(repeating: increment, count: 20), from: 1)
      + actionsFrame([Action.counter(.decrementButtonTapped).encoded()], from: 21) + writer.bytes
    #expect(!receive(bytes, hub, client, limit: 5).isComplete)
    #expect(hub.turn(client).map(\.kind) == [.applied])
    while hub.hasBacklog { hub.work(limit: 3) }
    #expect(hub.turn(client).map(\.kind) == [.applied, .pong])
    #expect(hub.engine.state.counter.count == 19)
  }

  @Test func aSessionThatIsCutInABacklogGoesOnWhereItWas() throws {
    let hub = Hub()
    let (client, welcome) = try hub.open()
    let frame = actionsFrame(Array(repeating: increment, count: 50), from: 1)
    _ = receive(frame, hub, client, limit: 21)
    hub.disconnect(client)
    #expect(!hub.hasBacklog)
    let (again, resumed) = try hub.open(session: welcome.session)
    #expect(resumed.processed == 20)
    hub.send(frame, on: again)
    hub.turn()
    #expect(hub.engine.state.counter.count == 50)
  }

  @Test func whatAPeerSentBeforeItClosedItsDirectionTakesEffect() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    _ = receive(actionsFrame(Array(repeating: increment, count: 50), from: 1), hub, client, limit: 10)
    hub.core.inputEnded(client, at: hub.now)
    hub.turn()
    #expect(!hub.closed.contains(client))
    // Regardless of the time that the hub takes.
    hub.now += .seconds(60)
    hub.core.expire(at: hub.now)
    hub.turn()
    #expect(!hub.closed.contains(client))
    hub.work(limit: .max)
    #expect(hub.turn(client).last?.kind == .applied)
    #expect(hub.closed.contains(client))
    #expect(hub.engine.state.counter.count == 50)
  }

  @Test(arguments: [UInt64](0..<100))
  func limitsChangeNothingButTheTime(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let (limited, whole) = (Hub(), Hub())
    let a = try (0..<2).map { _ in try limited.open().0 }
    let b = try (0..<2).map { _ in try whole.open().0 }
    var next: [UInt64] = [1, 1]
    for _ in 0..<20 {
      let who = Int.random(in: 0..<2, using: &random)
      let count = Int.random(in: 0...(Int.random(in: 0...5, using: &random) == 0 ? 400 : 40), using: &random)
      let actions = (0..<count).map { _ in
        Int.random(in: 0..<10, using: &random) == 0 ? CBORValue.unsigned(99).encoded() : increment
      }
      // Repeats some earlier actions, sometimes more than a turn skips.
      let repeats = Int.random(in: 0...5, using: &random) == 0 ? 400 : 5
      let repeated = min(Int.random(in: 0...repeats, using: &random), Int(next[who]) - 1)
      let first = Int(next[who]) - repeated
      let frame = actionsFrame(actions, from: UInt64(first))
      next[who] = max(next[who], UInt64(first + count))
      var cut = Int.random(in: 0...frame.count, using: &random)
      if Bool.random(using: &random) { cut = frame.count }
      for part in [Array(frame[..<cut]), Array(frame[cut...])] {
        _ = receive(part, limited, a[who], limit: Int.random(in: 0...30, using: &random))
        whole.send(part, on: b[who])
      }
      if Bool.random(using: &random) {
        limited.work(limit: Int.random(in: 1...30, using: &random))
      }
      if Bool.random(using: &random) { limited.turn() }
    }
    while limited.hasBacklog { limited.work(limit: 7) }
    limited.turn()
    whole.turn()
    #expect(limited.engine.state == whole.engine.state)
    #expect(limited.engine.revision == whole.engine.revision)
  }
}
