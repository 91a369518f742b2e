internal import Wire

/// A connection that sends actions, in one session or several.
///
/// Actions are counted from 0 over all sessions: `answered` ≤ `issued` ≤ the number that arrived. As in `Channel`,
/// exclusivity is not checked at run time.
final class Sender {
  let number: Int
  let token: Int
  let channel = Channel()
  private let source: ActionSource
  private let flight: Int
  private let isOpenLoop: Bool
  /// The times at which the unacknowledged actions were, or should have been, sent.
  @exclusivity(unchecked) private var times = RunQueue()
  @exclusivity(unchecked) private(set) var issued = 0
  @exclusivity(unchecked) private(set) var answered = 0
  /// The number of the first action of the session.
  @exclusivity(unchecked) private var sessionBase = 0
  private var session: SessionID?
  private var history: UInt64?
  @exclusivity(unchecked) private(set) var isOpen = false
  /// True if the session is left as soon as nothing is unacknowledged.
  @exclusivity(unchecked) private(set) var isBeingReplaced = false
  /// The time of the next attempt to connect; nil while there is a connection.
  @exclusivity(unchecked) private(set) var retryTime: UInt64? = 0
  private var connectTime: UInt64 = 0
  /// The number of actions to send; nil for no limit.
  @exclusivity(unchecked) private var limit: Int?
  /// The number of actions that a closed loop measures, and the time from which it does.
  @exclusivity(unchecked) private var measured: (count: Int, start: UInt64)?
  /// The numbers of the rejected actions.
  private(set) var refused: Set<Int> = []
  /// The maximum size of a frame.
  private static let frameLimit = 256 << 10

  init(number: Int, token: Int, source: ActionSource, plan: Plan) {
    (self.number, self.token, self.source) = (number, token, source)
    (flight, isOpenLoop) = (plan.flight, plan.isOpenLoop)
    limit = source.limit(of: number)
  }

  /// True if every action that arrived was acknowledged.
  var isDrained: Bool { times.count == 0 && retryTime == nil && isOpen }
  /// True if all actions up to the limit were acknowledged.
  var isDone: Bool { limit.map { answered >= $0 } ?? false }

  // MARK: Connecting

  /// Tries to connect; returns false if the hub's queue is full.
  func connect(_ path: String, at now: UInt64) throws(LoadError) -> Bool {
    connectTime = connectTime == 0 ? now : connectTime
    guard try channel.open(path) else {
      retryTime = now + 1_000_000
      return false
    }
    retryTime = nil
    channel.output.frame(
      Hello(
        session: session, acknowledged: UInt64(session == nil ? 0 : answered - sessionBase), name: "storeload",
        history: history))
    return true
  }

  /// Closes the connection; the session is resumed on the next one, after a pause in nanoseconds.
  func cut(at now: UInt64, pause: UInt64 = 0) {
    channel.close()
    (isOpen, retryTime, connectTime) = (false, now + pause, connectTime == 0 ? now : connectTime)
  }

  /// Requests another session in place of this one.
  func replace() { isBeingReplaced = true }

  /// Leaves the session if it is to be replaced and nothing is unacknowledged; returns true in this case.
  func leaveIfReplaced(at now: UInt64) -> Bool {
    guard isBeingReplaced, isOpen, issued == answered else { return false }
    leave()
    cut(at: now)
    (session, history, isBeingReplaced) = (nil, nil, false)
    return true
  }

  /// Ends the session.
  func leave() {
    guard isOpen else { return }
    channel.output.frame(FrameHeader(kind: .leave)) { _ in }
    _ = channel.flush()
  }

  // MARK: Sending

  /// Limits a closed loop to a number of actions from a time on.
  func measure(_ count: Int, from start: UInt64) { measured = (count, start) }

  /// Adds an action that is scheduled at a time, for an open loop; returns false if no action is left.
  func arrive(at time: UInt64) -> Bool {
    guard limit.map({ answered + times.count < $0 }) ?? true else { return false }
    times.append(time, 1)
    return true
  }

