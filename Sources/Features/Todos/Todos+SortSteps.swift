import ReplicatedArchitecture

// A long list is sorted in steps, from its end to its start, so that no action takes long. After each step all todos from
// a place on are sorted; the next step adds those before it. The place is a todo, because others insert and remove todos
// between the steps.
//
// What a step does to the list depends only on the list and on the step's action, which is stored. What the state
// remembers decides only which step is next: after a restart, it is the one that looks at all todos.

extension Todos.State {
  /// The todos that one step sorts: before `end`, nil for the end of the list, and not before `start`, nil for as many as
  /// a step looks at.
  struct SortStep {
    var start: Todo.State.ID?
    var end: Todo.State.ID?
  }

  /// The number of todos that a step looks at.
  private static var lookedAtOnce: Int { 8192 }
  /// The number of todos that it moves.
  private static var movedAtOnce: Int { 128 }
  /// The number of actions since the last sort from which a sort looks at all todos, and not only at those that have
  /// changed: each may have changed another part of the list, whose comparison takes some 20 µs.
  private static var manyActions: Int { 256 }

  /// How far a sort has come.
  struct SortProgress {
    /// All todos from this one on are sorted; nil at the end of the list.
    var start: Todo.State.ID?
    /// The todos before it that may be out of order, in the order of the list; nil if that may be any.
    var unsorted: [Todo.State.ID]?
  }

  /// Begins to sort; returns the first step, nil if nothing is out of order.
  mutating func beginSort() -> SortStep? {
    if actionsSinceSort.count > Self.manyActions { lastSorted.value = nil }
    let unsorted = lastSorted.value.map { todos.unsorted(since: $0) }
    return nextStep(before: todos.endIndex, SortProgress(unsorted: unsorted))
  }

  /// Sorts the todos of a step with those that follow it; returns the next step, nil at the start of the list.
  ///
  /// - Complexity: O(log n) for each todo that it looks at, of which there is a limit.
  mutating func continueSort(from start: Todo.State.ID?, before end: Todo.State.ID?) -> SortStep? {
    let progress = sortProgress.value
    let isNext = progress?.start == end
    // If the todo has been removed, the sort begins again.
    let end = end.flatMap { todos.index(id: $0) } ?? todos.endIndex
    let start = max(start.flatMap { todos.index(id: $0) } ?? 0, end - Self.lookedAtOnce, 0)
    let position = sort(from: start, before: end)
    // A step that is not the next one, such as one that a client has sent, has changed what is known: begin again.
    if progress != nil, !isNext { return nextStep(before: todos.endIndex, SortProgress(unsorted: nil)) }
    return nextStep(before: position, progress)
  }

  /// Records that a todo has got another mark or another place.
  mutating func disturbSort() {
    if sortProgress.value != nil { sortProgress.value = nil }
  }

  /// Moves the completed todos in a range behind all that are open, if those after the range are sorted.
  ///
  /// - Returns: The position from which on the list is sorted: after the start if many todos had to be moved.
  private mutating func sort(from start: Int, before end: Int) -> Int {
    var border = startOfCompleted(from: end)
    // The positions, descending, of completed todos that precede an open one.
    var early: [Int] = []
    var openCount = border - end
    var position = end
    while position > start, min(early.count, openCount) < Self.movedAtOnce {
      position -= 1
      if !todos[position].isComplete {
        openCount += 1
      } else if openCount > 0 {
        early.append(position)
      } else {
        border = position
      }
    }
    guard let first = early.last else { return position }
    if early.count <= border - first - early.count {
      todos.move(fromOffsets: early.reversed(), toOffset: border)
    } else {
      todos.move(fromOffsets: (first..<border).filter { !todos[$0].isComplete }, toOffset: first)
    }
    return position
  }

  /// The step after one that has sorted all todos from a position on.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - progress: What is known of the todos before it; nil if others have disturbed the sort.
  private mutating func nextStep(before position: Int, _ progress: SortProgress?) -> SortStep? {
    var (start, end): (Int?, Int) = (nil, position)
    var progress = progress
    if var unsorted = progress?.unsorted {
      while let last = unsorted.last, (todos.index(id: last) ?? .max) >= position { unsorted.removeLast() }
      let last = unsorted.last.flatMap { todos.index(id: $0) }
      // The todos between those that may be out of order are as they were after the last sort: first the open ones.
      let isSorted =
        position == todos.endIndex || todos[position].isComplete || position > 0 && !todos[position - 1].isComplete
      if isSorted { end = last.map { $0 + 1 } ?? 0 }
      if let last, end == last + 1 {
        start = last
        while let first = start, let other = unsorted.dropLast(last - first + 1).last, first > 0,
          todos[first - 1].id == other
        { start = first - 1 }
      }
      progress?.unsorted = unsorted
    }
    guard end > 0 else {
      if progress != nil { (lastSorted.value, actionsSinceSort.count) = (todos, 0) }
      sortProgress.value = nil
      return nil
    }
    let next = end == todos.endIndex ? nil : todos[end].id
    progress?.start = next
    sortProgress.value = progress
    return SortStep(start: start.map { todos[$0].id }, end: next)
  }
}

extension IdentifiedArray<Todo.State.ID, Todo.State> {
  /// The todos that are new, or have got another mark or another place since a version, in their order.
  fileprivate func unsorted(since sorted: Self) -> [Todo.State.ID] {
    var positions: [Int] = []
    visitChanges(from: sorted, by: { $0.isComplete == $1.isComplete }) { change in
      switch change {
      case .remove: break
      case .insert(_, _, let position), .move(_, _, let position), .update(_, _, _, let position):
        positions.append(position)
      }
    }
    return positions.sorted().map { self[$0].id }
  }
}
