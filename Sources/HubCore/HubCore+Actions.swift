import FeatureCore
import Wire

extension HubCore {
  /// Applies the actions of one frame: the first one's sequence number, the last acknowledged sequence number, then a
  /// CBOR sequence (RFC 8742) of actions.
  ///
  /// An action that was processed before is skipped, so a client may repeat actions of unknown outcome; 256 bytes of
  /// such actions count as one action. An action that the feature does not have is rejected by its number, and the
  /// following ones take effect. Bytes that are not CBOR, or a gap in the sequence numbers, end the connection.
  ///
  /// - Parameters:
  ///   - header: The frame's header.
  ///   - payload: The frame's payload.
  ///   - resumption: The place at which to continue, if an earlier turn handled a part of the frame.
  ///   - connection: The sender.
  ///   - now: A monotonic time.
  ///   - limit: The maximum number of actions to handle.
  /// - Returns: The place at which to continue in a later turn, or nil when all actions are processed.
  mutating func handleActions(
    _ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: FrameResumption?,
    from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) throws(WireError) -> FrameResumption? {
    let first = resumption == nil ? try firstAction(of: payload, from: connection, at: now) : resumption
    guard var place = first else { return nil }
    if place.repeatedCount > 0 {
      try skipRepeated(in: payload, &place, &limit)
      if place.repeatedCount > 0, place.offset < payload.byteCount { return place }
    }
    var offset = place.offset
    // Also when the connection is closing: its session may be resumed, and must record the actions that took effect.
    outputs.wake(connection)
    let outer = surroundings.begin(actionsOf: connection)
    defer { surroundings.end(outer) }
    var sender = SendingClient(session: connection.session.id.low, seenRevision: header.seenRevision)
    while true {
      if header.mayCancel { sender.firstNumber = connection.session.processed &+ 1 }
      var permitted = limit
      if let mark, mark.interruptions.concernsClients, limit > 0, offset < payload.byteCount {
        permitted = min(limit, trustedCount(of: connection, mark))
        if permitted == 0 {
          if isFollowing { return try passOn(payload, header, from: connection, at: now, &limit) }
          guard let next = try rejectCrashing(in: payload, offset, from: connection, at: now, &limit) else {
            return nil
          }
          offset = next
          continue
        }
      }
      if !connection.actsOnEverything, limit > 0, offset < payload.byteCount {
        if isFollowing { return try passOn(payload, header, from: connection, at: now, &limit) }
        permitted = connection.rights.permittedCount(in: payload, from: offset, limit: permitted)
        if permitted == 0 {
          guard let next = try rejectForbidden(in: payload, offset, from: connection, at: now, &limit) else {
            return nil
          }
          offset = next
          continue
        }
      }
      let outcome: ActionBatch.Outcome
      let isLate: Bool
      let isNearLimit = size.isNear(adding: payload.byteCount - offset)
      let examined = mark == nil ? nil : examinedVersion
      mark?.begin(connection.session.id, first: connection.session.processed &+ 1)
      if isNearLimit || checksEach, permitted > 0, offset < payload.byteCount {
        let checked = applyChecked(payload, from: offset, of: sender, isNearLimit: isNearLimit)
        if let examined { examine(since: examined) }
        mark?.end()
        switch checked {
        case .applied(let applied): (outcome, isLate) = (applied, engine.isLate?() ?? false)
        case .takenBack(let objection):
          let (code, reason) = objection.rejection
          offset = try end(ofItemAt: offset, in: payload)
          guard reject(code, reason, from: connection, at: now, &limit) else { return nil }
          if engine.isLate?() ?? false { return FrameResumption(offset: offset) }
          continue
        }
        if !isNearLimit { noteApplied(outcome.count, byteCount: outcome.endOffset(in: payload) - offset) }
      } else {
        permitted = min(permitted, size.actionsToCheck)
        outcome = applyBatch(payload, offset, permitted, sender)
        if let examined { examine(since: examined) }
        mark?.end()
        isLate = outcome.count < permitted
        noteApplied(outcome.count, byteCount: outcome.endOffset(in: payload) - offset)
      }
      if let turns { turns.record.note(outcome, of: payload, from: offset, by: connection) }
      if header.mayCancel, engine.hasEffectCommands {
        for effects in engine.takeNumberedEffects() where !clientEffects.add(effects, of: connection.session.id) {
          performOrPostpone(.release(cascade: effects.cascade))
        }
      }
      connection.session.processed += UInt64(outcome.count)
      limit -= outcome.count
      switch outcome.end {
      case .complete: return nil
      case .limit(let next):
        guard limit > 0, !isLate else { return FrameResumption(offset: next) }
        // The user may not send the next action, or the state's size is checked between the actions.
        offset = next
      case .refused(let start):
        offset = try end(ofItemAt: start, in: payload)
        guard let refusal = engine.takeRefusal() else { preconditionFailure("a refused action has a refusal") }
        let (code, reason) = Objection.refused(refusal).rejection
        guard reject(code, reason, from: connection, at: now, &limit) else { return nil }
      case .failure(let start):
        offset = try end(ofItemAt: start, in: payload)
        guard let error = engine.takeFailure() else { preconditionFailure("an item that is no action has an error") }
        guard reject(.unknownAction, Self.reason(error), from: connection, at: now, &limit) else { return nil }
      }
    }
  }

