import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A client may leave many rejections unacknowledged. Each costs the log and the memory of the hub a limited amount.
@Suite struct RejectionTests {
  private let unknown = CBORValue.unsigned(99).encoded()

  private func reject(_ count: Int, from first: UInt64, acknowledged: UInt64 = 0, _ hub: Hub, on id: ConnectionID) {
    hub.send(actionsFrame(Array(repeating: unknown, count: count), from: first, acknowledged: acknowledged), on: id)
  }

  private func pending(_ hub: Hub, _ id: ConnectionID) throws -> [Rejected] {
    guard case .live(let connection) = hub.core.phase(of: id) else {
      Issue.record("not live")
      return []
    }
    return connection.session.rejections.all
  }

  // MARK: Log

  @Test func aRejectionIsLoggedOnce() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    for number in 1...1000 as ClosedRange<UInt64> {
      reject(1, from: number, hub, on: id)
      hub.turn()
      hub.store()
    }
    let sizes = hub.log.dropFirst().map { $0.sessions.encoded().count }
    #expect(sizes.count == 1000)
    #expect(try #require(sizes.max()) <= #require(sizes.min()) + 10)
    #expect(try hub.log.lastSessions.map(\.rejections) == [pending(hub, id)])
  }

  /// Also if the hub and its clients begin again in the middle of a turn.
  @Test func resumingLogsNoRejectionAgain() throws {
    let hub = try Hub(recovering: [])
    var (id, welcome) = try hub.openStored()
    reject(1000, from: 1, hub, on: id)
    hub.turn()
    let start = hub.log.count
    for number in 1001...1020 as ClosedRange<UInt64> {
      let isResumedLive = number.isMultiple(of: 2)
      reject(1, from: number, hub, on: id)
      if !isResumedLive { hub.disconnect(id) }
      id = hub.connect()
      hub.send(Hello(session: welcome.session, acknowledged: 0, name: "test"), on: id)
      hub.turn()
      hub.store()
      welcome = try #require(hub.turn(id).first).decoded()
      #expect(welcome.isResumed && welcome.processed == number)
    }
    let sizes = hub.log[start...].map { $0.sessions.encoded().count }
    #expect(try #require(sizes.max()) < 500)
    #expect(try hub.log.lastSessions.map(\.rejections) == [pending(hub, id)])
    hub.send(leaveFrame, on: id)
    hub.turn()
    #expect(try #require(hub.log.last).sessions.encoded().count < 200 && hub.log.lastSessions.isEmpty)
  }

  /// Random rejections, acknowledgements, reconnections and restarts of the hub.
  @Test(arguments: 0..<20 as Range<UInt64>) func theLogHasThePendingRejections(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var hub = try Hub(recovering: [])
    var (id, welcome) = try hub.openStored()
    var (processed, acknowledged): (UInt64, UInt64) = (0, 0)
    for _ in 0..<60 {
      switch random.next() % 8 {
      case 0:
        hub.disconnect(id)
        (id, welcome) = try hub.openStored(
          session: welcome.session, acknowledged: acknowledged, history: hub.core.historyID)
      case 1:
        hub.turn()
        hub = try Hub(recovering: hub.log, sessions: hub.log.lastSessions, seed: random.next())
        (id, welcome) = try hub.openStored(
          session: welcome.session, acknowledged: acknowledged, history: hub.core.historyID)
      case 2:
        acknowledged += random.next() % (processed - acknowledged + 1)
        fallthrough
      default:
        let count = Int(random.next() % 4)
        reject(count, from: processed + 1, acknowledged: acknowledged, hub, on: id)
        processed += UInt64(count)
        // An acknowledgement alone is not logged; the client repeats it.
        if count == 0 {
          hub.send([Action.counter(.incrementButtonTapped)], from: processed + 1, acknowledged: acknowledged, on: id)
          processed += 1
        }
        if !random.next().isMultiple(of: 3) { hub.turn() }
      }
    }
    hub.turn()
    hub.store()
    let logged = try #require(hub.log.lastSessions.first)
    #expect(logged.processed == processed && logged.firstKept == nil)
    #expect(try logged.rejections == pending(hub, id))
  }

  /// The limit of waiting turns, and the intervals of snapshots, count the rejections.
  @Test func theBytesOfRejectionsAreCounted() throws {
    let hub = try Hub(recovering: [])
    let (id, _) = try hub.openStored()
    reject(1000, from: 1, hub, on: id)
    hub.turn()
    let turn = try #require(hub.log.last)
    #expect(turn.byteCount >= turn.sessions.encoded().count)
  }

  // MARK: Memory

  @Test func theRejectionsOfDetachedSessionsAreLimited() throws {
    var limits = HubLimits()
    limits.detachedSessions = 100
    let hub = Hub(limits: limits)
    let (other, kept) = try hub.open()
    hub.disconnect(other)
    var last: Welcome?
    for _ in 0..<50 {
      let id = hub.connect(user: 2)
      hub.send(Hello(name: "test"), on: id)
      last = try hub.turn(id)[0].decoded()
      reject(1000, from: 1, hub, on: id)
      hub.turn()
      hub.disconnect(id)
    }
    let bytes = hub.core.detached.all.reduce(0) { $0 + $1.rejections.byteCount }
    #expect(bytes > 0 && bytes <= 100 * 4096)
    #expect(try hub.open(session: kept.session).1.isResumed)
    // The user has lost the oldest ones.
    let id = hub.connect(user: 2)
    hub.send(Hello(session: last?.session, name: "test"), on: id)
    #expect(try hub.turn(id)[0].decoded(as: Welcome.self).isResumed)
    reject(1, from: 1001, acknowledged: 1000, hub, on: id)
    hub.turn()
    #expect(try pending(hub, id).count == 1)
  }

  @Test func theRejectionsOfConnectionsAreCharged() throws {
    var limits = HubLimits()
    limits.heldBytesPerUser = 50_000
    let hub = Hub(limits: limits)
    let (id, _) = try hub.open()
    reject(100, from: 1, hub, on: id)
    hub.turn()
    #expect(hub.core.heldBytes > 100 * 64)
    reject(1, from: 101, acknowledged: 100, hub, on: id)
    hub.turn()
    #expect(hub.core.heldBytes < 200)
    reject(900, from: 102, acknowledged: 101, hub, on: id)
    #expect(try #require(hub.turn(id).last).decoded(as: PeerError.self).code == .tooManyBytes)
    #expect(hub.core.heldBytes == 0)
  }
}
