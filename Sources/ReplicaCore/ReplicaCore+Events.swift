public import Wire

extension ReplicaCore {
  /// Starts to connect.
  public mutating func start() {
    guard case .idle = link else { return }
    tryToConnect()
  }

  /// Records that the connection requested by `connect` is open.
  public mutating func connected(at now: Duration) {
    guard case .connecting = link else { return }
    link = .greeting(ByteStream(at: now))
    let name = options.name.prefix(utf8Count: Hello.nameLimit)
    let hello = Hello(
      session: session, acknowledged: acknowledgedAndStored, name: name, schema: fingerprint, history: history)
    commands.append(.write(output.frame(hello)))
  }

  /// Records that the connection, or the attempt to open one, has ended.
  public mutating func disconnected(reason: String, at now: Duration) {
    disconnected(reason: reason, lastHeard: now, at: now)
  }

  /// Records that the socket has accepted all queued output.
  public mutating func drained() {
    if case .open(let open) = link { open.isBusy = false }
  }

  /// Records that the shell could not write everything at once; it will call `drained`.
  public mutating func noteBusy() {
    if case .open(let open) = link { open.isBusy = true }
  }

  /// Handles the end of `deadline`: the time for the next attempt, for a probe, or for a missing answer. When the outbox
  /// is to be tried again, `endTurn` does so.
  public mutating func expire(at now: Duration) {
    guard let deadline = linkDeadline, deadline <= now else { return }
    switch link {
    case .idle, .connecting, .stopped: break
    case .down: tryToConnect()
    case .greeting, .comparing: timedOut(at: now)
    case .open(let open):
      switch open.liveness {
      case .quiet: break
      case .answer: timedOut(at: now)
      case .probe:
        writePing(on: open)
        open.liveness = .answer(until: now + options.timeout)
      }
    }
  }

  /// Adds an action, which is sent at the end of the turn or as soon as a hub is connected.
  ///
  /// - Parameters:
  ///   - context: An object of the shell's choice, which is returned with the outcome.
  ///   - encode: Writes the action: one item of the schema's action type.
  /// - Throws: `tooManyPending`, `tooLarge`, `outboxFull` or `notConnected`; the action is then discarded.
  /// - Complexity: O(bytes of the action), amortised; nothing is allocated for a single action.
  @discardableResult
  public mutating func send(
    context: AnyObject? = nil, encodedBy encode: (inout CBOREncoder) -> Void
  ) throws(ActionError) -> ActionTicket {
    switch connection {
    case .refused(let reason): throw .notConnected(reason: reason)
    case .closed: throw .notConnected(reason: "the client is closed")
    case .connecting, .live, .stale: break
    }
    guard pending.count < options.pendingActions else { throw .tooManyPending(limit: options.pendingActions) }
    guard pending.outbox == nil || pending.pendingByteCount < options.outboxBytes else {
      throw .outboxFull(limit: options.outboxBytes)
    }
    let limit = max(0, payloadLimit - PendingActions.headByteCount)
    let seenRevision = revisionSeen()
    return try pending.append(context: context, seen: seenRevision, limit: limit, encode)
  }

  /// Adds an action, which is sent at the end of the turn or as soon as a hub is connected.
  ///
  /// - Throws: `tooManyPending`, `tooLarge` or `notConnected`; the action is then discarded.
  @discardableResult
  @inlinable
  public mutating func send(
    _ action: some WireValue, context: AnyObject? = nil
  ) throws(ActionError) -> ActionTicket {
    try send(context: context) { action.encode(to: &$0) }
  }

  /// Cancels the effects of an action in the hub, once it is applied. Effects that other actions share go on for these.
  ///
  /// An action that is still pending takes effect nevertheless. If the connection is lost, the request is repeated in
  /// the resumed session, after the actions that are sent again; at most as many requests are kept as actions
  /// (`ReplicaOptions.pendingActions`). It has no effect on a hub of an earlier version, and on effects that have ended.
  ///
  /// - Returns: False, without an effect, if too many requests are kept.
  @discardableResult
  public mutating func cancelEffects(of ticket: ActionTicket) -> Bool {
    guard cancellations.count < options.pendingActions else { return false }
    cancellations.add(ticket)
    return true
  }

