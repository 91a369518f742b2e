internal import ReplicaCore

/// The actions whose effects in the hub are held by what is shown.
@MainActor struct HeldEffects {
  private var holders: [ActionTicket: [@MainActor () -> Void]] = [:]
  /// The last action whose effects the hub has let go of; those of earlier ones too.
  private var released: ActionTicket?

  /// Calls a closure once when the hub has let go of an action's effects, or at once if it has.
  mutating func add(_ ticket: ActionTicket, _ body: @escaping @MainActor () -> Void) {
    if let released, ticket <= released { return body() }
    holders[ticket, default: []].append(body)
  }

  /// Removes an action whose effects were cancelled.
  mutating func remove(_ ticket: ActionTicket) { holders[ticket] = nil }

  /// Records that the hub has let go of the effects of an action and of all earlier ones. The closures run in the order
  /// of the actions.
  mutating func release(through ticket: ActionTicket) {
    released = ticket
    for ticket in holders.keys.filter({ $0 <= ticket }).sorted() {
      for body in holders.removeValue(forKey: ticket) ?? [] { body() }
    }
  }
}
