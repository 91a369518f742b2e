import EtcdMessages
import EventLoop
import GRPCConnection
import NetworkStream

/// The way to a member: connecting, sending what waits, and leaving a member that has failed.
extension EtcdClient {
  /// Connects if somebody needs it, or sends what waits.
  func advance() {
    switch link {
    case .idle: if !waiting.isEmpty || !streams.isEmpty { connect() }
    case .ready(let connection, _): sendWaiting(on: connection)
    case .pausing, .connecting, .closed: break
    }
  }

  private func connect() {
    link = .connecting([], nextAt: nil)
    attempt(rotation.current)
  }

  /// Begins a connection to a member, beside those that are being made.
  private func attempt(_ member: Int) {
    guard case .connecting(var attempts, _) = link else { return }
    let endpoint = settings.endpoints[member]
    let session = endpoint.isSecure ? credentials.map { TLSSession($0, host: endpoint.host) } : nil
    attemptCount += 1
    let number = attemptCount
    let connection = EtcdConnection(
      to: endpoint, on: loop, session: session, onReady: { [weak self] in self?.connected(number) },
      onEvents: { [weak self] in self?.handle($0) }, onEnd: { [weak self] in self?.ended(number, $0) })
    let now = loop.preciseNow
    let until = now + settings.connectTimeout
    attempts.append(Attempt(number: number, member: member, connection: connection, until: until))
    let nextAt = attempts.count < settings.endpoints.count ? now + settings.connectPatience : nil
    // It may fail at once.
    link = .connecting(attempts, nextAt: nextAt)
    wake(at: now + min(settings.connectTimeout, settings.connectPatience))
    connection.start()
  }

  /// Asks another member beside those that have not answered yet.
  func attemptAnother(at now: Duration) {
    guard case .connecting(let attempts, _) = link, let last = attempts.last else { return }
    link = .connecting(attempts, nextAt: nil)
    if let member = rotation.next(after: last.member, at: now, besides: attempts.map(\.member)) { attempt(member) }
  }

  private func connected(_ number: Int) {
    guard case .connecting(let attempts, _) = link, let ready = attempts.first(where: { $0.number == number })
    else { return }
    link = .ready(ready.connection, pingedAt: nil)
    let now = loop.now
    for other in attempts where other.number != number {
      _ = other.connection.close()
      // It has had more time.
      if other.number < number { rotation.avoid(other.member, at: now) }
    }
    rotation.connected(ready.member)
    connectionCount += 1
    wake(at: now + settings.pingInterval)
    sendWaiting(on: ready.connection)
  }

  /// A connection has ended, or could not be made.
  private func ended(_ number: Int, _ reason: String) {
    guard case .connecting(let attempts, _) = link else { return fail(reason, .unreachable) }
    if let ended = attempts.first(where: { $0.number == number }) { fail(ended, reason) }
  }

  /// Gives up an attempt.
  func fail(_ attempt: Attempt, _ reason: String) {
    guard case .connecting(var attempts, _) = link else { return }
    attempts.removeAll { $0.number == attempt.number }
    _ = attempt.connection.close()
    let now = loop.now
    let pause = rotation.failed(attempt.member, .unreachable, at: now, besides: attempts.map(\.member))
    link = attempts.isEmpty ? .pausing(until: now + pause) : .connecting(attempts, nextAt: now + pause)
    wake(at: now + pause)
    let endpoint = attempt.connection.endpoint
    lastFailure = "\(endpoint): \(reason)"
    onFailure?(endpoint, reason)
  }

  private func sendWaiting(on connection: EtcdConnection) {
    let now = loop.now
    for stream in streams where stream.call == nil && stream.opensAt <= now {
      guard isCurrent(connection), let call = connection.begin(stream.path, timeout: nil) else { return }
      stream.call = call
      opened[call] = stream
      wake(at: now + settings.pingInterval)
      connection.send(stream.opening(), on: call, isLast: false)
    }
    while let next = waiting.first, isCurrent(connection) {
      let left = next.deadline - loop.preciseNow
      if let only = next.connection, only != connectionCount {
        waiting.removeFirst()
        next.fail(.notConnected("the connection is another one"), .none)
        continue
      }
      guard left > .zero, let call = connection.begin(next.path, timeout: left) else { return }
      waiting.removeFirst()
      (next.endpoint, next.sentAt) = (connection.endpoint, now)
      sent[call] = next
      if let silence = next.silence { wake(at: now + silence) }
      connection.send(next.message, on: call, isLast: true)
    }
  }

  /// False after a failure, which each use of a connection may report.
  private func isCurrent(_ connection: EtcdConnection) -> Bool {
    if case .ready(let current, _) = link { current === connection } else { false }
  }

  /// Leaves the member, for a reason, and asks the next one.
  func fail(_ reason: String, _ failure: EndpointRotation.Failure) {
    guard let connection else { return }
    let pause = rotation.failed(rotation.current, failure, at: loop.now)
    link = .pausing(until: loop.now + pause)
    lastFailure = "\(connection.endpoint): \(reason)"
    let unprocessed = connection.close().filter { !$0.1.mayHaveBeenProcessed }
    waiting = unprocessed.compactMap { sent.removeValue(forKey: $0.0) } + waiting
    let unknown = sent.values.sorted { $0.deadline < $1.deadline }
    for stream in opened.values { stream.call = nil }
    (sent, opened) = ([:], [:])
    wake(at: loop.now + pause)
    onFailure?(connection.endpoint, reason)
    for call in unknown { call.fail(.disconnected(reason), .unknown) }
  }

  // MARK: Events

  /// Handles all events before a failure that one of them reports: the others may have answers.
  private func handle(_ events: [GRPCEvent]) {
    var failure: String?
    for event in events {
      switch event {
      case .message(let call, let bytes):
        if let stream = opened[call] { stream.receive(bytes) } else { sent[call]?.answer = bytes }
      case .ended(let call, let outcome):
        if let stream = opened.removeValue(forKey: call) {
          stream.call = nil
          pause(stream)
          if EtcdError.isOfMember(outcome) { failure = "a stream has ended (\(EtcdError.classify(outcome).0))" }
        } else if let ended = sent.removeValue(forKey: call) {
          if EtcdError.isOfMember(outcome) { failure = "\(EtcdError.classify(outcome).0)" }
          finish(ended, outcome)
        }
      case .pong: if case .ready(let connection, _) = link { link = .ready(connection, pingedAt: nil) }
      }
    }
    if let connection, connection.isGoingAway {
      fail(failure ?? "the member ends its connections", .unreachable)
    } else if let failure {
      fail(failure, .unanswered)
    }
    advance()
  }

  private func finish(_ call: UnaryCall, _ outcome: GRPCOutcome) {
    if case .success(let status) = outcome.result, status.code == .ok {
      guard let answer = call.answer else { return call.fail(.violation("it is empty"), .unknown) }
      rotation.succeeded()
      return call.finish(.success(answer))
    }
    let (reason, effect) = EtcdError.classify(outcome)
    // What the member has not begun is for the next one.
    if case .failure = outcome.result, effect == .none { return waiting.insert(call, at: 0) }
    call.fail(reason, effect)
  }
}