  /// Writes the cancellations of the turn, after its actions, and the ping that proves that the hub has read them.
  private mutating func writeCancellations(on open: OpenLink) {
    var sent: [ActionTicket] = []
    for ticket in cancellations.unsent where hubCancelsEffects {
      guard let sequence = pending.sequence(of: ticket) else { continue }
      commands.append(.write(output.frame(FrameHeader(kind: .cancel)) { $0.unsigned(sequence) }))
      sent.append(ticket)
    }
    if !sent.isEmpty { writePing(on: open) }
    cancellations.removeUnsent(sent: sent, before: open.pings)
  }

  /// Tells the hub, which leads its cluster, to pass the leadership on. Only for hubs with `HubMetrics.cluster`.
  ///
  /// - Parameter node: The node that shall lead; empty for the one that has the most of the log.
  package mutating func transferLeadership(to node: String) {
    guard case .open = link else { return }
    commands.append(.write(output.frame(Transfer(to: node))))
  }

  /// Writes a ping with the next number.
  mutating func writePing(on open: OpenLink) {
    open.pings += 1
    commands.append(.write(output.frame(Ping(number: open.pings))))
  }

  /// Ends the session permanently. Pending actions fail, and the mirrors keep their values.
  ///
  /// With an outbox, pending actions fail with `keptInOutbox`, and the session waits for the next process.
  public mutating func close() {
    guard connection != .closed else { return }
    if case .open(let open) = link {
      if !cancellations.unsent.isEmpty, !awaitsOutbox { writeCancellations(on: open) }
      if pending.outbox == nil || pending.count == 0 {
        commands.append(.write(output.frame(FrameHeader(kind: .leave)) { _ in }))
        forgetLeftSession()
      }
    }
    stop(.closed, reason: "the client is closed")
    subscriptions = []
  }

  /// Sends a ping, and returns the number that `lastPong` has after the answer; nil without a session.
  public mutating func ping(at now: Duration) -> UInt64? {
    guard case .open(let open) = link else { return nil }
    writePing(on: open)
    if case .answer = open.liveness {} else { open.liveness = .answer(until: now + options.timeout) }
    return open.pings
  }

  /// Pauses the pings of `ReplicaOptions.probeInterval`, for example while nobody is at a terminal, or resumes them.
  ///
  /// Without them an idle client does nothing at all. It still learns at once of a hub that ends, but not of one that
  /// hangs.
  public mutating func setProbing(_ isProbing: Bool, at now: Duration) {
    guard isProbing != self.isProbing else { return }
    self.isProbing = isProbing
    guard case .open(let open) = link else { return }
    if case .answer = open.liveness { return }
    renewDeadline(at: now)
  }

  /// Ends a turn: writes its actions in as few frames as the hub's limit allows. With an outbox, they are stored first.
  public mutating func endTurn(at now: Duration) {
    storeChanges(at: now)
    writeTurn(at: now)
    // An action may have failed because this hub does not have it.
    storeChanges(at: now)
  }

  private mutating func writeTurn(at now: Duration) {
    guard case .open(let open) = link, !open.isBusy, pending.unsentCount > 0 || !cancellations.unsent.isEmpty,
      !awaitsOutbox
    else { return }
    // The outbox must know first that others get the numbers of actions that fail here.
    if pending.prepareUnsent(limit: payloadLimit, mapping: open.translation?.action, &commands), awaitsOutbox { return }
    pending.writeUnsent(limit: payloadLimit, mayCancel: hubCancelsEffects, to: &output, &commands)
    if !cancellations.unsent.isEmpty { writeCancellations(on: open) }
    if case .answer = open.liveness { return }
    if pending.sentCount > 0 || open.pongs < open.pings { open.liveness = .answer(until: now + options.timeout) }
  }

