import ComposableArchitecture
import TestFeatures
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Views of hubs that share a log: a follower computes them from the leader's turns.
@Suite struct FollowerViewTests {
  private static let views = [
    "counts", "open", "mine", "summary", "byTitle[0..<3]", "owners", "firstOfMine[2]", "titles[h'F4']",
  ]

  /// Two hubs, of which one leads, and a client of each with all views.
  private final class Pair {
    let hubs = [ViewHub(isReplicated: true, seed: 7), ViewHub(isReplicated: true, seed: 8)]
    /// The client of each hub.
    var clients: [ConnectionID] = []
    var leader = 0

    init() throws {
      try takeOver(0)
      for hub in hubs { clients.append(try open(hub)) }
      pass()
      for (hub, client) in zip(hubs, clients) {
        _ = hub.taken(client)
        for (scope, view) in FollowerViewTests.views.enumerated() {
          try hub.attach(view, scope: UInt16(scope), on: client)
        }
        _ = hub.taken(client)
      }
    }

    /// Opens a session of a user that has chores.
    private func open(_ hub: ViewHub) throws -> ConnectionID {
      let id = hub.connect(user: 1)
      hub.send(Hello(name: "test"), on: id)
      hub.turn()
      return id
    }

    func takeOver(_ next: Int) throws {
      if next != leader { hubs[leader].core.follow(at: hubs[leader].now) }
      leader = next
      hubs[next].core.lead(at: hubs[next].now, wallTime: 0)
      hubs[next].turn()
      pass()
      hubs[next].core.startEffects()
    }

    /// Stores the leader's turns, and passes them to the follower.
    func pass() {
      for _ in 0..<2 {
        let turns = hubs[leader].takeTurns()
        hubs[leader].core.stored(turns, at: hubs[leader].now)
        hubs[leader].turn()
        let follower = hubs[1 - leader]
        #expect(follower.core.apply(turns, at: follower.now) == nil)
        follower.turn()
      }
    }

    /// Passes the frames of views: what each client was sent of them.
    func frames() -> [[String]] {
      zip(hubs, clients).map { hub, client in
        hub.taken(client).filter { [.delta, .snapshot, .absent].contains($0.kind) }.map {
          "\($0.scope) \($0.revision) \($0.kind as Any) \($0.payload)"
        }
      }
    }

    /// The values that a new client of each hub gets.
    func values() throws -> [[String]] {
      try hubs.map { hub in
        let client = try open(hub)
        pass()
        _ = hub.taken(client)
        let values = try FollowerViewTests.views.enumerated().map { scope, view in
          let frames = try hub.attach(view, scope: UInt16(scope), on: client)
          return "\(frames.map(\.payload))"
        }
        hub.core.ended(client)
        return values
      }
    }
  }

  /// At each revision, the clients of both hubs are sent the same bytes, also after the follower has taken over.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func aFollowerSendsWhatTheLeaderSends(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let pair = try Pair()
    var count = 0
    for step in 0..<120 {
      if step % 40 == 39 {
        try pair.takeOver(1 - pair.leader)
        _ = pair.frames()
      }
      let leader = pair.hubs[pair.leader]
      leader.send(Chores.randomAction(owners: [1, 2], limit: 8, &random), on: pair.clients[pair.leader])
      leader.turn()
      pair.pass()
      let frames = pair.frames()
      #expect(frames[0] == frames[1], "seed \(seed), step \(step)")
      count += frames[0].count
    }
    #expect(count > 50)
    let values = try pair.values()
    #expect(values[0] == values[1], "seed \(seed)")
    #expect(pair.hubs[0].engine.state == pair.hubs[1].engine.state)
  }

  /// A follower that was behind computes a view once for all that it has received.
  @Test func manyTurnsAreOneComputation() throws {
    let pair = try Pair()
    let (leader, follower) = (pair.hubs[0], pair.hubs[1])
    var turns: [LoggedTurn] = []
    for number in 1...20 {
      leader.send(.add(owner: 1, title: "\(number)"), on: pair.clients[0])
      leader.turn()
      let passed = leader.takeTurns()
      leader.core.stored(passed, at: leader.now)
      leader.turn()
      turns += passed
    }
    _ = (pair.frames(), follower.takeComputed())
    #expect(follower.core.apply(turns, at: follower.now) == nil)
    follower.turn()
    #expect(follower.takeComputed()["counts"] == 1)
    #expect(pair.frames()[1].count { $0.hasPrefix("0 ") } == 1)
    let values = try pair.values()
    #expect(values[0] == values[1])
  }
}
