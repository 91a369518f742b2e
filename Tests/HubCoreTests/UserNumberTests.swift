import Features
import Senders
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Hubs of a cluster whose machines have users of their own: uid 1000 of two machines is two users.
@Suite struct UserNumberTests {
  private static let ranges: [String: ClosedRange<UInt32>] = ["a": 0...999_999, "b": 1_000_000...1_999_999]
  private static func numbers(of machine: String) -> UserNumbers { UserNumbers(of: machine, among: ranges) }
  private let increment = Action.counter(.incrementButtonTapped)

  private func follower(_ turns: [LoggedTurn], _ numbers: UserNumbers) throws -> Hub {
    let hub = try Hub(recovering: turns, sessions: turns.lastSessions, isReplicated: true)
    hub.core.userNumbers = numbers
    return hub
  }

  private func leader(_ numbers: UserNumbers) throws -> Hub {
    let hub = try Hub(recovering: [], seed: 8, isReplicated: true)
    hub.core.userNumbers = numbers
    hub.lead()
    hub.turn()
    hub.storeReplicated()
    hub.turn()
    return hub
  }

  /// A session of uid 1000 of the leader's machine, with an action in the log.
  private func session(on leader: Hub) throws -> SessionID {
    let (id, welcome) = try leader.openStored()
    leader.send([increment], from: 1, on: id)
    leader.turn()
    leader.storeReplicated()
    return welcome.session
  }

  @Test func theKernelsNumbersAreMapped() {
    let (a, b) = (Self.numbers(of: "a"), Self.numbers(of: "b"))
    #expect(a.number(of: 1000) == 1000 && b.number(of: 1000) == 1_001_000)
    #expect(b.number(of: 999_999) == 1_999_999 && b.number(of: 1_000_000) == nil && b.number(of: .max) == nil)
    #expect(b.name("bob", of: 1000) == "bob@b" && b.name("", of: 1000) == "1000@b")
    #expect(a.name(of: 1_001_000) == "1000@b" && a.name(of: 5) == "5@a" && a.name(of: 2_147_483_648) == "")
    let shared = UserNumbers.shared
    #expect(shared.number(of: .max) == .max && shared.name("bob", of: 1000) == "bob" && shared.name(of: 1000) == "")
  }

  @Test func aClientIsKnownByTheNumberOfItsMachinesUser() throws {
    let hub = Hub()
    hub.core.userNumbers = Self.numbers(of: "b")
    let id = hub.core.connected(Peer(process: 1, user: 1000, group: 50, groups: [51, 2_000_000]), at: hub.now) { _ in
      "bob"
    }
    let found = hub.core.peer(of: id)
    let peer = try #require(found)
    #expect(peer.user == 1_001_000 && peer.uid == 1000 && peer.groupNumber == 1_000_050)
    #expect(peer.systemUser == SystemUser(id: 1_001_000, name: "bob@b", groups: [1_000_050, 1_000_051]))
    let refusal = hub.core.refusal(ofConnectionOf: 1000, waiting: (0, 0))
    #expect(refusal == nil)
  }

  /// The operator of a machine gives rights to its users, by the numbers that they have there.
  @Test func rightsAreGivenToTheKernelsNumbers() throws {
    let policy = AccessPolicy.standard(owner: 7, group: 50)
    func grant(_ user: UInt32, _ group: UInt32) -> AccessGrant? {
      var peer = Peer(process: 1, user: user, group: group)
      peer.number(by: Self.numbers(of: "b"))
      return policy.grant(to: peer)
    }
    #expect(grant(7, 7) == .everything && grant(0, 0) == .everything && grant(8, 50) == .readAndAct)
    #expect(grant(8, 8) == nil && grant(1_000_007, 8) == nil)
    let place = try #require(JournalPlace(path: "/j", user: 7, group: nil))
    var owner = Peer(process: 1, user: 7, group: 7)
    owner.number(by: Self.numbers(of: "b"))
    #expect(place.isReadable(by: owner))
  }

  @Test func aUserWithoutANumberIsRefused() throws {
    let hub = Hub()
    hub.core.userNumbers = Self.numbers(of: "a")
    let id = hub.connect(user: 1_001_000)
    let error: PeerError = try #require(hub.turn(id).first).decoded()
    #expect(error.code == .notPermitted && error.reason.contains("'uid-bases'"), "\(error.reason)")
    let count = hub.core.connectionCount
    #expect(count == 0)
  }

  @Test func theSessionOfAnotherMachinesUserIsNotResumed() throws {
    let leader = try leader(Self.numbers(of: "a"))
    let session = try session(on: leader)
    // The same user, when another hub leads.
    let same = try follower(leader.log, Self.numbers(of: "a"))
    #expect(try same.open(session: session).1.session == session)
    let other = try follower(leader.log, Self.numbers(of: "b"))
    let (_, welcome) = try other.open(session: session)
    #expect(welcome.session != session)
    #expect(welcome.client?.user.id == 1_001_000)
  }

  /// The list of clients has the node and the name of each, and no process that another machine's kernel knows.
  @Test func aLeaderListsTheClientsOfAllNodes() throws {
    let leader = try leader(.shared)
    leader.core.setClusterStatus { ClusterStatus(node: "a") }
    _ = try leader.openStored()
    let session = ForwardedSession(id: SessionID(high: 3, low: 4), user: 1000, group: .max, node: "b", name: "phone")
    leader.core.perform(session, first: 1, [], limit: .max, at: leader.now)
    leader.turn()
    let (id, _) = try leader.openStored()
    leader.send(Attach(root: .hub), scope: 1, on: id)
    let frame = try #require(leader.turn(id).last { $0.kind == .snapshot })
    guard case .array(let items) = try frame.value, case .bytes(let bytes)? = items.last else {
      Issue.record("no snapshot")
      return
    }
    let state = try HubState(decoding: bytes.span.bytes)
    #expect(state.attendees.map(\.node) == ["a", "b", "a"])
    #expect(state.attendees.map { $0.process == 0 } == [false, true, false])
    #expect(state.attendees.map(\.name).dropFirst().first == "phone")
    leader.storeReplicated()
    // All hubs have it, and name the sender of an action by it.
    #expect(leader.log.lastSessions.first { $0.id == session.id }?.name == "phone")
  }

  @Test func aLeaderTellsTheUsersOfTwoMachinesApart() throws {
    let leader = try leader(Self.numbers(of: "a"))
    let follower = try follower(leader.log, Self.numbers(of: "b"))
    let (own, welcome) = try leader.openStored()
    let (id, other) = try follower.open()
    follower.send([increment], from: 1, on: id)
    follower.turn()
    let named = ForwardedSession(id: other.session, user: 1_001_000, group: 1_001_000, name: "test")
    #expect(follower.forwarding.first == .open(named, processed: 0))
    for case .forward(let actions, let session) in follower.forwarding {
      leader.core.perform(session, first: 1, actions, limit: .max, at: leader.now)
    }
    leader.turn()
    leader.storeReplicated()
    leader.turn()
    let session = try #require(leader.log.lastSessions.first { $0.id == other.session })
    #expect(session.user == 1_001_000 && session.userName == "1000@b" && session.groups == [1_001_000])
    // Two accounts, with a connection each.
    let counts = [leader.core.accounts[1000]?.connectionCount, leader.core.accounts[1_001_000]?.connectionCount]
    #expect(counts == [1, 1])
    let user = leader.core.peer(of: own)?.user
    #expect(welcome.session != other.session && user == 1000)
  }
}
