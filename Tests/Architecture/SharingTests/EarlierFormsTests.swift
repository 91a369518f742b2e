import Dependencies
import DependenciesTestSupport
import Foundation
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

  private struct Settings: Codable, Hashable {
    @Shared var size: Int
    @SharedReader var name: String
  }

  @Test func aStateWithSharesIsHashed() {
    let settings = Settings(size: Shared(1), name: .constant("a"))
    let other = Settings(size: Shared(1), name: .constant("a"))
    #expect(settings == other && settings.hashValue == other.hashValue)
    #expect(Set([settings, other]).count == 1)
    other.size = 2
    #expect(settings != other && Set([settings, other]).count == 2)
  }

  @Test func aStateWithSharesIsEncodedByItsValues() throws {
    let settings = Settings(size: Shared(1), name: .constant("a"))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(settings)
    #expect(String(decoding: data, as: UTF8.self) == #"{"name":"a","size":1}"#)
    let decoded = try JSONDecoder().decode(Settings.self, from: data)
    #expect(decoded == settings)
    decoded.size = 2
    #expect(settings.size == 1 && decoded.size == 2)
  }

  @Test func storagesHaveTheirFirstNames() {
    #expect(LiveFileStorage() == .fileSystem && InMemoryFileStorage() != .fileSystem)
    withDependencies {
      $0.defaultFileStorage = InMemoryFileStorage()
    } operation: {
      @Shared(.fileStorage(URL(filePath: "/first-names.json"))) var count = 1
      $count.withLock { $0 += 1 }
      #expect(count == 2)
    }
  }

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

  @Test func readersAreUnwrappedToo() throws {
    let players = SharedReader(value: IdentifiedArray(uniqueElements: [Player(id: 1, name: "Ada")]))
    let first: SharedReader<Player> = try #require(players[id: 1])
    #expect(first.name.wrappedValue == "Ada")
    let missing: SharedReader<Player>? = players[id: 2]
    #expect(missing == nil)
    // A part of a share, for reading; without a type that expects an optional, it is not unwrapped.
    @Shared(value: Round(shape: 3)) var round
    let shape: SharedReader<Int>? = $round.figure.shape
    #expect(shape?.wrappedValue == 3)
    let maybe = $round.reader.figure.shape
    #expect(maybe.wrappedValue == 3)
    $round.withLock { $0 = Round(shape: nil) }
    #expect(maybe.wrappedValue == nil && shape?.wrappedValue == 3)
  }

  private struct Round: Equatable, Sendable {
    struct Figure: Equatable, Sendable { var shape: Int? }
    var figure: Figure
    init(shape: Int?) { figure = Figure(shape: shape) }
  }
}
