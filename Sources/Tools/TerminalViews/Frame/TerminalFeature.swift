package import ComposableCore
package import Features
internal import ReplicaCore
internal import StoreClient
package import Terminal

/// One terminal: its screens, which are its own, and the parts of the hub's state that they show.
///
/// Each change of what is shown, and each key, is an action. The features of the parts run in the hub.
@Reducer
package struct TerminalFeature {
  /// What a terminal shows.
  package struct State {
    /// The shared counter; nil if this hub lacks it, as for the other parts.
    package var counter: Counter.State?
    /// The favourite numbers.
    package var favourites: FavouriteNumbers.State?
    /// The shared todos; nil until a screen shows them.
    package var todos: Todos.State?
    /// The terminal's own state.
    package var screens = Screens()
    /// What the screens show beside the parts.
    var content: ScreenContent
    /// What the program must do because of the last key.
    package var intent: Screens.Intent?

    /// Creates a terminal that shows no part yet.
    package init(_ content: ScreenContent) { self.content = content }

    /// All that the screens show.
    package var shown: ScreenContent {
      var shown = content
      if content.hasParts { shown.parts = SharedParts(counter: counter, favourites: favourites, todos: todos) }
      return shown
    }
  }

  /// What happens to a terminal.
  package enum Action {
    /// A key was pressed. Its effect ends when the hub has answered the action that it has sent, if any.
    case pressed(Key, ScreenContent)
    /// The keys that were pressed while a part was loading are about to be pressed.
    case keysAheadTaken
    /// What is shown may have changed. Cursors stay on their elements.
    case contentChanged(ScreenContent, size: CanvasSize?)
    /// The outcome of an action that the terminal has sent is known, or will never be.
    case ended(number: Int, refusal: (any Error)?)
    /// There is a message for the user.
    case said(String, isBad: Bool)
    /// The details of an action were found.
    case found(ActivityDetails)
    /// An action of the hub's counter.
    case counter(Counter.Action)
    /// An action of the hub's favourite numbers.
    case favourites(FavouriteNumbers.Action)
    /// An action of the hub's todos.
    case todos(Todos.Action)
  }

  /// Creates the reducer.
  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .pressed(let key, let content):
        state.content = content
        let shown = state.shown
        state.intent = state.screens.pressed(key, shown)
        guard case .send(let action)? = state.intent else { return .none }
        return .send(Action(action))

      case .keysAheadTaken:
        state.screens.forgetKeysAhead()

      case .contentChanged(let content, let size):
        state.content = content
        let shown = state.shown
        state.screens.follow(shown, size: size)

      case .ended(let number, let refusal):
        state.screens.ended(number)
        guard let refusal else { break }
        // An action that may have taken effect can be undone.
        if refusal as? ActionError != .outcomeUnknown { state.screens.refused(number) }
        state.screens.say("\(refusal)", isBad: true)

      case .said(let text, let isBad):
        state.screens.say(text, isBad: isBad)

      case .found(let details):
        state.screens.show(details)

      case .counter, .favourites, .todos: break
      }
      return .none
    }
    .hub(\.counter, action: \.counter) { Counter() }
    .hub(\.favourites, action: \.favourites) { FavouriteNumbers() }
    .hub(\.todos, action: \.todos) { Todos() }
  }
}

extension TerminalFeature.Action {
  /// The action of a part.
  fileprivate nonisolated init(_ action: AppFeature.Action) {
    self =
      switch action {
      case .counter(let action): .counter(action)
      case .favourites(let action): .favourites(action)
      case .todos(let action): .todos(action)
      }
  }
}
