internal import ComposableCore
internal import Features

/// The actions of one terminal that it can undo and redo, separately for each screen; those of other clients are not
/// included.
///
/// Since other clients act in the meantime, a step is applied to the current state, and may find nothing left to undo.
/// A redo undoes an undo, so both are steps of the same kind.
nonisolated struct UndoHistory: Equatable, Sendable {
  /// The maximum number of steps of each kind.
  private static let limit = 100

  /// The direction of a step.
  enum Direction: String {
    case undo, redo

    var other: Direction { self == .undo ? .redo : .undo }
    /// The verb for what was done.
    var verb: String { self == .undo ? "undone" : "redone" }
  }

  /// The result of an undo or redo.
  enum Outcome: Equatable {
    /// An action to send, with its description.
    case send(AppFeature.Action, String)
    /// Nothing to send, with the reason.
    case nothing(String)
  }

  /// A step of a screen.
  private struct Entry: Equatable, Sendable {
    /// The number of the action that the step reverts.
    var number: Int
    var tab: Screens.Tab
    /// A description of the user's action, such as `added 'bread'`.
    var what: String
    var step: UndoStep
  }

  /// A step that an action with a number has used up, and its direction.
  private struct Used: Equatable, Sendable {
    var number: Int
    var entry: Entry
    var direction: Direction
  }

  /// The steps of both directions, in the order of their actions.
  private var entries: [Direction: [Entry]] = [.undo: [], .redo: []]
  private var used: [Used] = []
  /// The number of the last sent action; they are counted from 1.
  private(set) var lastNumber = 0

  /// Numbers an action that is sent in a state, and records its step. What was undone before on the same screen cannot
  /// be redone any more.
  mutating func note(_ action: AppFeature.Action, in state: AppFeature.State) {
    lastNumber += 1
    guard let (what, step) = UndoStep.reverting(action, in: state) else { return }
    let tab = Screens.Tab(action)
    entries[.redo]?.removeAll { $0.tab == tab }
    insert(Entry(number: lastNumber, tab: tab, what: what, step: step), .undo)
  }

  /// Removes the step of an action that had no effect. If the action was an undo or redo, it can be repeated.
  mutating func forget(_ number: Int) {
    for direction in [Direction.undo, .redo] { entries[direction]?.removeAll { $0.number == number } }
    used.removeAll { $0.entry.number == number }
    guard let index = used.firstIndex(where: { $0.number == number }) else { return }
    let used = used.remove(at: index)
    insert(used.entry, used.direction)
  }

  private mutating func insert(_ entry: Entry, _ direction: Direction) {
    var all = entries[direction] ?? []
    all.insert(entry, at: all.firstIndex { $0.number > entry.number } ?? all.endIndex)
    if all.count > Self.limit { all.removeFirst() }
    entries[direction] = all
  }

  /// Reverts the last step of a screen in one direction.
  mutating func revert(_ direction: Direction, on tab: Screens.Tab, in state: AppFeature.State) -> Outcome {
    guard let index = entries[direction]?.lastIndex(where: { $0.tab == tab }),
      let entry = entries[direction]?.remove(at: index)
    else { return .nothing("nothing to \(direction) on this screen") }
    let action: AppFeature.Action
    switch entry.step.outcome(in: state) {
    case .nothing(let reason): return .nothing("not \(direction.verb): \(entry.what); \(reason)")
    case .send(let found): action = found
    }
    lastNumber += 1
    used.append(Used(number: lastNumber, entry: entry, direction: direction))
    if used.count > Self.limit { used.removeFirst() }
    let back = UndoStep.reverting(action, in: state)?.step
    if let back {
      insert(Entry(number: lastNumber, tab: tab, what: entry.what, step: back), direction.other)
    }
    let offer = direction == .undo && back != nil ? "; U redoes it" : ""
    return .send(action, "\(direction.verb): \(entry.what)\(offer)")
  }
}

nonisolated extension Screens.Tab {
  /// The screen of an action.
  init(_ action: AppFeature.Action) {
    switch action {
    case .counter: self = .counter
    case .todos: self = .todos
    case .favourites: self = .favourites
    }
  }
}
