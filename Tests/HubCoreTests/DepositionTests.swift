import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Two hubs of one log, of which each is deposed again and again while clients of both send actions.
@Suite struct DepositionTests {
  /// A client that is never disconnected, and sends what it has not sent yet.
  private final class Client {
    let hub: Int
    let connection: ConnectionID
    let session: ForwardedSession
    var sent: UInt64 = 0
    var acknowledged: UInt64 = 0
    /// The numbers that were rejected.
    var rejected: Set<UInt64> = []

    init(_ hub: Int, _ connection: ConnectionID, _ session: SessionID) {
      (self.hub, self.connection) = (hub, connection)
      self.session = ForwardedSession(id: session, user: 1000, group: 1000)
    }

    func text(_ number: UInt64) -> String { "\(session.id.low % 1000) \(number)" }
    /// Every seventh action is one that no feature has.
    func isUnknown(_ number: UInt64) -> Bool { number % 7 == 0 }
  }

  /// The actions of a session that a hub's log holds, as `HeldActions` does.
  private struct Held {
    var first: UInt64
    var actions: [[UInt8]] = []
  }

  private final class Pair {
    let hubs: [Hub]
    var clients: [Client] = []
    var held: [[SessionID: Held]] = [[:], [:]]
    /// The turns in the log that both hubs share.
    var log: [LoggedTurn] = []
    var leader = 0
    var chance: SplitMix

    init(seed: UInt64) throws {
      chance = SplitMix(seed: seed)
      hubs = try (0..<2).map { try Hub(recovering: [], seed: seed &* 2 &+ UInt64($0), isReplicated: true) }
      hubs[0].core.lead(at: hubs[0].now, wallTime: 0)
      settle()
      for index in 0..<4 {
        let hub = hubs[index % 2]
        let connection = hub.connect()
        hub.send(Hello(name: "test"), on: connection)
        hub.turn()
        // The hub that leads answers when the log has the session.
        store(.max)
        hub.turn()
        let welcome: Welcome = try #require(hub.received(by: connection).first).decoded()
        clients.append(Client(index % 2, connection, welcome.session))
      }
      settle()
    }

    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &chance) }

    /// The turns of the leader that the log does not have.
    var unstored: [LoggedTurn] {
      let last = log.last?.position ?? 0
      return hubs[leader].log.filter { $0.position > last }
    }

    /// The log stores the leader's oldest turns, and the other hub applies them.
    func store(_ count: Int) {
      let turns = Array(unstored.prefix(count))
      guard !turns.isEmpty else { return }
      log += turns
      hubs[leader].core.stored(turns, at: hubs[leader].now)
      let follower = hubs[1 - leader]
      #expect(follower.core.apply(turns, at: follower.now) == nil)
      for turn in turns {
        for session in turn.sessions {
          for hub in 0..<2 { release(session, of: hub) }
        }
      }
    }

    private func release(_ session: LoggedSession, of hub: Int) {
      guard var known = held[hub][session.id], session.processed >= known.first else { return }
      known.actions.removeFirst(min(Int(session.processed - known.first + 1), known.actions.count))
      known.first = session.processed + 1
      held[hub][session.id] = known
    }

    /// Ends the turns of both hubs, and passes on what they ask for.
    func turn(work: ClosedRange<Int> = 0...3) throws {
      for (index, hub) in hubs.enumerated() {
        _ = hub.work(limit: number(work))
        hub.turn()
        for command in hub.forwarding { perform(command, of: index) }
        hub.forwarding = []
      }
      for client in clients { try read(client) }
    }

    private func perform(_ command: ForwardingCommand, of hub: Int) {
      switch command {
      case .open(let session, let processed): held[hub][session.id] = Held(first: processed + 1)
      case .close(let session): held[hub][session.id] = nil
      case .forward(let actions, let session):
        guard let known = held[hub][session.id] else { return }
        held[hub][session.id]?.actions += actions
        hubs[leader].core.perform(
          session, first: known.first + UInt64(known.actions.count), actions, limit: number(0...3),
          at: hubs[leader].now)
      case .cancel, .handOver: break
      }
    }

    private func read(_ client: Client) throws {
      #expect(!hubs[client.hub].closed.contains(client.connection))
      for frame in hubs[client.hub].received(by: client.connection) {
        switch frame.kind {
        case .applied:
          let number = try frame.number
          #expect(number > client.acknowledged && number <= client.sent)
          client.acknowledged = number
        case .rejected: client.rejected.insert((try frame.decoded() as Rejected).sequence)
        default: break
        }
      }
    }

    func send(_ client: Client) {
      let first = client.sent + 1
      client.sent += UInt64(number(1...4))
      let actions = (first...client.sent).map { number -> [UInt8] in
        client.isUnknown(number)
          ? [0x82, 0x18, 0x63, 0x80] : Action.todos(.addButtonTapped(text: client.text(number))).encoded()
      }
      let bytes = actionsFrame(actions, from: first, acknowledged: client.acknowledged)
      let hub = hubs[client.hub]
      hub.core.received(bytes.span.bytes, on: client.connection, at: hub.now, limit: number(0...6))
    }

    /// The other hub leads. What the log does not have of the one that has led is lost.
    func depose() throws {
      let deposed = hubs[leader]
      deposed.core.follow(at: deposed.now)
      deposed.forget(after: log.last?.position ?? 0)
      leader = 1 - leader
      let hub = hubs[leader]
      let read = hub.core.takeForwarding()
      hub.core.lead(at: hub.now, wallTime: 0)
      for held in held {
        for client in clients {
          guard let known = held[client.session.id], !known.actions.isEmpty else { continue }
          hub.core.perform(client.session, first: known.first, known.actions, limit: number(0...9), at: hub.now)
        }
      }
      for command in read { perform(command, of: leader) }
      if number(1...2) == 1 { try turn() }
    }

    /// Runs until nothing waits.
    func settle() {
      for _ in 0..<200 {
        for hub in hubs { while hub.work(limit: 100) > 0 {} }
        try? turn()
        store(.max)
      }
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>) func eachActionTakesEffectOnceAndNoConnectionIsClosed(
    seed: UInt64
  ) throws {
    let pair = try Pair(seed: seed)
    for _ in 0..<150 {
      if pair.number(1...2) == 1 { pair.send(pair.clients[pair.number(0...3)]) }
      if pair.number(1...3) > 1 { try pair.turn() }
      if pair.number(1...3) == 1 { pair.store(pair.number(1...3)) }
      if pair.number(1...25) == 1 { try pair.depose() }
    }
    pair.settle()
    let texts = pair.hubs.map { $0.engine.state.todos.todos.map(\.text) }
    #expect(texts[0].elementsEqual(texts[1]) && pair.hubs[0].core.revision == pair.hubs[1].core.revision)
    for client in pair.clients {
      let name = "\(client.session.id.low % 1000) "
      let own = texts[0].filter { $0.hasPrefix(name) }
      let numbers = client.sent == 0 ? [] : Array(1...client.sent)
      #expect(own.elementsEqual(numbers.filter { !client.isUnknown($0) }.map(client.text)), "\(own)")
      #expect(client.acknowledged == client.sent && client.rejected == Set(numbers.filter(client.isUnknown)))
    }
  }
}
