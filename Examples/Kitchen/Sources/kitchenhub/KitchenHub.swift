import Kitchen
import StoreHub

@main
struct KitchenHub: HubService {
  let initialState = Kitchen.State()
  var body: some ReducerOf<Kitchen> { Kitchen() }

  func actions(for event: HubEvent, in state: Kitchen.State) -> [Kitchen.Action] {
    event == .started ? [.hubStarted] : []
  }
}
