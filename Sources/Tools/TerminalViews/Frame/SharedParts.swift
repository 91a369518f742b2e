package import Features

/// The parts of the shared state that a terminal shows.
///
/// A part is nil if it is not attached, or this hub lacks it: the screen then shows the initial state, and its keys change
/// nothing.
package nonisolated struct SharedParts {
  package var counter: Counter.State?
  package var favourites: FavouriteNumbers.State?
  package var todos: Todos.State?

  /// Creates the parts.
  package init(counter: Counter.State?, favourites: FavouriteNumbers.State?, todos: Todos.State?) {
    (self.counter, self.favourites, self.todos) = (counter, favourites, todos)
  }

  var counterState: Counter.State { counter ?? Counter.State() }
  var favouritesState: FavouriteNumbers.State { favourites ?? FavouriteNumbers.State() }
  var todosState: Todos.State { todos ?? Todos.State() }
}
