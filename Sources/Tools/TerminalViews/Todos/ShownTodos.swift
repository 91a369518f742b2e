internal import ComposableCore
internal import Features
internal import TerminalUI

/// The todos that a filter shows, in their order, as a view of the whole list.
///
/// Of a long list, only a window of the todos is here. The others have ids by their positions, which are negative, and
/// the text `…`, until the window that contains them has arrived.
nonisolated struct ShownTodos: RandomAccessCollection, Equatable, Sendable {
  let filter: TodoFilter
  /// The place of the todos that are here in the list; nil if all are.
  let place: WindowPlace?
  private var all: IdentifiedArrayOf<Todo.State>
  /// The ids of the shown todos; nil for all.
  private var shownIDs: [Todo.State.ID]?
  /// The number of todos in the whole list that are not done.
  private(set) var activeCount: Int

  /// Filters the list.
  ///
  /// - Parameters:
  ///   - place: The place of the todos in a list of which they are a window; nil for the whole list.
  ///   - previous: The shown todos of an earlier version of the list.
  ///   - onTick: Called for each todo that was ticked or unticked since that version.
  /// - Complexity: O(n); if all are shown, O(k log n) for k changes since the earlier version.
  init(
    _ state: Todos.State, showing filter: TodoFilter, at place: WindowPlace? = nil, after previous: ShownTodos? = nil,
    onTick: (Todo.State.ID) -> Void = { _ in }
  ) {
    (self.filter, self.place, all) = (filter, place, state.todos)
    if let previous, place == nil {
      func weight(_ todo: Todo.State) -> Int { todo.isComplete ? 0 : 1 }
      var count = previous.activeCount
      all.visitChanges(from: previous.all) { change in
        switch change {
        case .remove(_, let todo, _): count -= weight(todo)
        case .insert(_, let todo, _): count += weight(todo)
        case .update(let id, let old, let new, _):
          count += weight(new) - weight(old)
          if old.isComplete != new.isComplete { onTick(id) }
        case .move: break
        }
      }
      activeCount = count
    } else {
      activeCount = state.activeCount
    }
    // A window is one of the todos that the filter shows.
    shownIDs = filter == .all || place != nil ? nil : state.todos.lazy.filter(filter.shows).map(\.id)
  }

  /// Returns true if this is still the filtered list. - Complexity: O(1).
  func isCurrent(_ state: Todos.State, at place: WindowPlace?) -> Bool {
    self.place == place && all.isIdentical(to: state.todos)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { place?.count ?? shownIDs?.count ?? all.count }

  subscript(position: Int) -> Todo.State {
    if let place {
      guard let index = place.index(of: position, in: all.count) else {
        return Todo.State(id: WindowPlace.id(of: position), text: "…")
      }
      return all[index]
    }
    guard let shownIDs else { return all[position] }
    guard let todo = all[id: shownIDs[position]] else { preconditionFailure("an id that is shown is in the list") }
    return todo
  }

  /// Returns the position of a todo among the shown ones.
  ///
  /// - Complexity: O(log n) if all are shown, otherwise O(n).
  func index(id: Todo.State.ID) -> Int? {
    if let place {
      if let position = WindowPlace.position(of: id) { return position < place.count ? position : nil }
      return all.index(id: id).map { $0 + place.start }
    }
    return shownIDs.map { $0.firstIndex(of: id) } ?? all.index(id: id)
  }

  /// True if a todo is here together with the one that follows it, so that actions for it can say where it is.
  func isHere(_ id: Todo.State.ID) -> Bool {
    guard let place else { return true }
    guard let index = all.index(id: id) else { return false }
    return index + 1 < all.count || place.start + all.count == place.count
  }

  /// The shown todo with an id.
  subscript(id id: Todo.State.ID) -> Todo.State? { all[id: id] }

  /// Returns the todo in the place of a ticked or unticked one that the hub's sort has moved: the open todo that followed
  /// the ticked one, or the completed todo that preceded the unticked one.
  ///
  /// - Parameters:
  ///   - id: The todo that was ticked or unticked.
  ///   - sorted: A later version of the list.
  /// - Returns: Nil if the todo was not moved past it.
  /// - Complexity: O(k log n) for k todos between the two.
  func successor(of id: Todo.State.ID, in sorted: ShownTodos) -> Todo.State.ID? {
    guard let old = index(id: id), let new = sorted.index(id: id) else { return nil }
    let isComplete = sorted[new].isComplete
    func stays(_ todo: Todo.State) -> Bool { sorted[id: todo.id].map { $0.isComplete != isComplete } ?? false }
    let next = isComplete ? self[(old + 1)...].first(where: stays) : self[..<old].last(where: stays)
    guard let next, let index = sorted.index(id: next.id) else { return nil }
    return isComplete == (index < new) ? next.id : nil
  }

  /// The ids of the shown todos.
  var ids: some RandomAccessCollection<Todo.State.ID> { IDs(todos: self) }

  private struct IDs: RandomAccessCollection {
    let todos: ShownTodos
    var startIndex: Int { 0 }
    var endIndex: Int { todos.count }
    subscript(position: Int) -> Todo.State.ID { todos.id(at: position) }
  }
}

/// The place of a window in a list.
nonisolated struct WindowPlace: Equatable, Sendable {
  /// The number of the elements of the list.
  let count: Int
  /// The position of the first element of the window.
  let start: Int

  /// The index in the window of the element at a position of the list; nil if it is not among those here.
  func index(of position: Int, in number: Int) -> Int? {
    0..<number ~= position - start ? position - start : nil
  }

  /// The id of an element that is not here, by its position in the list.
  static func id(of position: Int) -> Int { -1 - position }

  /// The position of such an element; nil for the id of one that was here.
  static func position(of id: Int) -> Int? { id < 0 ? -1 - id : nil }
}

extension ShownTodos: @MainActor RowSource {
  func row(at offset: Int) -> Todo.State { self[offset] }
  nonisolated func id(at offset: Int) -> Todo.State.ID { shownIDs?[offset] ?? self[offset].id }
  func offset(of id: Todo.State.ID, near: Int) -> Int? { index(id: id) }
}
