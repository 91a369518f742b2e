import Reducers
import Wire

extension HubCore {
  /// Ends a loop turn: every client that can be written to is brought up to date, each with one write.
  ///
  /// A client that acted gets the change in the same turn. When many others subscribe to what has changed, they get the
  /// changes of several turns at once (`HubLimits.coalescing`).
  ///
  /// - Parameters:
  ///   - now: A monotonic time.
  ///   - wallTime: The time for the log, in milliseconds since 1970; read only if there is something to log.
  ///   - flushing: Whether to send to every subscriber, whatever was sent before.
  /// - Returns: Whether there is anything for the shell to do.
  /// - Complexity: One encoding of what changed; O(1) for each subscriber of a place that changed and each session with
  ///   anything pending. A turn in which nothing happened costs nothing.
  @discardableResult
  public mutating func endTurn(
    at now: Duration, wallTime: @autoclosure () -> Int64 = 0, flushing: Bool = false
  ) -> Bool {
    if turns != nil { recordTurn(at: wallTime()) }
    if engine.hasEffectCommands { takeEffectCommands() }
    turn &+= 1
    if size.isCounting { size.goOn() }
    if metricsDue != nil || publishers[StateRoot.metrics.index].hasSubscribers { updateMetrics(at: now) }
    if limits.actionsPerSecond != nil { allowanceDue = backlogged.wake(at: now, limits) }
    let share = isContended ? 8 : 1
    outgoing.snapshotBudget = limits.snapshotBytesPerTurn / share
    outgoing.pieceLimit = SnapshotPiece.byteLimit / share
    if !unfinished.isEmpty {
      for connection in unfinished { addPending(connection) }
      unfinished.removeAll(keepingCapacity: true)
    }
    publish(at: now, flushing: flushing)
    if !pending.isEmpty {
      let revision = visibleRevision
      swap(&pending, &writing)
      for index in writing.indices {
        writing[index].isPending = false
        bringUpToDate(writing[index], at: revision, now)
      }
      writing.removeAll()
    }
    // The encoding concerned nobody.
    if commandList.isEmpty, outgoing.writer.count > 0 { clear() }
    return !commandList.isEmpty || deadline != nil || publicationDue != nil || allowanceDue != nil
      || metricsDue != nil
  }

  private var hasOutdatedPublisher: Bool {
    mutating get {
      for index in publishers.indices where publishers[index].isOutdated { return true }
      return false
    }
  }

  private mutating func takeEffectCommands() {
    let taken = engine.takeEffectCommands()
    // An effect may be seen from outside, so it waits for the log like everything that leaves.
    // After a failure of the log nothing leaves any more.
    if let turns, turns.hasFailed || turns.hold(taken) { return }
    appendEffectCommands(taken)
  }

  mutating func appendEffectCommands(_ taken: [EffectCommand<AnyAction>]) {
    for command in taken {
      commandList.append(.effect(effectCommands.count))
      effectCommands.append(command)
    }
  }

  /// Publishes what has changed, and decides which clients get it in this turn.
  private mutating func publish(at now: Duration, flushing: Bool) {
    // Counted from the first turn after the writes, which may take longer than the time between them.
    if let time = coalescingTime.take() { nextFanOut = now + time }
    publicationDue = nil
    guard !coalescing.isEmpty || hasOutdatedPublisher else { return }
    if now < nextFanOut, !flushing {
      publicationDue = nextFanOut
      // Unless a subscriber must be written to now, even the encoding is left to the next time.
      guard pending.indices.contains(where: { !pending[$0].scopes.isEmpty }) else { return }
      for index in publishers.indices {
        publish(index)
        for connection in publishers[index].due where !connection.isPending && !connection.isCoalescing {
          connection.isCoalescing = true
          coalescing.append(connection)
        }
      }
      return
    }
    var count = coalescing.count
    for index in publishers.indices {
      publish(index)
      for connection in publishers[index].due { addPending(connection) }
      count += publishers[index].due.count
    }
    for connection in coalescing {
      connection.isCoalescing = false
      addPending(connection)
    }
    if !coalescing.isEmpty { coalescing.removeAll(keepingCapacity: true) }
    if count >= limits.coalescingThreshold {
      coalescingTime = min(limits.coalescing * count, limits.longestCoalescing)
    }
  }

  private mutating func publish(_ index: Int) {
    let delta = publishers[index].publish(&outgoing)
    guard let delta, index == StateRoot.feature.index else { return }
    size.note(deltaByteCount: delta.byteCount, from: delta.base, to: delta.version, at: engine.revision)
  }

  /// Writes what one connection has pending: state first, so that an acknowledgement never precedes its effect.
  private mutating func bringUpToDate(_ connection: LiveConnection, at revision: UInt64, _ now: Duration) {
    guard !connection.isBusy, connection.isOpen, !connection.hasHeldWelcome else { return }
    outgoing.begin()
    var isUpToDate = true
    for scope in connection.scopes {
      publishers[scope.publisher].bringUpToDate(scope.subscriber, &outgoing)
      if publishers[scope.publisher].isUnfinished(scope.subscriber) { isUpToDate = false }
    }
    writeFrames(to: connection, isUpToDate: isUpToDate, at: revision)
    let run = outgoing.run
    if !run.isEmpty { commandList.append(.write(connection.id, pieces: run)) }
    if !isUpToDate {
      unfinished.append(connection)
    } else if connection.hasInputEnded, connection.backlog == nil, !hasUnsettledOutcomes(connection) {
      close(connection.id, at: now)
    }
  }

  /// Writes what a connection has pending besides state; often nothing.
  ///
  /// Acknowledgements and rejections wait until the state that they follow from has been written whole.
  private mutating func writeFrames(
    to connection: LiveConnection, isUpToDate: Bool, at revision: UInt64
  ) {
    let start = outgoing.writer.count
    if isUpToDate {
      let settled = settledSequence(of: connection)
      let rejectionCount = connection.session.rejections.prefixCount(upTo: settled)
      if rejectionCount > connection.sentRejections {
        for rejected in connection.session.rejections[connection.sentRejections..<rejectionCount] {
          outgoing.writer.frame(rejected, revision: revision)
        }
        connection.sentRejections = rejectionCount
      }
      if settled > connection.sentProcessed {
        outgoing.writer.frame(FrameHeader(kind: .applied, revision: revision), number: settled)
        connection.sentProcessed = settled
      }
    }
    if connection.hasReplies { writeReplies(to: connection) }
    outgoing.add(start..<outgoing.writer.count)
  }

  /// The highest sequence number whose outcome may be sent.
  private func settledSequence(of connection: LiveConnection) -> UInt64 {
    isHolding ? connection.session.settled : connection.session.processed
  }

  /// Whether outcomes of a connection's actions wait for the log.
  func hasUnsettledOutcomes(_ connection: LiveConnection) -> Bool {
    isHolding && connection.session.settled < connection.session.processed
  }

  private mutating func writeReplies(to connection: LiveConnection) {
    if let number = connection.pong.take() { outgoing.writer.frame(Pong(number: number), revision: visibleRevision) }
    for scope in connection.detached {
      outgoing.writer.frame(FrameHeader(kind: .detached, scope: scope)) { _ in }
    }
    connection.detached.removeAll(keepingCapacity: true)
    for index in connection.requestedSchemas {
      outgoing.writer.frame(FrameHeader(kind: .schema, scope: UInt16(index))) { schemas[index].encode(to: &$0) }
    }
    connection.requestedSchemas.removeAll(keepingCapacity: true)
    connection.hasReplies = false
  }
}
