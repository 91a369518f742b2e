import ComposableArchitecture
import Features
import Glibc
import Terminal
import TerminalUI
import TerminalViews
import Testing

@Suite struct FavouritesScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private static let numbers: IdentifiedArrayOf<Favourite> = [
    Favourite(number: 3), Favourite(number: 28), Favourite(number: 496),
  ]
  private static let list = FavouriteNumbers.Destination.State.favourites(FavouriteList.State(favourites: numbers))
  private static let complaint = FavouriteNumbers.Destination.State.alert(
    AlertState {
      TextState("No fact")
    } actions: {
      ButtonState(action: .tryAgainButtonTapped) { TextState("Try again") }
      ButtonState(role: .cancel) { TextState("Never mind") }
    } message: {
      TextState("nobody knows")
    })

  private func terminal(
    count: Int = 28, over destination: FavouriteNumbers.Destination.State? = nil, columns: Int = 80
  ) -> TestTerminal {
    let terminal = TestTerminal(columns: columns)
    terminal.change {
      $0.favourites = FavouriteNumbers.State(count: count, favourites: Self.numbers)
      $0.favourites.destination = destination
    }
    terminal.press("3")
    return terminal
  }

  @Test func aNumberAndWhetherSomebodyLikesIt() {
    #expect(
      terminal().lines[5...8].map { $0.drop { $0 == " " } } == ["28", "★ favourite", "", "favourites: 3, 28, 496"])
    #expect(terminal(count: 4).lines[6].contains("not a favourite"))
  }

  @Test func theListAndItsCursor() {
    let terminal = terminal(over: Self.list)
    terminal.press(.down)
    #expect(terminal.lines[2...6] == ["3 favourites", "", "  3", "› 28", "  496"])
    #expect(terminal.lines[11] == "enter go there  d delete  esc back  u undo  tab next  ↑ ↓ choose  ? help  q quit")
  }

  @Test func aComplaintSaysWhatToDoAboutIt() {
    let lines = terminal(over: Self.complaint).lines
    #expect(lines.contains { $0.contains("┌ No fact") } && lines.contains { $0.contains("│ nobody knows") })
    #expect(lines[11] == "← → choose   enter try again   esc never mind   tab next   ? help   q quit")
  }

  @Test func aFactIsShownOverTheNumber() {
    let lines = terminal(over: .alert(AlertState { TextState("28 is perfect") })).lines
    #expect(lines.contains { $0.contains("│ 28 is perfect") } && lines.contains { $0.contains("press esc to dismiss") })
  }

  @Test(
    arguments: [
      ("+", .incrementButtonTapped), (.up, .incrementButtonTapped), ("-", .decrementButtonTapped),
      (.down, .decrementButtonTapped), (" ", .favouriteButtonTapped), ("*", .favouriteButtonTapped),
      ("f", .factButtonTapped), ("l", .favouritesButtonTapped), (.enter, .favouritesButtonTapped), ("x", nil),
    ] as [(Key, FavouriteNumbers.Action.View?)])
  func keysForTheNumber(key: Key, action: FavouriteNumbers.Action.View?) {
    let terminal = terminal()
    #expect(terminal.press(key) == action.map { .send(.favourites(.view($0))) })
  }

  @Test(
    arguments: [
      (.enter, .numberTapped(496)), ("d", .deleteButtonTapped(496)), (.delete, .deleteButtonTapped(496)),
      (.escape, .doneButtonTapped), ("l", .doneButtonTapped), (.up, nil), ("f", nil),
    ] as [(Key, FavouriteList.Action?)])
  func keysForTheList(key: Key, action: FavouriteList.Action?) {
    let terminal = terminal(over: Self.list)
    terminal.press(.end)
    #expect(terminal.press(key) == action.map { .send(.favourites(.destination(.presented(.favourites($0))))) })
  }

  @Test func keysForAnAlert() {
    let complaint = terminal(over: Self.complaint)
    #expect(
      complaint.press(.enter) == .send(.favourites(.destination(.presented(.alert(.tryAgainButtonTapped))))))
    #expect(complaint.press("n") == .send(.favourites(.destination(.dismiss))))
    complaint.press(.right)
    #expect(complaint.reversed == ["[ Never mind ]"])
    #expect(complaint.press(.enter) == .send(.favourites(.destination(.dismiss))))
    let row = complaint.lines.firstIndex { $0.contains("[ Try again ]") } ?? 0
    let column = complaint.lines[row].split(separator: "[")[0].count
    #expect(
      complaint.press(.click(row: row, column: column + 3))
        == .send(.favourites(.destination(.presented(.alert(.tryAgainButtonTapped))))))
    #expect(complaint.press(.escape) == .send(.favourites(.destination(.dismiss))))
    #expect(complaint.press("+") == nil)
    let fact = terminal(over: .alert(AlertState { TextState("28 is perfect") }))
    #expect(fact.press(.enter) == .send(.favourites(.destination(.dismiss))))
  }

  @Test func theCursorStaysOnItsFavouriteWhateverOthersDo() {
    let terminal = terminal(over: Self.list)
    terminal.press(.down)
    func set(_ numbers: Int...) {
      terminal.change {
        $0.favourites.favourites = IdentifiedArray(uniqueElements: numbers.map { Favourite(number: $0) })
        $0.favourites.destination = .favourites(FavouriteList.State(favourites: $0.favourites.favourites))
      }
    }
    set(28, 496)
    #expect(terminal.chosen == "28")
    set(496)
    #expect(terminal.chosen == "496")
    set()
    #expect(terminal.chosen == nil)
    #expect(terminal.press("d") == nil && terminal.press(.enter) == nil)
    #expect(terminal.lines.contains("  no favourites yet"))
  }
}
