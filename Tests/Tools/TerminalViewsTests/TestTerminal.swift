import ComposableArchitecture
import Features
import ReplicaCore
import StoreClient
public import Terminal
import TerminalApp
import TerminalUI
import Wire

@testable import TerminalViews

/// A hub in this process, whose state the test changes. Its features run only if the test wants that.
@Reducer
struct TestHub {
  @ObservableState
  struct State: Equatable {
    var counter = Counter.State()
    var todos = Todos.State()
    var favourites = FavouriteNumbers.State()
    var hub = HubState()

    var app: AppFeature.State {
      get {
        var app = AppFeature.State()
        (app.counter, app.todos, app.favourites) = (counter, todos, favourites)
        return app
      }
      set { (counter, todos, favourites) = (newValue.counter, newValue.todos, newValue.favourites) }
    }
  }

  @CasePathable
  enum Action {
    case app(AppFeature.Action)
    case hub(Never)
    case set(State)
  }

  let reduces: Bool

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .app(let action): if reduces { _ = AppFeature().reduce(into: &state.app, action: action) }
      case .set(let new): state = new
      }
      return .none
    }
  }
}

/// A terminal without a hub: the test supplies what it shows, and checks the actions that it sends.
@MainActor
final class TestTerminal {
  /// What a key did: an action that the terminal sent to the hub, or what the program must do.
  enum Effect: Equatable {
    case send(AppFeature.Action)
    case quit
    case showDetails(Activity.ID)
  }

  /// An action whose outcome the test decides.
  struct Sent {
    var mark: PendingMark
    var ended: ((any Error)?) -> Void
  }

  let model: TerminalModel
  let status: ConnectionStatus
  private(set) var sent: [Sent] = []
  private let hub: StoreOf<TestHub>
  private let tester: TerminalTester
  private var effect: Effect?

  /// Creates a terminal that is connected.
  ///
  /// - Parameters:
  ///   - parts: The parts that the hub has sent.
  ///   - reduces: True to let the actions take effect.
  init(
    rows: Int = 12, columns: Int = 60, parts: Set<TerminalModel.Screen> = [.counter, .todos, .favourites],
    reduces: Bool = false
  ) {
    hub = Store(initialState: TestHub.State()) { TestHub(reduces: reduces) }
    status = ConnectionStatus("StoreHub", path: "/run/hub.sock", now: .seconds(100))
    status.connection = .live
    let outcomes = Outcomes()
    model = TerminalModel(status, ownProcess: 4002) { outcomes.onSent?(Sent(mark: $1, ended: $2)) }
    tester = TerminalTester(
      ScreenLayout(title: StatusBar(status), content: ScreensView(model)), rows: rows, columns: columns)
    outcomes.onSent = { [weak self] in self?.sent.append($0) }
    if parts.contains(.counter) { model.counter.show(reporting(\.counter, \.app.counter) { .counter($0) }) }
    if parts.contains(.todos) { showTodos() }
    if parts.contains(.favourites) {
      model.favourites.show(reporting(\.favourites, \.app.favourites) { .favourites($0) })
    }
  }

  private final class Outcomes { var onSent: ((Sent) -> Void)? }

  /// Shows the todos, which may have been loading.
  func showTodos() { model.todos.show(reporting(\.todos, \.app.todos) { .todos($0) }) }

  /// Shows the clients of the hub.
  func showAttendees(_ attendees: [Attendee]) {
    change(hub: { $0.attendees = IdentifiedArray(uniqueElements: attendees) })
    if model.attendees == nil { model.attendees = hub.scope(state: \.hub, action: \.hub) }
  }

  /// Shows the actions of a journal.
  @discardableResult
  func showActivity(_ entries: [Activity] = []) -> ActivityModel {
    let activity = model.activity ?? ActivityModel()
    activity.entries = entries
    activity.onDetails = { [weak self] in self?.effect = .showDetails($0) }
    model.activity = activity
    return activity
  }

  private func reporting<State, Action>(
    _ state: KeyPath<TestHub.State, State>, _ action: CaseKeyPath<TestHub.Action, Action>,
    _ whole: @escaping (Action) -> AppFeature.Action
  ) -> Store<State, Action> {
    let core = hub.scope(state: state, action: action).core
    return Store(core: ReportingCore(core) { [weak self] action, _, _ in self?.effect = .send(whole(action)) })
  }

  var state: AppFeature.State { hub.withState { $0.app } }

  /// Presses a key as the program does; the screen shows the state before it.
  @discardableResult
  func press(_ key: Key) -> Effect? {
    effect = nil
    let unhandledCount = tester.unhandledKeys.count
    tester.press(key)
    let isUnhandled = tester.unhandledKeys.count > unhandledCount
    return effect ?? (isUnhandled && ["q", .control("d")].contains(key) ? .quit : nil)
  }

  /// Changes the shared state as another client.
  func change(_ change: (inout AppFeature.State) -> Void) {
    var state = hub.state
    change(&state.app)
    hub.send(.set(state))
  }

  private func change(hub change: (inout HubState) -> Void) {
    var state = hub.state
    change(&state.hub)
    hub.send(.set(state))
  }

  /// Sends an action as another client.
  func send(_ action: AppFeature.Action) { hub.send(.app(action)) }

  func advance(by duration: Duration) { tester.advance(by: duration) }

  var lines: [String] { tester.lines }
  /// All reversed text, such as the line at the cursor, without what is highlighted in it.
  var reversed: [String] { pieces.filter { $0.style.contains("reversed") && !$0.style.contains("yellow") }.map(\.text) }
  /// All highlighted text.
  var highlighted: [String] { pieces.filter { $0.style.hasPrefix("bold") && $0.style.hasSuffix("yellow") }.map(\.text) }
  /// The line at the cursor, without the cursor.
  var chosen: String? { lines.first { $0.hasPrefix("›") }.map { String($0.dropFirst(2)) } }
  /// The open tab.
  var open: String { lines[1].split { "┤├".contains($0) }.dropFirst().first.map(String.init) ?? "" }

  private var pieces: [(style: String, text: String)] {
    tester.screen.styledLines.flatMap { line in
      line.matches(of: /<([^>]*)>(.*?)<\/>/).map { (String($0.1), String($0.2)) }
    }
  }
}

nonisolated extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// Converts a character to its key.
  public init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
