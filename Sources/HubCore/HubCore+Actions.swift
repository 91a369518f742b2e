import Wire

extension HubCore {
  /// Applies the actions of one frame: the first one's sequence number, the last acknowledged sequence number, then a
  /// CBOR sequence (RFC 8742) of actions.
  ///
  /// An action that was processed before is skipped, so a client may repeat what it is not sure of. One that the feature
  /// does not have is rejected by its number, and those after it take effect. Bytes that are no CBOR, or a number beyond
  /// the next one, end the connection.
  ///
  /// - Parameters:
  ///   - payload: The frame's payload.
  ///   - resumption: Where to go on, if the frame was begun in an earlier turn.
  ///   - connection: The sender.
  ///   - now: A monotonic time.
  ///   - limit: How many actions to handle at most.
  /// - Returns: Where to go on in a later turn; nil when all actions are processed.
  mutating func handleActions(
    _ payload: RawSpan, resumingAt resumption: Int?, from connection: LiveConnection, at now: Duration,
    _ limit: inout Int
  ) throws(WireError) -> Int? {
    let first = resumption == nil ? try firstNewAction(of: payload, from: connection, at: now) : resumption
    guard var offset = first else { return nil }
    // Also when the connection is on its way out: the session may be resumed, and must know what took effect.
    addPending(connection)
    while true {
      let outcome = engine.apply(payload, from: offset, limit: limit)
      if let turns { turns.record.note(outcome, of: payload, from: offset, by: connection) }
      connection.session.processed += UInt64(outcome.count)
      limit -= outcome.count
      switch outcome.end {
      case .complete: return nil
      case .limit(let next): return next
      case .failure(let error, let start):
        var decoder = CBORDecoder(payload, at: start)
        try decoder.skip()
        offset = decoder.offset
        connection.session.processed += 1
        if limit > 0 { limit -= 1 }
        guard reject(error, from: connection, at: now) else { return nil }
      }
    }
  }

  /// Checks the numbers of a frame of actions, and finds the first action that was not processed before.
  /// - Returns: Its offset, or the end of the payload; nil when the numbers have ended the connection.
  private mutating func firstNewAction(
    of payload: RawSpan, from connection: LiveConnection, at now: Duration
  ) throws(WireError) -> Int? {
    var decoder = CBORDecoder(payload)
    var sequence = try decoder.unsigned()
    let acknowledged = try decoder.unsigned()
    let processed = connection.session.processed
    guard acknowledged <= processed else {
      let reason = "the client acknowledges action \(acknowledged), which has no outcome yet"
      fail(connection.id, PeerError(.sequenceGap, reason), at: now)
      return nil
    }
    if !connection.session.rejections.isEmpty { connection.acknowledge(acknowledged) }
    guard sequence > 0, sequence <= processed + 1 else {
      let reason = "action \(sequence) came where \(processed + 1) or an earlier one was expected"
      fail(connection.id, PeerError(.sequenceGap, reason), at: now)
      return nil
    }
    while sequence <= processed, !decoder.isAtEnd {
      try decoder.skip()
      sequence += 1
    }
    return decoder.offset
  }

  /// Notes a rejection; false if too many are pending, which closes the connection.
  private mutating func reject(_ error: WireError, from connection: LiveConnection, at now: Duration) -> Bool {
    let reason = "this hub has no such action: \(error.problem)"
    let rejected = Rejected(sequence: connection.session.processed, code: .unknownAction, reason: reason)
    report(.rejected(connection.id, connection.session.id, connection.peer, rejected))
    connection.session.rejections.append(rejected)
    noteSession(of: connection)
    guard connection.session.rejections.count <= limits.rejections else {
      let reason = "more than \(limits.rejections) rejected actions without an acknowledgement of the rejections"
      fail(connection.id, PeerError(.tooManyRejections, reason), at: now)
      return false
    }
    return true
  }
}
