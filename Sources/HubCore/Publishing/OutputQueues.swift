/// The connections with something to write, in the order in which they are served.
///
/// A connection is in the list of its `OutputStanding` and in no other; only this type changes both. Those that are
/// `paused` are listed with their user's account (`OutputPause`).
struct OutputQueues: ~Copyable {
  /// The connections to write to at the end of the turn.
  private var pending = TurnList<LiveConnection>()
  /// The connections that are being written to; between turns only the memory of the list is kept.
  private var writing = TurnList<LiveConnection>()
  /// The connections that wait for the next publication to everyone, in any order.
  private var coalescing: [LiveConnection] = []
  private var unfinished: [LiveConnection] = []
  private var awaitingHashes: [LiveConnection] = []
  /// The number of connections whose output was held back in the last turn.
  private(set) var heldBackCount = 0

  /// True if a connection is written to at the end of the turn.
  var hasPending: Bool { !pending.isEmpty }

  /// True if a connection with scopes is written to at the end of the turn.
  var hasPendingScopes: Bool { pending.indices.contains { !pending[$0].scopes.isEmpty } }

  /// The number of connections that wait for the next publication to everyone.
  var coalescingCount: Int { coalescing.count }

  /// True if a snapshot, or other output that did not fit a turn's budget, is to be continued.
  var hasUnfinished: Bool { !unfinished.isEmpty }

  /// True if such output can be continued now.
  var canContinue: Bool { unfinished.contains { !$0.isBusy } }

  /// True if a hash is to be continued.
  var hasAwaitingHashes: Bool { !awaitingHashes.isEmpty }

  // MARK: Welcomes

  /// Leaves a new connection until the log has stored its session.
  func holdWelcome(_ welcome: HeldWelcome, of connection: LiveConnection) {
    connection.standing.receive(.welcomeHeld(welcome))
  }

  /// Returns the welcome that is to be written now that the log has stored the session; nil if none was held.
  func releaseWelcome(of connection: LiveConnection) -> HeldWelcome? {
    guard case .welcomeHeld(let welcome) = connection.standing else { return nil }
    connection.standing.receive(.welcomeStored)
    return welcome
  }

  // MARK: Waiting

  /// Records that there is something to write to a connection.
  mutating func wake(_ connection: LiveConnection) {
    if case .coalescing(let index) = connection.standing { removeCoalescing(at: index) }
    if connection.standing.receive(.woken) { pending.append(connection) }
  }

  /// Records that there are changes for a connection that may wait for the next publication to everyone.
  mutating func delay(_ connection: LiveConnection) {
    if connection.standing.receive(.delayed(index: coalescing.count)) { coalescing.append(connection) }
  }

  /// Wakes the connections that wait for a publication to everyone.
  mutating func wakeCoalescing() {
    guard !coalescing.isEmpty else { return }
    for connection in coalescing where connection.standing.receive(.woken) { pending.append(connection) }
    coalescing.removeAll(keepingCapacity: true)
  }

  /// Wakes the connections of a user whose pause is over.
  mutating func resume(_ paused: [LiveConnection]) {
    for connection in paused where connection.standing.receive(.resumed) { pending.append(connection) }
  }

  /// Wakes the connections that wait for a hash.
  mutating func resumeHashes() {
    guard !awaitingHashes.isEmpty else { return }
    resume(awaitingHashes)
    awaitingHashes.removeAll(keepingCapacity: true)
  }

  /// Puts the connections whose output is unfinished before all others, and those that got a part of the last budget
  /// behind the rest of them: the first one may take the whole budget of a turn.
  ///
  /// - Parameter goesLast: Returns true for a connection that goes behind all others.
  mutating func resumeUnfinished(_ goesLast: (LiveConnection) -> Bool) {
    swap(&pending, &writing)
    let unserved = unfinished.filter { $0.standing == .unfinished(wasServed: false) }
    let queue = unserved + unfinished.filter { $0.standing == .unfinished(wasServed: true) }
    resume(queue.filter { !goesLast($0) })
    while let connection = writing.takeNext() { pending.append(connection) }
    resume(queue.filter(goesLast))
    unfinished.removeAll(keepingCapacity: true)
  }

  /// Removes a connection that is closing or has ended.
  mutating func close(_ connection: LiveConnection) {
    switch connection.standing {
    case .welcomeHeld, .idle, .closed: break
    case .coalescing(let index): removeCoalescing(at: index)
    case .pending: pending.removeAll { $0 === connection }
    case .paused: connection.account.output.waiting.removeAll { $0 === connection }
    case .unfinished: unfinished.removeAll { $0 === connection }
    case .awaitingHash: awaitingHashes.removeAll { $0 === connection }
    }
    connection.standing.receive(.closed)
  }

  /// Removes a connection from `coalescing` in O(1); the last one takes its place.
  private mutating func removeCoalescing(at index: Int) {
    let last = coalescing.removeLast()
    guard index < coalescing.count else { return }
    coalescing[index] = last
    last.standing.receive(.moved(index: index))
  }

  // MARK: Writing

  /// Begins the writing of all pending output. `takeNext` returns each connection, and connections that are held back
  /// or woken meanwhile are pending for the next turn.
  mutating func beginWriting() { swap(&pending, &writing) }

  /// Returns the next pending connection of this turn; nil when none remains. Then call one of `take`, `holdBack` and
  /// `pause`.
  mutating func takeNext() -> LiveConnection? { writing.takeNext() }

  /// Begins to write to a connection.
  func take(_ connection: LiveConnection) { connection.standing.receive(.taken) }

  /// Leaves a connection pending for the next turn.
  mutating func holdBack(_ connection: LiveConnection) { pending.append(connection) }

  /// Leaves a connection until sockets have accepted earlier output of its user.
  func pause(_ connection: LiveConnection) {
    if connection.standing.receive(.paused) { connection.account.output.waiting.append(connection) }
  }

  /// Ends the writing of a turn.
  mutating func endWriting() { heldBackCount = pending.count }

  /// Records that output of a connection did not fit the turn's budget.
  ///
  /// - Parameter wasServed: True if it got a part of the budget.
  mutating func leaveUnfinished(_ connection: LiveConnection, wasServed: Bool) {
    if connection.standing.receive(.leftUnfinished(wasServed: wasServed)) { unfinished.append(connection) }
  }

  /// Records that a hash for a connection did not fit the turn's budget.
  mutating func leaveWithoutHash(_ connection: LiveConnection) {
    if connection.standing.receive(.leftWithoutHash) { awaitingHashes.append(connection) }
  }
}
