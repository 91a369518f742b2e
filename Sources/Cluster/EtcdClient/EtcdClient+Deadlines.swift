import EventLoop

/// Time: the deadlines of calls and connections, pauses, and signs of life.
extension EtcdClient {
  /// Sets the timer, unless it fires earlier.
  func wake(at deadline: Duration) {
    if let timerDeadline, timerDeadline <= deadline { return }
    timerDeadline = deadline
    timer?.arm(deadline)
  }

  func handleDeadlines() {
    timerDeadline = nil
    let now = loop.preciseNow
    for call in takeWaiting(before: now) { call.fail(.notConnected(lastFailure), .none) }
    expireSent(at: now)
    switch link {
    case .pausing(let until) where until <= now:
      link = .idle
      advance()
    case .connecting(let attempts, let nextAt):
      for attempt in attempts where attempt.until <= now {
        fail(attempt, "no connection within \(settings.connectTimeout)")
      }
      if let nextAt, nextAt <= now { attemptAnother(at: now) }
    case .ready(let connection, let pingedAt): keepAlive(connection, pingedAt, now)
    case .idle, .pausing, .closed: break
    }
    advance()
    rearm()
  }

  private func takeWaiting(before now: Duration) -> [UnaryCall] {
    let expired = waiting.filter { $0.deadline <= now }
    if !expired.isEmpty { waiting.removeAll { $0.deadline <= now } }
    return expired
  }

  /// A call without an answer ends the connection, too: the member may be stopped, or cut off from the others.
  private func expireSent(at now: Duration) {
    guard let connection else { return }
    let heard = connection.lastHeard
    let late = sent.filter { $0.value.expiry(heardAt: heard) <= now }
    guard !late.isEmpty else { return }
    var expired: [(UnaryCall, EtcdError.Effect)] = []
    for (call, state) in late {
      expired.append((state, connection.cancel(call) ? .unknown : .none))
      sent[call] = nil
    }
    // A call with a limit of silence is one that a member answers alone.
    let isSilent = expired.contains { $0.0.deadline > now }
    fail("a call had no answer in time", isSilent ? .unreachable : .unanswered)
    for (call, effect) in expired {
      call.fail(.deadline(call.deadline <= now ? call.timeout : call.silence ?? call.timeout), effect)
    }
  }

  private func keepAlive(_ connection: EtcdConnection, _ pingedAt: Duration?, _ now: Duration) {
    if let pingedAt {
      if connection.lastHeard > pingedAt {
        link = .ready(connection, pingedAt: nil)
      } else if now - pingedAt >= settings.pingTimeout {
        fail("no sign of life within \(settings.pingTimeout)", .unreachable)
      }
    } else if connection.callCount > 0, now - connection.lastHeard >= settings.pingInterval {
      link = .ready(connection, pingedAt: now)
      connection.ping()
    }
  }

  private func rearm() {
    var deadlines = waiting.map(\.deadline)
    if let connection { deadlines += sent.values.map { $0.expiry(heardAt: connection.lastHeard) } }
    switch link {
    case .pausing(let until): deadlines.append(until)
    case .connecting(let attempts, let nextAt): deadlines += attempts.map(\.until) + (nextAt.map { [$0] } ?? [])
    case .ready(let connection, let pingedAt):
      deadlines += streams.compactMap { $0.call == nil && $0.opensAt > loop.now ? $0.opensAt : nil }
      // An idle connection wakes nobody.
      guard connection.callCount > 0 else { break }
      deadlines.append(pingedAt.map { $0 + settings.pingTimeout } ?? connection.lastHeard + settings.pingInterval)
    case .idle, .closed: break
    }
    if let next = deadlines.min() { wake(at: next) }
  }
}
