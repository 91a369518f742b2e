package import ComposableCore
internal import Observation
internal import TerminalApp
internal import TerminalUI

/// Gets an action that was sent, with what it changes and what to do when its outcome is known.
package typealias SentActions = (StoreTask, PendingMark, _ ended: @escaping ((any Error)?) -> Void) -> Void

/// What a pending action changes, which is marked on the screen.
package nonisolated enum PendingMark: Hashable, Sendable {
  /// The number of a screen.
  case screen(TerminalModel.Screen)
  /// A todo; one that was added also by its text, because it may get another id.
  case todo(id: Int, text: String?)
}

/// A part of the hub's state for the views, with what this terminal has done to it and can undo.
@Observable
package final class SharedPart<Step: UndoStep> {
  /// The part; nil before the hub has sent it, and if this hub lacks it. What is sent to it can be undone.
  package private(set) var store: Store<Step.State, Step.Action>?
  /// True once the hub has sent the part or its absence.
  package private(set) var isKnown = false
  /// The reason why the part is not here; nil if this hub lacks it.
  private(set) var absence: String?
  private(set) var message: StatusMessage?
  /// Another number after each change of the part, for views of all of it: who reads a list does not observe the fields of
  /// its elements.
  private(set) var version = 0
  @ObservationIgnored private var hub: Store<Step.State, Step.Action>?
  @ObservationIgnored private var changes: StoreSubscription?
  @ObservationIgnored private var history = UndoHistory<Step>()
  /// The number of the action that was sent last; they are counted from 1.
  @ObservationIgnored private var lastNumber = 0
  @ObservationIgnored private let outcomes: SentActions

  init(_ outcomes: @escaping SentActions) { self.outcomes = outcomes }

  /// Shows the part.
  ///
  /// - Parameters:
  ///   - store: The part; nil if it is not here.
  ///   - absence: The reason why it is not here; nil if this hub lacks it.
  package func show(_ store: Store<Step.State, Step.Action>?, absence: String? = nil) {
    hub = store
    self.absence = absence
    self.store = store.map { store in
      Store(
        core: ReportingCore(store.core) { [weak self] action, before, task in
          guard let self else { return }
          history.note(action, number: lastNumber + 1, in: before)
          sent(action, before, task)
        })
    }
    changes = store?.subscribe { [weak self] _ in self?.version += 1 }
    isKnown = true
  }

  private func sent(_ action: Step.Action, _ before: Step.State, _ task: StoreTask) {
    lastNumber += 1
    let number = lastNumber
    outcomes(task, Step.mark(of: action, in: before)) { [weak self] refusal in
      // An action that may have taken effect can be undone.
      if let refusal, refusal as? ActionError != .outcomeUnknown { self?.history.forget(number) }
    }
  }

  /// Reverts the last action of this terminal, or the last such reversal.
  func revert(_ direction: UndoDirection) {
    guard let hub else { return }
    let state = hub.withState { $0 }
    switch history.revert(direction, number: lastNumber + 1, in: state) {
    case .send(let action, let what):
      message = StatusMessage(what)
      sent(action, state, hub.send(action))
    case .nothing(let reason): message = StatusMessage(reason)
    }
  }
}

/// The screen of a part: a view of its store, and the keys that undo and redo.
struct PartScreen<Step: UndoStep, Content: TerminalView>: TerminalView {
  let part: SharedPart<Step>
  let status: ConnectionStatus
  let content: (Store<Step.State, Step.Action>) -> Content

  var body: some TerminalView {
    let part = part
    Deferred(isReady: part.isKnown) {
      if let store = part.store {
        content(store)
          .keys([
            KeyBinding("u", "undo", help: "undo what you did last on this screen") { part.revert(.undo) },
            KeyBinding("U", "", help: "redo what you have undone") { part.revert(.redo) },
            KeyBinding("~", "", help: "marks what the hub has not acknowledged yet"),
          ])
          .message(part.message)
      } else {
        Text(part.absence ?? "this hub has no \(Step.screen)").dim()
      }
    } placeholder: {
      WaitingView(status, for: "the \(Step.screen)")
    }
  }
}
