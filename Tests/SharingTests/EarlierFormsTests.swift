import DependenciesTestSupport
import IdentifiedCollections
import IssueReporting
import Sharing
import Testing

private struct Player: Equatable, Identifiable, Sendable {
  let id: Int
  var name = ""
}

extension PersistenceReaderKey where Self == PersistenceKeyDefault<InMemoryKey<IdentifiedArrayOf<Player>>> {
  fileprivate static var players: Self { PersistenceKeyDefault(.inMemory("players of earlier forms"), []) }
}

extension PersistenceKey where Self == InMemoryKey<Int> {
  fileprivate static var round: Self { inMemory("round of earlier forms") }
}

/// The forms of version 1 of shared values, before `withLock`.
@Suite(.dependencies) struct EarlierFormsTests {
  private struct State: Equatable {
    @Shared(.players) var players
    @Shared(.round) var round = 1
    @Shared var best: Player
  }

  @Test func aShareIsAssignedAndChangedInPlace() {
    let state = State(best: Shared(Player(id: 9)))
    let other = State(best: state.$best)
    state.round = 4
    state.round += 1
    state.best.name = "Ada"
    state.players.append(Player(id: 1))
    #expect(other.round == 5 && other.best.name == "Ada" && other.players.map(\.id) == [1])
    #expect(state == other)
  }

  @Test func assignmentsAreRecordedAndAssertedInTests() {
    let share = Shared(1)
    let tracker = SharedChangeTracker(reportUnassertedChanges: false)
    tracker.track { share.wrappedValue = 2 }
    #expect(tracker.hasChanges)
    tracker.assert {
      share.wrappedValue = 3
      #expect(share.wrappedValue == 3)
    }
    #expect(share.wrappedValue == 2)
  }

  @Test func anAssignmentInsideAChangeIsReported() {
    let share = Shared(1)
    withExpectedIssue("changed inside a change") {
      share.withLock {
        share.wrappedValue = 7
        $0 = 2
      }
    }
    #expect(share.wrappedValue == 2)
  }

  @Test func aPartThatIsOptionalIsUnwrappedWhereAnOptionalIsExpected() throws {
    @Shared(.players) var players = [Player(id: 1), Player(id: 2)]
    let second: Shared<Player> = try #require($players[id: 2])
    second.withLock { $0.name = "Grace" }
    #expect(players[id: 2]?.name == "Grace")
    #expect(unwrapped($players[id: 3]) == nil)
    if let first = $players[id: 1] {
      let share: Shared<Player> = first
      share.wrappedValue.name = "Ada"
    }
    #expect(players.map(\.name) == ["Ada", "Grace"])
    // The form of version 2.
    let maybe = $players[id: 1]
    let both: Shared<Player?> = maybe
    #expect(Shared(both)?.wrappedValue.name == "Ada")
    #expect(Shared($players[id: 2])?.wrappedValue.name == "Grace")
  }

  private func unwrapped(_ share: Shared<Player>?) -> Player? { share?.wrappedValue }

  @Test func elementsOfASharedCollection() {
    let players = Shared<IdentifiedArrayOf<Player>>([Player(id: 1), Player(id: 2)])
    for player in players.elements { player.wrappedValue.name = "\(player.id)" }
    #expect(players.wrappedValue.map(\.name) == ["1", "2"])
    let numbers = Shared([1, 2, 3])
    for number in numbers.elements { number.wrappedValue *= 2 }
    #expect(numbers.wrappedValue == [2, 4, 6])
    let last = numbers.elements[2]
    numbers.wrappedValue = [5]
    #expect(last.wrappedValue == 6)
    last.wrappedValue = 7
    #expect(numbers.wrappedValue == [5] && last.wrappedValue == 7)
  }
}
