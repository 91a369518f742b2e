/// Actions that are not reduced yet, first in, first out: those that effects sent synchronously, and those that the
/// reducer sent to its own store.
///
/// An object, because the store adds actions while its core is being changed.
package final class ActionQueue<Action> {
  private var actions: [(action: Action, cascade: UInt64)] = []
  private var nextIndex = 0
  /// True if no action waits. A flag, because access to a generic array looks up its type.
  private(set) var isEmpty = true

  package func append(_ action: Action, cascade: UInt64) {
    actions.append((action, cascade))
    isEmpty = false
  }

  /// The waiting actions, the first one first.
  var waiting: [Action] { isEmpty ? [] : actions[nextIndex...].map(\.action) }

  /// Removes the first action; nil if there is none.
  func next() -> (action: Action, cascade: UInt64)? {
    guard !isEmpty else { return nil }
    guard nextIndex < actions.count else {
      actions.removeAll(keepingCapacity: true)
      (nextIndex, isEmpty) = (0, true)
      return nil
    }
    defer {
      nextIndex += 1
      // Long chains release their memory. Moving the rest costs less than the work since the last time.
      if nextIndex >= 1024, nextIndex >= actions.count / 2 {
        actions.removeFirst(nextIndex)
        nextIndex = 0
      }
    }
    return actions[nextIndex]
  }
}