  /// Sends as many actions as may be in flight; returns false if the peer has closed.
  ///
  /// - Parameter sendsNew: True if a closed loop continues.
  func send(at now: UInt64, sendsNew: Bool, _ figures: inout ThreadFigures) -> Bool {
    guard isOpen else { return true }
    if let (count, start) = measured, now >= start {
      // All actions so far have earlier times.
      limit = min(limit ?? .max, answered + times.count + count)
      measured = nil
    }
    while !channel.isBlocked {
      let known = answered + times.count
      var end = isOpenLoop || !sendsNew ? min(known, answered + flight) : answered + flight
      if let limit { end = min(end, limit) }
      if isBeingReplaced { end = min(end, issued) }
      guard issued < end else { return channel.output.count == 0 || channel.flush() }
      var count = 0
      let range = issued..<end
      channel.output.frame(FrameHeader(kind: .actions)) { encoder in
        encoder.unsigned(UInt64(range.lowerBound - sessionBase + 1))
        encoder.unsigned(UInt64(answered - sessionBase))
        count = source.encode(range, of: number, limit: Self.frameLimit, to: &encoder)
      }
      issued += count
      if issued > known {
        times.append(now, issued - known)
        figures.totals.sent += issued - known
      }
      if !channel.flush() { return false }
    }
    return true
  }

  // MARK: Receiving

  /// The result of reading.
  enum Outcome {
    case fine, ended
  }

  /// Reads frames.
  func receive(
    _ buffer: UnsafeMutableRawBufferPointer, at now: UInt64, measureStart: UInt64, recordsRevisions: RevisionFilter?,
    _ figures: inout ThreadFigures
  ) throws(LoadError) -> Outcome {
    var failure: LoadError?
    let isAlive: Bool
    do throws(WireError) {
      isAlive = try channel.receive(buffer) { header, payload throws(WireError) in
        switch FrameKind(rawValue: header.kind) {
        case .applied:
          let through = sessionBase + Int(clamping: try UInt64(decoding: payload))
          acknowledge(through, header.revision, now, measureStart, recordsRevisions, &figures)
        case .welcome:
          failure = try welcome(payload, now, measureStart, &figures)
        case .rejected: try refused(payload, &figures)
        case .error: failure = LoadError(try PeerError(decoding: payload))
        case .goodbye: failure = LoadError(try Goodbye(decoding: payload))
        default: break
        }
      }
    } catch {
      throw failure ?? .malformed("\(error)")
    }
    if let failure { throw failure }
    return isAlive ? .fine : .ended
  }

  private func refused(_ payload: RawSpan, _ figures: inout ThreadFigures) throws(WireError) {
    let refusal = try Rejected(decoding: payload)
    guard refused.insert(sessionBase + Int(clamping: refusal.sequence) - 1).inserted else { return }
    figures.totals.refused += 1
    figures.refusal = figures.refusal ?? refusal.reason
  }

  private func welcome(
    _ payload: RawSpan, _ now: UInt64, _ measureStart: UInt64, _ figures: inout ThreadFigures
  ) throws(WireError) -> LoadError? {
    let welcome = try Welcome(decoding: payload)
    figures.connects.add(now - connectTime)
    connectTime = 0
    if session != nil, !welcome.isResumed, issued > answered { return .sessionLost(unanswered: issued - answered) }
    if welcome.isResumed {
      figures.totals.resumed += 1
      let processed = sessionBase + Int(clamping: welcome.processed)
      acknowledge(processed, 0, now, measureStart, nil, &figures)
      // Actions that were sent but not processed are sent again.
      issued = answered
    } else {
      sessionBase = answered
    }
    (session, history, isOpen) = (welcome.session, welcome.history, true)
    return nil
  }

  private func acknowledge(
    _ through: Int, _ revision: UInt64, _ now: UInt64, _ measureStart: UInt64, _ filter: RevisionFilter?,
    _ figures: inout ThreadFigures
  ) {
    guard through > answered, through <= max(issued, answered + times.count) else { return }
    figures.lastRevision = max(figures.lastRevision, revision)
    var index = answered
    times.removeFirst(through - answered) { time, count in
      if time >= measureStart {
        figures.latencies.add(now > time ? now - time : 0, times: UInt64(count))
        figures.totals.measured += count
        figures.lastAnswer = now
        filter?.record(index..<index + count, of: number, time, revision, &figures)
      }
      index += count
    }
    figures.totals.answered += through - answered
    answered = through
    issued = max(issued, answered)
  }
}
