internal import ComposableCore
internal import Features
internal import TerminalApp
internal import TerminalUI

/// The favourite numbers: the current number, and over it a fact, an error or the list of favourites.
struct FavouritesView: TerminalView {
  let store: StoreOf<FavouriteNumbers>
  let status: ConnectionStatus

  var body: some TerminalView {
    let store = store
    if case .favourites = store.destination {
      FavouriteListView(store: store)
    } else {
      number.alert(alert, heading: "Fact") { action in
        store.send(.destination(action.map { .presented(.alert($0)) } ?? .dismiss))
      }
    }
  }

  private var alert: AlertState<FactQuestion>? {
    if case .alert(let alert) = store.destination { alert } else { nil }
  }

  private var number: some TerminalView {
    let store = store
    let isPending = status.pendingMarks.contains(PendingMark.screen(.favourites))
    let numbers = store.favourites.map { "\($0.number)" }.joined(separator: ", ")
    return Column {
      Spacer()
      Text("\(store.count)").style(Style(.cyan, bold: true, dim: isPending)).aligned(.center)
      if store.state.isFavourite {
        Text("★ favourite").color(.yellow).aligned(.center)
      } else {
        Text("not a favourite").dim().aligned(.center)
      }
      Paragraph(
        store.isLoadingFact ? "loading a fact …" : numbers.isEmpty ? "" : "favourites: \(numbers)", isDim: true)
    }
    .keys([
      KeyBinding("+", "up", also: "= up", help: "the next number") { store.send(.view(.incrementButtonTapped)) },
      KeyBinding("-", "down", also: "down", help: "the number before") { store.send(.view(.decrementButtonTapped)) },
      KeyBinding("space", "favourite", also: "*", help: "a favourite, or not") {
        store.send(.view(.favouriteButtonTapped))
      },
      KeyBinding("f", "fact", help: "a fact about the number") { store.send(.view(.factButtonTapped)) },
      KeyBinding("l", "list", also: "enter", help: "the list of favourites") {
        store.send(.view(.favouritesButtonTapped))
      },
    ])
  }
}

/// The list of favourites, which is open for all clients.
private struct FavouriteListView: TerminalView {
  let store: StoreOf<FavouriteNumbers>

  /// Read in the body, so that a change of the list evaluates it again with the new value.
  private var list: FavouriteList.State {
    if case .favourites(let list) = store.destination { list } else { FavouriteList.State(favourites: []) }
  }

  var body: some TerminalView {
    let store = store
    let send = { (action: FavouriteList.Action) -> Void in
      store.send(.destination(.presented(.favourites(action))))
    }
    let favourites = list.favourites
    Column {
      ListHeading(summary: favourites.count == 1 ? "1 favourite" : "\(favourites.count) favourites")
      List(favourites) { Cell("\($0.number)") }
        .rowKey("enter", "go there") { send(.numberTapped($0)) }
        .rowKey("d", "delete", also: "delete") { send(.deleteButtonTapped($0)) }
        .searchable()
        .empty("no favourites yet")
    }
    .key("esc", "back", also: "l left") { send(.doneButtonTapped) }
  }
}
