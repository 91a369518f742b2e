package import ComposableCore
internal import Observation
package import TerminalApp
internal import TerminalUI
package import Wire

/// What one terminal shows: the parts of the hub's state, the hub's clients, the actions in its journal, and the open
/// screen.
@Observable
package final class TerminalModel {
  /// A screen.
  package enum Screen: String, CaseIterable, Sendable {
    case counter, todos, favourites, presence, activity
  }

  /// The open screen.
  package private(set) var screen = Screen.counter
  /// The attached clients; nil if they are unknown, in which case there is no screen for them.
  package var attendees: Store<HubState, Never>?
  /// The actions in the journal; nil if this terminal reads none.
  package var activity: ActivityModel?
  /// The connection.
  package let status: ConnectionStatus
  /// The process of this terminal, whose line among the clients is marked.
  package let ownProcess: Int32
  package let counter: SharedPart<CounterStep>
  package let favourites: SharedPart<FavouritesStep>
  package let todos: SharedPart<TodosStep>
  /// Called when a screen is opened.
  @ObservationIgnored package var onOpen: ((Screen) -> Void)?
  /// A list of todos of which only a window is here; nil for a list that is here as a whole.
  package var longTodos: LongTodos? {
    get { todoList.long }
    set { todoList.long = newValue }
  }
  let todoList = TodosModel()

  /// Requests the whole of a long list, as if the user had done what needs it.
  package func requireAllTodos() { todoList.requireAll() }

  /// Creates a model that knows nothing of the hub yet.
  ///
  /// - Parameter outcomes: Gets the actions that the terminal sends, with what they change.
  package init(_ status: ConnectionStatus, ownProcess: Int32 = 0, outcomes: @escaping SentActions) {
    (self.status, self.ownProcess) = (status, ownProcess)
    (counter, favourites, todos) = (SharedPart(outcomes), SharedPart(outcomes), SharedPart(outcomes))
  }

  /// True once the hub has sent the parts that are attached from the start.
  var hasParts: Bool { counter.isKnown && favourites.isKnown }

  var screens: [Screen] {
    Screen.allCases.filter { screen in
      switch screen {
      case .counter, .todos, .favourites: true
      case .presence: attendees != nil
      case .activity: activity != nil
      }
    }
  }

  /// Opens a screen.
  package func open(_ screen: Screen) {
    self.screen = screen
    onOpen?(screen)
  }

  /// The index of the open screen; the first one, if there is no such screen any more.
  var tab: StoreBinding<Int> {
    StoreBinding { [self] in
      screens.firstIndex(of: screen) ?? 0
    } set: { [self] in
      open(screens[$0])
    }
  }
}
