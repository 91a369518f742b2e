import ComposableArchitecture
import Wire

extension HubCore {
  /// Applies the actions of one frame: the first one's sequence number, the highest whose outcome the client has
  /// learnt, then a CBOR sequence (RFC 8742) of actions.
  ///
  /// An action that was processed before is passed over, so a client may repeat what it is not sure of. One that
  /// this feature does not have is refused by its number, and the ones after it take effect. Bytes that are no
  /// CBOR, or a number beyond the next one, end the connection.
  mutating func handleActions(_ payload: RawSpan, from slot: Int, at now: Duration) throws(WireError) {
    var decoder = CBORDecoder(payload)
    var sequence = try decoder.unsigned()
    let acknowledged = try decoder.unsigned()
    guard acknowledged <= connections[slot].session.processed else {
      let reason = "the outcome of action \(acknowledged) is said to be learnt, and it has none yet"
      return fail(slot, PeerError(.sequenceGap, reason), at: now)
    }
    let forgotten = connections[slot].session.acknowledge(acknowledged)
    connections[slot].toldRejections = max(connections[slot].toldRejections - forgotten, 0)
    var processed = connections[slot].session.processed
    guard sequence > 0, sequence <= processed + 1 else {
      let reason = "action \(sequence) came where \(processed + 1) or an earlier one was due"
      return fail(slot, PeerError(.sequenceGap, reason), at: now)
    }
    defer {
      // Also when the connection is on its way out: the session may be resumed, and must know what took effect.
      connections[slot].session.processed = processed
      if connections[slot].phase == .live { owe(slot) }
    }
    while sequence <= processed, !decoder.isAtEnd {
      try decoder.skip()
      sequence += 1
    }
    while !decoder.isAtEnd {
      let outcome = applyActions(&reducing, payload, decoder.offset)
      processed += UInt64(outcome.count)
      guard let failure = outcome.failure else { return }
      decoder = CBORDecoder(payload, at: failure.offset)
      try decoder.skip()
      processed += 1
      guard reject(processed, failure.error, from: slot, at: now) else { return }
    }
  }

  /// Notes a refusal, or closes a connection that lets too many of them pile up.
  private mutating func reject(_ sequence: UInt64, _ error: WireError, from slot: Int, at now: Duration) -> Bool {
    let reason = "this hub has no such action: \(error.problem)"
    let rejected = Rejected(sequence: sequence, code: .unknownAction, reason: reason)
    commands.append(.report(.rejected(id(of: slot), connections[slot].session.id, rejected)))
    connections[slot].session.rejections.append(rejected)
    guard connections[slot].session.rejections.count <= limits.rejections else {
      let reason = "more than \(limits.rejections) refused actions without a sign that the refusals were read"
      fail(slot, PeerError(.tooManyRejections, reason), at: now)
      return false
    }
    return true
  }
}