  /// Passes a frame on to the hub that leads.
  @inline(never)
  private mutating func passOn(
    _ payload: RawSpan, _ header: FrameHeader, from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) throws(WireError) -> FrameResumption? {
    try forward(payload, header, from: connection, at: now)
    limit -= 1
    return nil
  }

  /// Why an item is no action of this hub, for users.
  private static func reason(_ error: WireError) -> String {
    switch error.problem {
    case .unknownCase, .unknownName, .unknownField: "this hub has no such action: \(error.problem)"
    // The action may be there, and one of its values is not what the user has meant.
    default: "this hub cannot read the action: \(error.problem)"
    }
  }

  private func end(ofItemAt offset: Int, in payload: RawSpan) throws(WireError) -> Int {
    var decoder = CBORDecoder(payload, at: offset)
    try decoder.skipAction()
    return decoder.offset
  }

  /// Checks the sequence numbers of a frame of actions.
  /// - Returns: The place of its first action, with the number of actions that were processed before; nil if the numbers
  ///   have ended the connection.
  private mutating func firstAction(
    of payload: RawSpan, from connection: LiveConnection, at now: Duration
  ) throws(WireError) -> FrameResumption? {
    var decoder = CBORDecoder(payload)
    let sequence = try decoder.unsigned()
    let acknowledged = try decoder.unsigned()
    let processed = connection.session.processed
    guard acknowledged <= processed else {
      let reason = "the client acknowledges action \(acknowledged), which has no outcome yet"
      fail(connection.id, PeerError(.sequenceGap, reason), at: now)
      return nil
    }
    if !connection.session.rejections.isEmpty { connection.acknowledge(acknowledged) }
    guard sequence > 0, sequence <= processed + 1 else {
      // Those in between were passed on and have no outcome yet.
      if isFollowing, sequence > 0, sequence <= connection.forwarded + 1 {
        return FrameResumption(offset: decoder.offset, repeatedCount: 0)
      }
      // This hub does not lead any more, and its clients' hub sends them to the one that does; or some were dropped on the
      // way from a relay, which sends all of them again.
      if connection.isRemote { return nil }
      let reason = "action \(sequence) came where \(processed + 1) or an earlier one was expected"
      fail(connection.id, PeerError(.sequenceGap, reason), at: now)
      return nil
    }
    return FrameResumption(offset: decoder.offset, repeatedCount: processed + 1 - sequence)
  }

  /// The number of bytes of repeated actions that count as one action. Skipping costs up to 2.5 ns for each byte.
  private static var repeatedBytesPerAction: Int { 256 }

  /// Skips actions that were processed before, as many as the limit allows: a frame may contain hundreds of thousands.
  @inline(never)
  private func skipRepeated(
    in payload: RawSpan, _ place: inout FrameResumption, _ limit: inout Int
  ) throws(WireError) {
    let unit = Self.repeatedBytesPerAction
    // Fewer bytes than a unit cost nothing, so that a frame with a few repeated actions is not divided.
    let end = limit < payload.byteCount ? place.offset + (limit + 1) * unit : .max
    var decoder = CBORDecoder(payload, at: place.offset)
    while place.repeatedCount > 0, !decoder.isAtEnd, decoder.offset < end {
      try decoder.skipAction()
      place.repeatedCount -= 1
    }
    limit -= min((decoder.offset - place.offset) / unit, limit)
    place.offset = decoder.offset
  }

  /// Rejects an action that the user may not send. Returns the offset of the next one; nil if this closes the connection.
  @inline(never)
  private mutating func rejectForbidden(
    in payload: RawSpan, _ offset: Int, from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) throws(WireError) -> Int? {
    let next = try end(ofItemAt: offset, in: payload)
    let name = name(ofActionIn: payload.extracting(offset..<next)) ?? "this action"
    let reason = "user \(connection.peer.uid) may not send \(name); the hub's operator can grant it"
    return reject(.notPermitted, reason, from: connection, at: now, &limit) ? next : nil
  }

  /// Rejects an action at which two processes of the hub have ended. Returns the offset of the next one; nil if this
  /// closes the connection.
  @inline(never)
  private mutating func rejectCrashing(
    in payload: RawSpan, _ offset: Int, from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) throws(WireError) -> Int? {
    let next = try end(ofItemAt: offset, in: payload)
    let name = name(ofActionIn: payload.extracting(offset..<next)) ?? "this action"
    let reason = """
      the hub's process ended twice while it handled \(name), so it is not tried again; the hub's log says why, and the \
      feature needs a correction
      """
    return reject(.actionCrashes, reason, from: connection, at: now, &limit) ? next : nil
  }

  /// Rejects the next action. Returns false if too many rejections are pending, which closes the connection.
  private mutating func reject(
    _ code: RejectionCode, _ reason: String, from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) -> Bool {
    connection.session.processed += 1
    if limit > 0 { limit -= 1 }
    let rejected = Rejected(sequence: connection.session.processed, code: code, reason: reason)
    report(.rejected(connection.id, connection.session.id, connection.peer, rejected))
    connection.session.rejections.append(rejected, inTurn: turnPosition)
    noteSession(of: connection)
    guard connection.session.rejections.count <= limits.rejections else {
      let reason = "more than \(limits.rejections) rejected actions without an acknowledgement of the rejections"
      fail(connection.id, PeerError(.tooManyRejections, reason), at: now)
      return false
    }
    return true
  }
}
