import Foundation
import HubCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// What a hub has acknowledged can be read back: by the same program after a restart, by a client with the feature's
/// types and by one that knows only the schema. What cannot be read back is refused with a reason, and changes nothing.
///
/// The actions put values into every kind of place that no reader accepts there, or that equal other values with other
/// bytes (`TestFeatures/Hostile`). Seeds are in the failures' texts; `STOREHUB_HOSTILE_SEED=7` runs only that one.
/// `StoreHubTests` and `ProgramTests` have the same test with a journal and sockets.
@Suite(.computing, .timeLimit(.minutes(30))) struct HostileStateTests {
  static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["STOREHUB_HOSTILE_SEED"].flatMap(UInt64.init).map { [$0] } ?? Array(1...12)

  @Test(arguments: seeds)
  func whatIsAcknowledgedCanBeReadBack(seed: UInt64) throws {
    let world = HostileWorld(seed: seed)
    var random = SplitMix(seed: seed)
    var (applied, refused) = (0, 0)
    for step in 0..<120 {
      let before = world.engine.state.encoded()
      let action = nextAction(&random)
      let outcome = try world.send(action, from: Int.random(in: 0...1, using: &random))
      let place = "seed \(seed), step \(step), \(action)"
      switch outcome {
      case .applied: applied += 1
      case .refused(let code, let reason):
        refused += 1
        #expect(world.engine.state.encoded() == before, "\(place): a refused action changed the state")
        #expect(code != RejectionCode.unknownAction.rawValue && !reason.isEmpty, "\(place): refused as \(reason)")
      case .lost, nil: Issue.record("\(place): the outcome is \(outcome.map { "\($0)" } ?? "missing")")
      }
      guard try isReadable(world, place) else { return }
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try restart(world, place)
      case 1:
        world.saveSnapshot()
        try restart(world, place)
      case 2: world.cut(Int.random(in: 0...1, using: &random))
      default: break
      }
    }
    #expect(applied > 40 && refused > 0, "seed \(seed): \(applied) applied, \(refused) refused")
    #expect(world.reports.isEmpty)
  }

  private func nextAction(_ random: inout SplitMix) -> Hostile.Action {
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: .reply(id: Int.random(in: 0..<3, using: &random))
    case 2: .insert(.hostile(using: &random))
    case 3: .rename(.hostile(using: &random))
    case 4: .shallow
    default: .change(random.next())
    }
  }

  /// Checks that the state's bytes can be read, and that both clients have them and the same hash.
  private func isReadable(_ world: HostileWorld, _ place: String) throws -> Bool {
    let bytes = world.engine.state.encoded()
    do {
      let state = try Hostile.State(decoding: bytes.span.bytes)
      #expect(state.encoded() == bytes, "\(place): the state is read as another one")
      #expect(state.stateHash() == world.engine.state.stateHash(), "\(place): the state that was read has another hash")
    } catch {
      Issue.record("\(place): the state cannot be read: \(error)")
      return false
    }
    world.verify()
    for (index, client) in world.clients.enumerated() {
      let name = index == 0 ? "the typed client" : "the client without types"
      guard client.bytes() == bytes, client.faults.isEmpty else {
        let faults = client.faults.joined(separator: "; ")
        Issue.record("\(place): \(name) has another state than the hub: \(faults)")
        return false
      }
    }
    return true
  }

  private func restart(_ world: HostileWorld, _ place: String) throws {
    let before = (world.engine.state.encoded(), world.engine.revision)
    do {
      try world.restart()
    } catch {
      Issue.record("\(place): the log cannot be read: \(error)")
      throw error
    }
    #expect(world.engine.state.encoded() == before.0 && world.engine.revision == before.1, "\(place): after a restart")
  }

  /// As in the first report: 70 elements, each below the last.
  @Test func aStateTooDeepToReadIsRefusedAtTheActionThatMakesIt() throws {
    let world = HostileWorld(seed: 1)
    let outcomes = try (0..<70).map { try world.send(.reply(id: $0), from: 0) }
    let applied = outcomes.prefix { $0 == .applied }.count
    #expect((55...64).contains(applied))
    #expect(outcomes.dropFirst(applied).allSatisfy { if case .refused = $0 { true } else { false } })
    _ = try isReadable(world, "70 replies")
    try restart(world, "70 replies")
  }

  @Test(arguments: [Double.nan, -.nan, .signalingNaN])
  func aKeyThatEqualsNothingIsRefused(value: Double) throws {
    let world = HostileWorld(seed: 1)
    for index in [0, 1, 0] {
      guard case .refused = try world.send(.insert(value), from: index) else {
        Issue.record("\(value) was accepted as a key")
        return
      }
    }
    #expect(try world.send(.insert(1), from: 1) == .applied)
    _ = try isReadable(world, "NaN")
  }

  /// The texts are equal, and their bytes differ.
  @Test func aTextInAnotherFormReachesEveryone() throws {
    let world = HostileWorld(seed: 1)
    for name in ["caf\u{e9}", "cafe\u{301}", "caf\u{e9}"] {
      #expect(try world.send(.rename(name), from: 0) == .applied)
      #expect(Array(world.engine.state.texts.field?.utf8 ?? "".utf8) == Array(name.utf8))
      guard try isReadable(world, name) else { return }
    }
    try restart(world, "texts")
  }
}
