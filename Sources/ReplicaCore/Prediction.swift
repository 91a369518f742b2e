/// A prediction of the hub's state: a known state with the client's pending actions applied.
///
/// An action takes effect immediately, through the hub's reducer but without running its effects. When the hub has
/// acknowledged actions, those that are still pending are applied to its state, which corrects wrong predictions.
/// Without pending actions the state is the hub's.
///
/// Between two acknowledgements the hub's state may contain some of the pending actions, which would count twice.
/// Therefore they are applied only to a state that contains exactly those that have ended: the *settled* one.
///
/// The hub's state is never changed and never copied as a whole, since states are values that share their unchanged
/// parts. Without pending actions nothing is kept.
public final class Prediction<State, Action> {
  /// The state with the pending actions applied; nil if none is pending or the hub's state is unknown.
  public private(set) var state: State?

  /// The hub's state that contains exactly the ended actions; nil if it is unknown or no action is pending.
  private var base: State?
  private let mayRefuse: Bool
  private let reduce: (inout State, Action, ActionTicket) -> Bool
  /// The actions, oldest first. Those before `head` have ended; they are removed in batches.
  private var pending: [(ticket: ActionTicket, action: Action)] = []
  private var head = 0

  /// Creates a prediction.
  ///
  /// - Parameter reduce: Changes a state as the hub does.
  public convenience init(_ reduce: @escaping (inout State, Action) -> Void) {
    self.init(mayRefuse: false) { state, action, _ in
      reduce(&state, action)
      return true
    }
  }

  /// Creates a prediction with a reducer that may refuse actions.
  ///
  /// - Parameters:
  ///   - mayRefuse: True if `reduce` may return false. The state before each action is then kept while it is reduced.
  ///   - reduce: Changes a state as the hub does for the action of a ticket. Returns false if the reducer refuses the
  ///     action. It then has no effect in the prediction, and stays pending: the hub decides.
  public init(mayRefuse: Bool, _ reduce: @escaping (inout State, Action, ActionTicket) -> Bool) {
    (self.mayRefuse, self.reduce) = (mayRefuse, reduce)
  }

  /// The number of pending actions.
  public var pendingCount: Int { pending.count - head }

  /// Applies an action that was just sent.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - ticket: The ticket that the core returned for it.
  ///   - confirmed: The hub's state, to which the action is applied if no other one is pending.
  /// - Complexity: The cost of the reducer.
  public func sent(_ action: Action, as ticket: ActionTicket, on confirmed: State?) {
    if pendingCount == 0 { base = confirmed }
    pending.append((ticket, action))
    // Others may have been sent before the hub's state was known.
    if state == nil { rebase() } else { apply(action, of: ticket) }
  }

  /// Removes an action that was applied or has failed: its effect is in the hub's state, or nowhere. Call `rebase`
  /// next.
  ///
  /// - Returns: True if the action was pending here.
  /// - Complexity: O(1) for the oldest action, amortised. O(log pending) for an action of another prediction. O(pending)
  ///   for another action of this one, such as a rejected one.
  @discardableResult
  public func ended(_ ticket: ActionTicket) -> Bool {
    if head < pending.count, pending[head].ticket == ticket {
      head += 1
      if head == pending.count || head > 1024 && head > pending.count / 2 {
        pending.removeFirst(head)
        head = 0
      }
      return true
    }
    guard let index = index(of: ticket) else { return false }
    pending.remove(at: index)
    return true
  }

  /// Returns the index of a pending action, whose tickets increase.
  private func index(of ticket: ActionTicket) -> Int? {
    var (lower, upper) = (head, pending.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if pending[middle].ticket < ticket { lower = middle + 1 } else { upper = middle }
    }
    return lower < pending.count && pending[lower].ticket == ticket ? lower : nil
  }

  /// Records the hub's state at a time when it contains exactly the actions that have ended, or are about to.
  ///
  /// - Parameter confirmed: The state; nil if there is none.
  /// - Returns: True if `rebase` is necessary after the outcomes that belong to the state.
  public func settle(on confirmed: State?) -> Bool {
    guard pendingCount > 0 else { return false }
    base = confirmed
    return true
  }

  /// Applies the pending actions to the settled state.
  ///
  /// - Complexity: O(pending) runs of the reducer, whatever the size of the state.
  public func rebase() {
    if pendingCount == 0 { base = nil }
    state = base
    guard state != nil else { return }
    for index in head..<pending.count { apply(pending[index].action, of: pending[index].ticket) }
  }

  /// Removes all pending actions: the state is the hub's.
  public func removeAll() { (pending, head, base, state) = ([], 0, nil, nil) }

  private func apply(_ action: Action, of ticket: ActionTicket) {
    let before = mayRefuse ? state : nil
    guard var changed = state.take() else { return }
    state = reduce(&changed, action, ticket) ? changed : before ?? changed
  }
}
