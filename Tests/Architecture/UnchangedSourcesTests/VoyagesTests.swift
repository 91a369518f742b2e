import ComposableArchitecture
import ComposableTesting
import DependenciesTestSupport
import Foundation
import Sharing
import Testing

@MainActor
@Suite(.dependency(\.uuid, .incrementing))
struct VoyagesTests {
  let voyage = Voyage(id: UUID(100), crew: [Sailor(id: UUID(101))], harbour: "Cork")

  @Test func crew() async {
    let store = TestStore(initialState: VoyageForm.State(voyage: Voyage(id: UUID(100)))) { VoyageForm() }
    #expect(store.state.voyage.crew == [Sailor(id: UUID(0))])
    await store.send(.hireButtonTapped) {
      $0.focus = .sailor(UUID(1))
      $0.voyage.crew.append(Sailor(id: UUID(1)))
    }
    await store.send(.onDelete([0])) { $0.voyage.crew.remove(id: UUID(0)) }
    await store.send(.binding(.set(\.voyage.harbour, "kinsale"))) { $0.voyage.harbour = "Kinsale" }
  }

  @Test func scuttling() async throws {
    @Shared(.voyages) var voyages = [voyage]
    let store = TestStore(initialState: Fleet.State()) { Fleet() }
    let shared = try #require(Shared($voyages[id: voyage.id]))
    await store.send(.tapped(id: voyage.id)) { $0.path[id: 0] = .detail(VoyageDetail.State(voyage: shared)) }
    await store.send(\.path[id: 0].detail.scuttleButtonTapped) {
      $0.path[id: 0, case: \.detail]?.destination = .alert(.scuttle)
    }
    await store.send(\.path[id: 0].detail.destination.alert.confirmScuttling) {
      $0.path[id: 0, case: \.detail]?.destination = nil
      $0.$voyages.withLock { $0 = [] }
    }
    await store.receive(\.path.popFrom) { $0.path = StackState() }
    #expect(voyages.isEmpty && shared.wrappedValue == voyage)
  }

  @Test func editing() async {
    let store = TestStore(initialState: VoyageDetail.State(voyage: Shared(value: voyage))) { VoyageDetail() }
    await store.send(.editButtonTapped) { $0.destination = .edit(VoyageForm.State(voyage: self.voyage)) }
    var edited = voyage
    edited.watch = .seconds(30)
    await store.send(\.destination.edit.binding.voyage, edited) {
      $0.$destination[case: \.edit]?.voyage = edited
    }
    await store.send(.doneButtonTapped) {
      $0.destination = nil
      $0.$voyage.withLock { $0.watch = .seconds(30) }
    }

    store.exhaustivity = .off
    await store.send(.scuttleButtonTapped)
    await store.send(\.destination.alert.sailWithoutLog)
    await store.receive(\.delegate.sail)
  }

  @Test func deleting() async {
    @Shared(.voyages) var voyages = [voyage]
    @Shared(.appStorage("flag")) var flag: String?
    let names = Array($voyages).map { $0.harbour }
    let store = TestStore(initialState: Fleet.State()) { Fleet() }
    await store.send(.onDelete([0])) { $0.$voyages.withLock { $0 = [] } }
    $flag.withLock { $0 = "green" }
    #expect(store.state.flag == "green")
    #expect(names.map(\.wrappedValue) == ["Cork"])
  }
}
