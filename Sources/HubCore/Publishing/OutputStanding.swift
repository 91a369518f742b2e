/// What keeps the hub from having written everything to a connection.
///
/// Exactly one case holds at any time. `OutputQueues` keeps the list of the connections in each case that has one.
///
/// ```
///                 welcomeStored          woken            taken
///    welcomeHeld ──────────────▶ idle ──────────▶ pending ─────▶ idle: written, or the socket is full
///                                 │ ▲              │   ▲
///                         delayed │ │ taken  paused│   │woken, resumed
///                                 ▼ │              ▼   │
///                          coalescing            paused, unfinished, awaitingHash
/// ```
///
/// Whether the socket is full is another matter: output may become due in every case while it is, and is written when
/// it has been drained.
enum OutputStanding: Equatable {
  /// A welcome waits until the log has stored the session. Nothing is written before it.
  case welcomeHeld(HeldWelcome)
  /// Nothing is due; or the socket was full when it was, and `drained` makes it due again.
  case idle
  /// Changes wait for the next publication to everyone. The connection has this index among those that wait.
  case coalescing(index: Int)
  /// The connection is written to at the end of the turn, unless that turn holds it back.
  case pending
  /// It is written to after sockets have accepted earlier output of its user.
  case paused
  /// Its snapshot, or its many scopes, did not fit the last turn's budget, of which it got a part or none.
  case unfinished(wasServed: Bool)
  /// A hash that it waits for takes more turns.
  case awaitingHash
  /// The connection is closing or has ended.
  case closed

  /// An event that may change what is due to a connection.
  enum Event: Equatable {
    /// The log must store the session before its welcome is written.
    case welcomeHeld(HeldWelcome)
    /// The log has stored the session, and the welcome was written.
    case welcomeStored
    /// There is something to write.
    case woken
    /// There is something to write that may wait for the next publication to everyone, at this index.
    case delayed(index: Int)
    /// The connection has another index among those that wait for a publication.
    case moved(index: Int)
    /// The connection is written to now.
    case taken
    /// It is not written to because of its user's earlier output.
    case paused
    /// The turn has budget for what waited.
    case resumed
    /// A snapshot, or another scope, did not fit the turn's budget.
    case leftUnfinished(wasServed: Bool)
    /// A hash did not fit the turn's budget.
    case leftWithoutHash
    /// The connection is closing or has ended.
    case closed
  }

  /// The standing after an event; nil for an event that cannot occur in this standing.
  @inline(__always)
  func after(_ event: Event) -> OutputStanding? {
    switch (event, self) {
    case (_, .closed), (.closed, _): .closed

    case (.welcomeHeld(let welcome), .idle): .welcomeHeld(welcome)
    case (.welcomeStored, .welcomeHeld): .idle

    case (.woken, .idle), (.woken, .coalescing): .pending
    // It will be written to anyway, and completely.
    case (.woken, .welcomeHeld), (.woken, .pending), (.woken, .paused), (.woken, .unfinished), (.woken, .awaitingHash):
      self

    case (.delayed(let index), .idle): .coalescing(index: index)
    case (.delayed, .welcomeHeld), (.delayed, .coalescing), (.delayed, .pending), (.delayed, .paused),
      (.delayed, .unfinished), (.delayed, .awaitingHash):
      self
    case (.moved(let index), .coalescing): .coalescing(index: index)

    case (.taken, .pending): .idle
    case (.paused, .pending): .paused
    case (.resumed, .paused), (.resumed, .unfinished), (.resumed, .awaitingHash): .pending

    case (.leftUnfinished(let wasServed), .idle): .unfinished(wasServed: wasServed)
    case (.leftWithoutHash, .idle): .awaitingHash

    case (.welcomeHeld, _), (.welcomeStored, _), (.moved, _), (.taken, _), (.paused, _), (.resumed, _),
      (.leftUnfinished, _), (.leftWithoutHash, _):
      nil
    }
  }

  /// Changes the standing. Returns true if it is another one now.
  ///
  /// - Precondition: The event can occur in this standing.
  @discardableResult @inline(__always)
  mutating func receive(_ event: Event) -> Bool {
    guard let next = after(event) else { preconditionFailure("a connection that is \(self) cannot be \(event)") }
    guard next != self else { return false }
    self = next
    return true
  }
}

/// The parts of a held welcome that are those of the moment at which the session was opened.
struct HeldWelcome: Equatable {
  let version: UInt64
  let isResumed: Bool
  /// The number of the session's actions that were processed before.
  let processed: UInt64
}
