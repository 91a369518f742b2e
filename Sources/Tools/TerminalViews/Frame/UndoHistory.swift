/// The actions of one screen that its terminal can undo and redo; those of other clients are not included.
///
/// Since other clients act in the meantime, a step is applied to the current state, and may find nothing left to undo.
/// A redo undoes an undo, so both are steps of the same kind.
nonisolated struct UndoHistory<Step: UndoStep>: Equatable, Sendable {
  /// The maximum number of steps of each kind.
  private static var limit: Int { 100 }

  /// The result of an undo or redo.
  enum Outcome {
    /// An action to send, with its description.
    case send(Step.Action, String)
    /// Nothing to send, with the reason.
    case nothing(String)
  }

  /// A step with its action.
  private struct Entry: Equatable, Sendable {
    /// The number of the action that the step reverts.
    var number: Int
    /// A description of the user's action, such as `added 'bread'`.
    var what: String
    var step: Step
  }

  /// A step that an action with a number has used up, and its direction.
  private struct Used: Equatable, Sendable {
    var number: Int
    var entry: Entry
    var direction: UndoDirection
  }

  /// The steps of both directions, in the order of their actions.
  private var entries: [UndoDirection: [Entry]] = [.undo: [], .redo: []]
  private var used: [Used] = []

  /// Records the step of an action that is sent in a state. What was undone before cannot be redone any more.
  mutating func note(_ action: Step.Action, number: Int, in state: Step.State) {
    guard let (what, step) = Step.reverting(action, in: state) else { return }
    entries[.redo] = []
    insert(Entry(number: number, what: what, step: step), .undo)
  }

  /// Removes the step of an action that had no effect. If the action was an undo or redo, it can be repeated.
  mutating func forget(_ number: Int) {
    for direction in [UndoDirection.undo, .redo] { entries[direction]?.removeAll { $0.number == number } }
    used.removeAll { $0.entry.number == number }
    guard let index = used.firstIndex(where: { $0.number == number }) else { return }
    let used = used.remove(at: index)
    insert(used.entry, used.direction)
  }

  private mutating func insert(_ entry: Entry, _ direction: UndoDirection) {
    var all = entries[direction] ?? []
    all.insert(entry, at: all.firstIndex { $0.number > entry.number } ?? all.endIndex)
    if all.count > Self.limit { all.removeFirst() }
    entries[direction] = all
  }

  /// Reverts the last step in one direction, by an action with a number.
  mutating func revert(_ direction: UndoDirection, number: Int, in state: Step.State) -> Outcome {
    guard let entry = entries[direction]?.popLast() else { return .nothing(direction.nothing) }
    let action: Step.Action
    switch entry.step.outcome(in: state) {
    case .nothing(let reason): return .nothing("not \(direction.verb): \(entry.what); \(reason)")
    case .send(let found): action = found
    }
    used.append(Used(number: number, entry: entry, direction: direction))
    if used.count > Self.limit { used.removeFirst() }
    let back = Step.reverting(action, in: state)?.step
    if let back { insert(Entry(number: number, what: entry.what, step: back), direction.other) }
    let offer = direction == .undo && back != nil ? "; U redoes it" : ""
    return .send(action, "\(direction.verb): \(entry.what)\(offer)")
  }
}

/// The direction of a step.
nonisolated enum UndoDirection: String {
  case undo, redo

  var other: UndoDirection { self == .undo ? .redo : .undo }
  /// The verb for what was done.
  var verb: String { self == .undo ? "undone" : "redone" }
  /// The message if there is no step.
  var nothing: String { "nothing to \(self) on this screen" }
}
