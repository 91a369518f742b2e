package import ComposableCore
package import Features
package import IdentifiedCollections
internal import Observation
internal import TerminalUI
package import Wire

/// A list of todos that is too long to be attached before anybody needs all of it: a window of it, which follows the
/// screen.
@Observable
package final class LongTodos {
  /// The greatest number of todos of a list that is attached as a whole.
  package static let shortCount = 1000
  /// The greatest number of todos that are loaded for a search, an undo, or a filter without a view.
  package static let limit = 100_000
  /// The number of todos of a window: several screenfuls, so that most keys need no further one.
  package static let windowSize = 256

  package typealias Page = Store<Window<IdentifiedArrayOf<Todo.State>>, Todos.Action>

  /// Called when the window must begin at another position.
  @ObservationIgnored package var onMove: ((Int) -> Void)?
  /// Called when the window must be one of the todos that a filter shows; nil if that needs the whole list.
  @ObservationIgnored package var onFilter: ((TodoFilter) -> Void)?
  /// Called when the user does what needs the whole list.
  @ObservationIgnored package var onNeedOfAll: (() -> Void)?
  /// The filter that shows the todos of which this is a window.
  let filter: TodoFilter
  /// The filter that was requested last.
  @ObservationIgnored private var requestedFilter: TodoFilter
  private let page: Page
  /// The position at which the window begins that was requested last.
  @ObservationIgnored private var start = 0
  /// True once the whole list was requested.
  private(set) var isLoadingAll = false

  /// Shows a window that begins at the first todo that a filter shows.
  package init(_ page: Page, showing filter: TodoFilter = .all) {
    (self.page, self.filter, requestedFilter) = (page, filter, filter)
  }

  /// The place of the window.
  var place: WindowPlace { page.withState { WindowPlace(count: $0.count, start: $0.start) } }

  /// The list as a store whose state has the todos of the window alone.
  package func store(nextID: Store<Int, Never>) -> StoreOf<Todos> { Store(core: WindowCore(page.core, nextID.core)) }

  /// Moves the window to the rows on the screen, before they reach its ends.
  func show(rows: Range<Int>) {
    guard !rows.isEmpty else { return }
    let (size, count) = (Self.windowSize, place.count)
    let margin = max((size - rows.count) / 4, 0)
    let isTooLow = rows.lowerBound < start + margin && start > 0
    let isTooHigh = rows.upperBound > start + size - margin && start + size < count
    guard isTooLow || isTooHigh else { return }
    start = max((rows.lowerBound + rows.upperBound) / 2 - size / 2, 0)
    onMove?(start)
  }

  /// Requests the todos of the next filter; returns false if that needs the whole list.
  func changeFilter() -> Bool {
    guard let onFilter, !isLoadingAll else { return false }
    requestedFilter = requestedFilter.next
    onFilter(requestedFilter)
    return true
  }

  /// Requests the whole list; returns the message for the user.
  func loadAll() -> StatusMessage {
    let count = place.count
    guard count <= Self.limit else {
      return StatusMessage(
        "\(count) todos are too many: this needs all of them here, and at most \(Self.limit) are loaded", isBad: true)
    }
    isLoadingAll = true
    onNeedOfAll?()
    return StatusMessage("loading all \(count) todos for this; then press it again")
  }
}

/// The todos of a window as the list.
private final class WindowCore: StoreCore {
  private let page: any StoreCore<Window<IdentifiedArrayOf<Todo.State>>, Todos.Action>
  private let nextID: any StoreCore<Int, Never>

  init(
    _ page: any StoreCore<Window<IdentifiedArrayOf<Todo.State>>, Todos.Action>, _ nextID: any StoreCore<Int, Never>
  ) { (self.page, self.nextID) = (page, nextID) }

  func read<Result>(_ body: (Todos.State) -> Result) -> Result {
    var state = Todos.State()
    (state.todos, state.nextID) = (page.read(\.elements), nextID.read { $0 })
    return body(state)
  }

  func send(_ action: Todos.Action) -> StoreTask { page.send(action) }
  var isAlive: Bool { page.isAlive }
  var reducesHere: Bool { page.reducesHere }
  /// An id is taken when a todo is added, which changes the number in the window too.
  var observers: StoreObservers { page.observers }
}
