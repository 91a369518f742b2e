package import ComposableCore
package import Features

/// The parts of the shared state that a terminal shows. Each screen reads the store of its part, to which its actions go.
///
/// A store is nil if its part is not attached, or this hub lacks it: the screen then shows the initial state, and its
/// keys change nothing.
package struct SharedParts {
  package var counter: StoreOf<Counter>?
  package var favourites: StoreOf<FavouriteNumbers>?
  package var todos: StoreOf<Todos>?

  /// Creates the parts.
  package init(counter: StoreOf<Counter>?, favourites: StoreOf<FavouriteNumbers>?, todos: StoreOf<Todos>?) {
    (self.counter, self.favourites, self.todos) = (counter, favourites, todos)
  }

  var counterState: Counter.State { counter?.state ?? Counter.State() }
  var favouritesState: FavouriteNumbers.State { favourites?.state ?? FavouriteNumbers.State() }
  var todosState: Todos.State { todos?.state ?? Todos.State() }
}
