import Features
import IdentifiedCollections
import StoreClient
import TerminalViews
import Wire

/// The list of todos for a terminal: attached as a whole if it is short or something needs all of it, otherwise a window
/// that follows the screen.
final class TodosAttachment {
  private typealias Page = Attachment<Window<IdentifiedArrayOf<Todo.State>>, Todos.Action>

  private let client: StoreClient<AppFeature.State, AppFeature.Action>
  private let model: TerminalModel
  private let attachAll: () -> Attachment<Todos.State, Todos.Action>
  /// Called after each change of what is attached, with its revision.
  private let onChange: (UInt64) -> Void
  private var page: Page?
  private var nextID: Attachment<Int, Never>?
  private var all: Attachment<Todos.State, Todos.Action>?
  private var subscription: StoreSubscription?
  /// The reason for which a hub has refused a window, until it was shown.
  private var refusal: String?
  /// The window that is shown.
  private weak var shown: LongTodos.Page?

  init(
    _ client: StoreClient<AppFeature.State, AppFeature.Action>, _ model: TerminalModel, refusal: String?,
    attachAll: @escaping () -> Attachment<Todos.State, Todos.Action>, onChange: @escaping (UInt64) -> Void
  ) {
    (self.client, self.model, self.attachAll, self.onChange) = (client, model, attachAll, onChange)
    self.refusal = refusal
  }

  /// True while a window is attached. A hub ends the connection of a client whose window is beyond the limit of all
  /// programs of the user.
  var hasWindow: Bool { page != nil }

  /// Attaches a window, whose number of todos then tells whether it is all that is needed.
  func start() {
    guard page == nil, all == nil else { return }
    if let refusal {
      self.refusal = nil
      return model.todos.show(nil, absence: "\(refusal); open this screen again to try again")
    }
    let page: Page = client.attach(
      to: { $0.todos.todos[window: 0..<LongTodos.windowSize] }, action: { AppFeature.Action.todos($0) })
    let nextID = client.attach(to: { $0.todos.nextID }, action: { (never: Never) -> AppFeature.Action in })
    (self.page, self.nextID) = (page, nextID)
    page.onChange = { [weak self] in self?.pageChanged() }
    nextID.onChange = { [weak self] in self?.pageChanged() }
    connectionChanged()
  }

  /// Attaches the whole list.
  func needAll() {
    guard all == nil else { return }
    let all = attachAll()
    self.all = all
    all.onChange = { [weak self] in self?.allChanged() }
  }

  /// A hub of an earlier release serves no windows.
  func connectionChanged() {
    if let page, client.refusal(of: page) != nil { needAll() }
  }

  private func pageChanged() {
    guard all == nil, let page, let nextID, page.isKnown, nextID.isKnown else { return }
    guard let store = page.store, let next = nextID.store, store.withState(\.count) > LongTodos.shortCount else {
      return needAll()
    }
    guard store !== shown else { return }
    shown = store
    let long = LongTodos(store)
    long.onMove = { [weak self] start in
      guard let self, let page = self.page else { return }
      client.move(page, to: { $0.todos.todos[window: start..<start + LongTodos.windowSize] })
    }
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
