import Shelf
import StoreHub

@main
struct ShelfHub: HubService {
  let initialState = Shelf.State()
  var body: some ReducerOf<Shelf> { Shelf() }

  func actions(for event: HubEvent, in state: Shelf.State) -> [Shelf.Action] {
    event == .started && state.isOpen ? [.opened] : []
  }
}
