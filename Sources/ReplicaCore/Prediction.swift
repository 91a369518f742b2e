/// What a client shows while the hub has not answered: the hub's state with the client's pending actions on top.
///
/// An action takes effect here at once, by the reducer that the hub runs, whose effects are not run. When something comes
/// from the hub the actions that are still pending are applied again, to the hub's new state: what the hub decided
/// differently is corrected by that. Once nothing is pending the state is the hub's, whatever was predicted.
///
/// The hub's state is never changed here and never copied as a whole: states are values that share what is the same. Nothing
/// is kept while nothing is pending.
public final class Prediction<State, Action> {
  /// The state with the pending actions on top; nil while none is pending or the hub's state is not known.
  public private(set) var state: State?

  private let reduce: (inout State, Action) -> Void
  /// Oldest first. Those before `head` are over, and are removed now and then.
  private var pending: [(ticket: ActionTicket, action: Action)] = []
  private var head = 0

  /// Creates a prediction.
  ///
  /// - Parameter reduce: Changes a state as the hub does.
  public init(_ reduce: @escaping (inout State, Action) -> Void) {
    self.reduce = reduce
  }

  /// How many actions are pending.
  public var pendingCount: Int { pending.count - head }

  /// Takes an action that was just sent.
  ///
  /// - Parameter confirmed: The hub's state, which it changes if no other action is pending.
  /// - Complexity: What the reducer costs.
  public func sent(_ action: Action, as ticket: ActionTicket, on confirmed: State?) {
    pending.append((ticket, action))
    if state == nil {
      // Others may have been sent before the hub's state was known.
      return rebase(on: confirmed)
    }
    apply(action)
  }

  /// Takes note that an action was applied or has failed; its effect is in the hub's state, or nowhere. Rebase afterwards.
  ///
  /// - Complexity: O(1) for the oldest action, amortised, otherwise O(pending).
  public func ended(_ ticket: ActionTicket) {
    if head < pending.count, pending[head].ticket == ticket {
      head += 1
      if head == pending.count || head > 1024 && head > pending.count / 2 {
        pending.removeFirst(head)
        head = 0
      }
    } else if let index = pending[head...].firstIndex(where: { $0.ticket == ticket }) {
      pending.remove(at: index)
    }
  }

  /// Applies the pending actions to the hub's state.
  ///
  /// - Parameter confirmed: The hub's state; nil if there is none.
  /// - Complexity: O(pending): what the reducer costs for each of them, however large the state is.
  public func rebase(on confirmed: State?) {
    state = pendingCount > 0 ? confirmed : nil
    guard state != nil else { return }
    for index in head..<pending.count { apply(pending[index].action) }
  }

  private func apply(_ action: Action) {
    guard var changed = state.take() else { return }
    reduce(&changed, action)
    state = changed
  }
}
