import ComposableArchitecture
import Features
import ReplicaCore
import TerminalApp
import TerminalUI
import TerminalViews
import Wire

extension FuzzTarget {
  /// Whatever keys a user presses, and whatever other clients and the hub do meanwhile, the screens of the sample features
  /// are drawn in any size, within it, and without control characters.
  static let terminal = FuzzTarget(name: "terminal") { bytes in
    try onMainThread {
      var input = FuzzInput(bytes)
      try SamplePlay().run(&input)
    }
  } seeds: {
    [
      [20, 70] + Array("12a,bread\n2 xJKdudufc\u{1b}3 l\u{1b}f\u{1b}45f-x\n".utf8), Array(0..<128),
      (0..<128).map { 255 - $0 },
    ]
  }
}

/// The screens of the sample features with a hub in this process.
private final class SamplePlay: ScreenPlay {
  private let hub = Store(initialState: AppFeature.State()) {
    Reduce<AppFeature.State, AppFeature.Action> { state, action in
      _ = AppFeature().reduce(into: &state, action: action)
      return .none
    }
  }
  private let status = ConnectionStatus("StoreHub", path: "/run/hub.sock", now: .seconds(100))
  private let model: TerminalModel
  private let activity = ActivityModel()
  private let outcomes = Outcomes()
  private var windowStart = 0

  /// What is called with the outcomes of the sent actions.
  private final class Outcomes { var waiting: [((any Error)?) -> Void] = [] }

  init() {
    status.connection = .live
    model = TerminalModel(status, ownProcess: 1) { [outcomes] in outcomes.waiting.append($2) }
    model.counter.show(hub.scope(state: \.counter, action: \.counter))
    model.favourites.show(hub.scope(state: \.favourites, action: \.favourites))
  }

  var view: AnyTerminalView { AnyTerminalView(ScreensView(model)) }

  func follow() { if outcomes.waiting.count > 100 { outcomes.waiting.removeAll() } }

  /// Shows the todos: all, or a window of a few of them, which begins at a position.
  private func showTodos(inWindowAt start: Int?) {
    guard let start else {
      model.longTodos = nil
      return model.todos.show(hub.scope(state: \.todos, action: \.todos))
    }
    windowStart = start
    let long = LongTodos(
      hub.scope(state: { [weak self] in Window(of: $0.todos.todos, from: self?.windowStart ?? 0, count: 3) }) {
        AppFeature.Action.todos($0)
      })
    long.onMove = { [weak self] in self?.windowStart = $0 }
    model.longTodos = long
    let nextID = hub.scope(state: { $0.todos.nextID }) { (never: Never) -> AppFeature.Action in }
    model.todos.show(long.store(nextID: nextID))
  }

  func happen(_ input: inout FuzzInput) {
    let (id, text) = (input.below(8), String(decoding: input.take(input.below(12)), as: UTF8.self))
    switch input.below(16) {
    case 0: showTodos(inWindowAt: id < 4 ? id : nil)
    case 1: hub.send(.todos(.addButtonTapped(text: text)))
    case 2: hub.send(.todos(.deleteButtonTapped(id: id)))
    case 3: hub.send(.todos(.todos(.element(id: id, action: .completionChanged(text.isEmpty)))))
    case 4: hub.send(.todos(.todos(.element(id: id, action: .textChanged(text)))))
    case 5: hub.send(.todos(.sortCompletedTodos))
    case 6: hub.send(.todos(.moved(id: id, before: nil)))
    case 7: hub.send(.counter(.numberFactResponse(.failure(NumberFactError(message: text)))))
    case 8: hub.send(.favourites(.factResponse(.success(text))))
    case 9: hub.send(.favourites(.view(.favouritesButtonTapped)))
    case 10: hub.send(.favourites(.destination(.dismiss)))
    case 11: status.connection = .stale(since: .seconds(id), attempt: id, reason: text)
    case 12: status.connection = .live
    case 13: outcomes.waiting.popLast()?(id < 4 ? nil : ActionError.rejected(code: UInt64(id), reason: text))
    case 14:
      model.activity = activity
      let number = UInt64(activity.entries.count)
      activity.entries.append(
        Activity(id: Activity.ID(number), revision: number, time: Int64(id) << 30, who: text, name: text, what: text))
    default:
      status.pendingMarks = [PendingMark.todo(id: id, text: nil), PendingMark.screen(.counter)]
      status.pendingCount = id
    }
  }
}