  /// Handles received bytes.
  public mutating func received(_ bytes: RawSpan, at now: Duration) {
    guard let stream = link.stream else { return }
    stream.lastHeard = now
    do throws(WireError) {
      try stream.decoder.feed(bytes) { header, payload throws(WireError) in try receive(header, payload, at: now) }
    } catch {
      giveUp("the hub sent something malformed: \(error)", at: now)
    }
    renewDeadline(at: now)
  }

  /// Extends the time limit for answers after any sign of life; without pending answers there is no limit.
  private mutating func renewDeadline(at now: Duration) {
    guard case .open(let open) = link else { return }
    if pending.sentCount > 0 || open.pongs < open.pings || connection != .live {
      open.liveness = .answer(until: now + options.timeout)
    } else if let interval = options.probeInterval, isProbing {
      open.liveness = .probe(at: now + interval)
    } else {
      open.liveness = .quiet
    }
  }

  // MARK: Transitions

  mutating func become(_ state: ConnectionState) {
    guard connection != state else { return }
    connection = state
    commands.append(.connectionChanged)
  }

  private mutating func tryToConnect() {
    link = .connecting
    attempt += 1
    commands.append(.connect)
    switch connection {
    case .connecting(_, let failure): become(.connecting(attempt: attempt, failure: failure))
    case .stale(let since, _, let reason): become(.stale(since: since, attempt: attempt, reason: reason))
    case .live, .refused, .closed: break
    }
  }

  private mutating func timedOut(at now: Duration) {
    let lastHeard = link.stream?.lastHeard ?? now
    commands.append(.disconnect)
    disconnected(reason: "the hub has not answered for \(options.timeout)", lastHeard: lastHeard, at: now)
  }

  /// Closes the connection and schedules the next attempt.
  mutating func giveUp(_ reason: String, at now: Duration) {
    guard link.stream != nil else { return }
    commands.append(.disconnect)
    disconnected(reason: reason, at: now)
  }

  /// Replaces a connection that the hub has closed because of a request that is not repeated. `connection` stays as it
  /// is unless this fails.
  mutating func reconnect(at now: Duration) {
    commands.append(.disconnect)
    endConnection()
    link = .down(retryAt: now)
  }

  private mutating func disconnected(reason: String, lastHeard: Duration, at now: Duration) {
    switch link {
    case .idle, .down, .stopped: return
    case .connecting, .greeting, .comparing, .open: break
    }
    endConnection()
    // The rights may be different next time.
    ownStateRefusal = nil
    link = .down(retryAt: now + nextDelay())
    switch connection {
    case .live: become(.stale(since: lastHeard, attempt: attempt, reason: reason))
    case .stale(let since, _, _): become(.stale(since: since, attempt: attempt, reason: reason))
    case .connecting: become(.connecting(attempt: attempt, failure: reason))
    case .refused, .closed: break
    }
  }

  /// Ends all attempts to connect.
  mutating func stop(_ state: ConnectionState, reason: String) {
    switch link {
    case .connecting, .greeting, .comparing, .open: commands.append(.disconnect)
    case .idle, .down, .stopped: break
    }
    endConnection()
    link = .stopped
    become(state)
    endResumption()
    if pending.outbox == nil { pending.removeAll(.notConnected(reason: reason), &commands) } else { endOutbox() }
  }

  /// Returns the time before the next attempt. It doubles with each attempt up to a maximum, and is reduced by a random
  /// part of up to a half, so that the clients of a restarted hub do not all reconnect at once.
  private mutating func nextDelay() -> Duration {
    let doublings = min(max(attempt - 1, 0), 16)
    let delay = min(options.shortestDelay * (1 << doublings), options.longestDelay)
    return delay / 2 + delay / 2 * Double.random(in: 0...1, using: &random)
  }
}

extension String {
  /// Returns the longest prefix of whole characters with at most a number of bytes.
  fileprivate func prefix(utf8Count: Int) -> String {
    var prefix = self
    while prefix.utf8.count > utf8Count { prefix.removeLast() }
    return prefix
  }
}
