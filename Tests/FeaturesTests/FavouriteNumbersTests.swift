import ComposableTesting
import Features
import Testing

@MainActor
@Suite struct FavouriteNumbersTests {
  @Test func aNumberIsMadeAFavouriteAndTakenBack() async {
    let store = TestStore(initialState: FavouriteNumbers.State()) { FavouriteNumbers() }
    await store.send(\.view.incrementButtonTapped) { $0.count = 1 }
    await store.send(\.view.favouriteButtonTapped) { $0.favourites = [Favourite(number: 1)] }
    #expect(store.state.isFavourite)
    await store.send(\.view.favouriteButtonTapped) { $0.favourites = [] }
  }

  @Test func aFactIsAnAlertThatIsDismissed() async {
    let store = TestStore(initialState: FavouriteNumbers.State(count: 7)) {
      FavouriteNumbers()
    } withDependencies: {
      $0.numberFact = NumberFactClient { "\($0) is a good number" }
    }
    await store.send(\.view.factButtonTapped) { $0.isLoadingFact = true }
    await store.receive(\.factResponse.success) {
      $0.isLoadingFact = false
      $0.destination = .alert(AlertState { TextState("7 is a good number") })
    }
    await store.send(\.destination.dismiss) { $0.destination = nil }
  }

  @Test func aMissingFactIsAnAlertThatOffersToTryAgain() async {
    let answers = LockIsolated(["finally a fact"])
    let store = TestStore(initialState: FavouriteNumbers.State(count: 1)) {
      FavouriteNumbers()
    } withDependencies: {
      $0.numberFact = NumberFactClient { _ in throw NumberFactError(message: "nobody knows") }
    }
    await store.send(\.view.factButtonTapped) { $0.isLoadingFact = true }
    await store.receive(\.factResponse.failure) {
      $0.isLoadingFact = false
      $0.destination = .alert(
        AlertState {
          TextState("No fact")
        } actions: {
          ButtonState(action: .tryAgainButtonTapped) { TextState("Try again") }
          ButtonState(role: .cancel) { TextState("Never mind") }
        } message: {
          TextState("nobody knows")
        })
    }
    store.dependencies.numberFact = NumberFactClient { _ in answers.withValue { $0.removeFirst() } }
    await store.send(\.destination.alert.tryAgainButtonTapped) {
      $0.isLoadingFact = true
      $0.destination = nil
    }
    await store.receive(\.factResponse.success) {
      $0.isLoadingFact = false
      $0.destination = .alert(AlertState { TextState("finally a fact") })
    }
  }

  @Test func aFactOfANumberThatWasLeftDoesNotCome() async {
    let store = TestStore(initialState: FavouriteNumbers.State()) {
      FavouriteNumbers()
    } withDependencies: {
      $0.numberFact = NumberFactClient { _ in try await Task.never() }
    }
    await store.send(\.view.factButtonTapped) { $0.isLoadingFact = true }
    await store.send(\.view.incrementButtonTapped) {
      $0.count = 1
      $0.isLoadingFact = false
    }
  }

  @Test func theListLeadsToANumber() async {
    let favourites: IdentifiedArrayOf<Favourite> = [Favourite(number: 3), Favourite(number: 28)]
    let store = TestStore(initialState: FavouriteNumbers.State(favourites: favourites)) { FavouriteNumbers() }
    await store.send(\.view.favouritesButtonTapped) {
      $0.destination = .favourites(FavouriteList.State(favourites: favourites))
    }
    await store.send(\.destination.favourites.numberTapped, 28)
    await store.receive(\.destination.favourites.delegate.numberChosen, 28) {
      $0.count = 28
      $0.destination = nil
    }
  }

  @Test func deletingInTheListDeletesTheFavourite() async {
    let store = TestStore(
      initialState: FavouriteNumbers.State(count: 3, favourites: [Favourite(number: 3), Favourite(number: 28)])
    ) {
      FavouriteNumbers()
    }
    await store.send(\.view.favouritesButtonTapped) {
      $0.destination = .favourites(FavouriteList.State(favourites: $0.favourites))
    }
    await store.send(\.destination.favourites.deleteButtonTapped, 3) {
      $0.favourites = [Favourite(number: 28)]
      $0.destination?.modify(\.favourites) { $0.favourites = [Favourite(number: 28)] }
    }
    #expect(!store.state.isFavourite)
    await store.send(\.destination.favourites.doneButtonTapped)
    await store.receive(\.destination.dismiss) { $0.destination = nil }
  }

  @Test func anOpenListLearnsOfWhatSomebodyElseLikes() async {
    let store = TestStore(initialState: FavouriteNumbers.State(count: 6)) { FavouriteNumbers() }
    await store.send(\.view.favouritesButtonTapped) {
      $0.destination = .favourites(FavouriteList.State(favourites: []))
    }
    await store.send(\.view.favouriteButtonTapped) {
      $0.favourites = [Favourite(number: 6)]
      $0.destination?.modify(\.favourites) { $0.favourites = [Favourite(number: 6)] }
    }
  }

  /// Nothing changes and nothing is reported if another user was faster.
  @Test(
    arguments: [
      .dismiss, .presented(.alert(.tryAgainButtonTapped)), .presented(.favourites(.deleteButtonTapped(3))),
      .presented(.favourites(.delegate(.numberChosen(4)))),
    ] as [PresentationAction<FavouriteNumbers.Destination.Action>])
  func whatIsMeantForSomethingThatIsGoneIsPassedOver(action: PresentationAction<FavouriteNumbers.Destination.Action>)
    async
  {
    let store = TestStore(initialState: FavouriteNumbers.State()) { FavouriteNumbers() }
    await store.send(.destination(action))
  }

  @Test func anAnswerToAnAlertIsNoneToTheListThatTookItsPlace() async {
    let store = TestStore(initialState: FavouriteNumbers.State()) { FavouriteNumbers() }
    await store.send(\.view.favouritesButtonTapped) {
      $0.destination = .favourites(FavouriteList.State(favourites: []))
    }
    await store.send(.destination(.presented(.alert(.tryAgainButtonTapped))))
  }

  @Test func theNumberStaysAtTheEndsOfItsRange() async {
    let top = TestStore(initialState: FavouriteNumbers.State(count: .max)) { FavouriteNumbers() }
    await top.send(\.view.incrementButtonTapped)
    let bottom = TestStore(initialState: FavouriteNumbers.State(count: .min)) { FavouriteNumbers() }
    await bottom.send(\.view.decrementButtonTapped)
  }

  @Test func aStoreShowsWhatLiesOverTheNumber() {
    let store = Store(initialState: FavouriteNumbers.State(favourites: [Favourite(number: 5)])) { FavouriteNumbers() }
    #expect(store.scope(state: \.destination, action: \.destination) == nil)
    store.send(.view(.favouritesButtonTapped))
    guard let destination = store.scope(state: \.destination, action: \.destination),
      case .favourites(let list) = destination.case
    else {
      Issue.record("the list is not there")
      return
    }
    #expect(list.favourites.map(\.number) == [5])
    list.send(.deleteButtonTapped(5))
    #expect(list.favourites.isEmpty && store.favourites.isEmpty)
  }
}
