import Features
import IdentifiedCollections
import StoreClient
import TerminalViews
import Wire

/// The list of todos for a terminal: attached as a whole if it is short or something needs all of it, otherwise a window
/// that follows the screen, of the list or of the hub's view of a filter.
final class TodosAttachment {
  private typealias Page = Attachment<Window<IdentifiedArrayOf<Todo.State>>, Todos.Action>

  private let client: StoreClient<AppFeature.State, AppFeature.Action>
  private let model: TerminalModel
  private let attachAll: () -> Attachment<Todos.State, Todos.Action>
  /// Called after each change of what is attached, with its revision.
  private let onChange: (UInt64) -> Void
  private var page: Page?
  /// The filter whose todos the window is of.
  private var filter = TodoFilter.all
  /// False once the hub has refused a view.
  private var servesFilters = true
  private var nextID: Attachment<Int, Never>?
  private var all: Attachment<Todos.State, Todos.Action>?
  private var subscription: StoreSubscription?
  /// The window that is shown.
  private weak var shown: LongTodos.Page?

  init(
    _ client: StoreClient<AppFeature.State, AppFeature.Action>, _ model: TerminalModel,
    attachAll: @escaping () -> Attachment<Todos.State, Todos.Action>, onChange: @escaping (UInt64) -> Void
  ) {
    (self.client, self.model, self.attachAll, self.onChange) = (client, model, attachAll, onChange)
  }

  /// Attaches a window, whose number of todos then tells whether it is all that is needed.
  func start() {
    guard page == nil, all == nil else { return }
    let nextID = client.attach(to: { $0.todos.nextID }, action: { (never: Never) -> AppFeature.Action in })
    self.nextID = nextID
    nextID.onChange = { [weak self] in self?.pageChanged() }
    attachPage()
    connectionChanged()
  }

  /// Attaches a window at the beginning of the todos that the filter shows.
  private func attachPage() {
    let (start, action) = (0..<LongTodos.windowSize, { (action: Todos.Action) in AppFeature.Action.todos(action) })
    let page: Page =
      if let view { client.attach(toView: view, at: { $0[window: start] }, action: action) } else {
        client.attach(to: { $0.todos.todos[window: start] }, action: action)
      }
    self.page = page
    page.onChange = { [weak self] in self?.pageChanged() }
  }

  /// The hub's view of the filter; nil for the list itself.
  private var view: ViewName<IdentifiedArrayOf<Todo.State>>? { filter == .all ? nil : ViewName(filter.rawValue) }

  /// Replaces the window by one of the todos that a filter shows. The screen shows the old one until it arrives.
  private func show(_ filter: TodoFilter) {
    guard all == nil, let page, filter != self.filter else { return }
    client.detach(page)
    self.filter = filter
    attachPage()
    connectionChanged()
  }

  /// Moves the window.
  private func move(to start: Int) {
    guard let page else { return }
    let window = start..<start + LongTodos.windowSize
    if let view {
      client.move(page, toView: view, at: { $0[window: window] })
    } else {
      client.move(page, to: { $0.todos.todos[window: window] })
    }
  }

  /// Attaches the whole list.
  func needAll() {
    guard all == nil else { return }
    let all = attachAll()
    self.all = all
    all.onChange = { [weak self] in self?.allChanged() }
  }

  /// Looks whether the hub serves the window: one of an earlier release serves no windows, or no views, and the windows of
  /// all programs of a user have a limit.
  func connectionChanged() {
    guard let page, let reason = client.refusal(of: page) else { return }
    guard filter != .all else {
      return client.refusalCode(of: page) == .tooManyScopes ? close(because: reason) : needAll()
    }
    servesFilters = false
    show(.all)
    model.requireAllTodos()
  }

  /// Shows the reason instead of the todos. When the screen is opened again, it tries again.
  private func close(because reason: String) {
    if let page { client.detach(page) }
    if let nextID { client.detach(nextID) }
    (page, nextID, model.longTodos) = (nil, nil, nil)
    model.todos.show(nil, absence: "\(reason); open this screen again to try again")
  }

  private func pageChanged() {
    guard all == nil, let page, let nextID, page.isKnown, nextID.isKnown else { return }
    guard client.refusal(of: page) == nil else { return connectionChanged() }
    guard let store = page.store, let next = nextID.store,
      filter != .all || store.withState(\.count) > LongTodos.shortCount
    else { return needAll() }
    guard store !== shown else { return }
    shown = store
    let long = LongTodos(store, showing: filter)
    long.onMove = { [weak self] in self?.move(to: $0) }
    if servesFilters { long.onFilter = { [weak self] in self?.show($0) } }
    long.onNeedOfAll = { [weak self] in self?.needAll() }
    model.longTodos = long
    model.todos.show(long.store(nextID: next))
    subscription = store.subscribe { [weak self] _ in self?.onChange(page.revision) }
  }

  private func allChanged() {
    guard let all else { return }
    if let page { client.detach(page) }
    if let nextID { client.detach(nextID) }
    (page, nextID, model.longTodos) = (nil, nil, nil)
    model.todos.show(all.store)
    subscription = all.store?.subscribe { [weak self] _ in self?.onChange(all.revision) }
  }
}
