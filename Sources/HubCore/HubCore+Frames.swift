import Wire

extension HubCore {
  /// Handles received bytes of a connection.
  ///
  /// Complete frames are handled immediately, up to `limit`, and none while the log is behind. The rest waits for
  /// `workOnBacklog`, and the shell stops reading. An incomplete frame is kept until the rest arrives. A peer that
  /// violates the protocol is sent an error and disconnected; no other client is affected.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes.
  ///   - id: The connection.
  ///   - now: A monotonic time.
  ///   - limit: The maximum number of frames and actions to handle.
  ///   - guaranteed: The number of frames and actions that each user may have handled in a turn in spite of the limit.
  ///     Connections that already have waiting frames are excluded.
  /// - Returns: The number of handled frames and actions, and true if nothing waits. If false, the shell stops reading
  ///   from the connection until the command `resumeReading`.
  /// - Complexity: O(bytes) and the cost of the reducer.
  @discardableResult
  package mutating func received(
    _ bytes: RawSpan, on id: ConnectionID, at now: Duration, limit: Int = .max, guaranteed: Int = 0
  ) -> (count: Int, isComplete: Bool) {
    // Frames that arrive while the goodbye waits for the log have no outcome; the client repeats them elsewhere.
    if isShuttingDown { return (0, true) }
    counters.reads &+= 1
    let (limit, guaranteed) = postponesWork ? (0, 0) : (limit, guaranteed)
    guard let connection = connections.live(id) else { return receivedGreeting(bytes, on: id, at: now, limit) }
    if let readStart {
      readStart.pointee = connection.decoder.isInsideFrame ? connection.decoder.startOfFirstFrame(in: bytes) : 0
    }
    let count: Int
    if limit >= guaranteed, limits.actionsPerSecond == nil {
      count = feed(bytes, to: connection, at: now, limit)
    } else {
      let account = connection.account
      let work = min(
        max(limit, account.guarantee(guaranteed, inTurn: turn)), account.allowance(at: now, limits))
      count = feed(bytes, to: connection, at: now, work)
      account.noteGuaranteed(count, inTurn: turn)
      account.use(count, at: now, limits)
    }
    return (count, !connection.isOpen || connection.backlog == nil)
  }

  /// Handles received bytes of a connection without a session. Those of a closing one are ignored.
  @inline(never)
  private mutating func receivedGreeting(
    _ bytes: RawSpan, on id: ConnectionID, at now: Duration, _ limit: Int
  ) -> (count: Int, isComplete: Bool) {
    guard case .greeting(let greeting) = phase(of: id) else { return (0, true) }
    readStart?.pointee = greeting.decoder.startOfFirstFrame(in: bytes)
    // Frames may follow the hello in the same bytes.
    let work = min(limit, greeting.account.allowance(at: now, limits))
    let (count, isComplete) = feed(bytes, to: greeting, on: id, at: now, work)
    greeting.account.use(count, at: now, limits)
    return (count, isComplete)
  }

  private mutating func feed(
    _ bytes: RawSpan, to connection: LiveConnection, at now: Duration, _ limit: Int
  ) -> Int {
    var rest = limit
    do {
      try connection.decoder.feed(bytes) { header, payload in
        handleOrPostpone(header, payload, from: connection, at: now, &rest)
      }
    } catch {
      fail(connection.id, Self.peerError(for: error, kind: nil), at: now)
    }
    guard connection.isOpen else { return limit - rest }
    if connection.heldBytes != connection.chargedBytes { charge(connection, at: now) }
    // The time limit of an incomplete frame starts with it; further bytes do not extend it. While frames wait, nothing
    // is read.
    if !connection.decoder.isInsideFrame || connection.backlog != nil {
      if connection.deadline != nil { connection.deadline = nil }
    } else if connection.deadline == nil {
      setDeadline(now + limits.frameTimeout, for: connection)
    }
    return limit - rest
  }

  /// Handles received bytes before the *hello*. Frames that follow it in the same bytes belong to the opened session.
  private mutating func feed(
    _ bytes: RawSpan, to greeting: Greeting, on id: ConnectionID, at now: Duration, _ limit: Int
  ) -> (count: Int, isComplete: Bool) {
    var (limit, rest) = (limit, limit)
    var opened: LiveConnection?
    do {
      try greeting.decoder.feed(bytes) { header, payload in
        if let opened { return handleOrPostpone(header, payload, from: opened, at: now, &rest) }
        let account = greeting.account
        opened = readHello(header, payload, from: greeting, on: id, at: now)
        if rest > 0 { rest -= 1 }
        guard greeting.account !== account else { return }
        // The limit was that of the gateway, and the actions behind the hello are the represented user's.
        let excess = max(rest - greeting.account.allowance(at: now, limits), 0)
        (limit, rest) = (limit - excess, rest - excess)
      }
    } catch {
      fail(id, Self.peerError(for: error, kind: nil), at: now)
    }
    guard let opened else {
      if case .greeting = phase(of: id) { charge(greeting, at: now) }
      return (limit - rest, true)
    }
    guard opened.isOpen else { return (limit - rest, true) }
    opened.decoder = greeting.decoder
    charge(opened, at: now)
    if opened.decoder.isInsideFrame, opened.backlog == nil { setDeadline(now + limits.frameTimeout, for: opened) }
    return (limit - rest, opened.backlog == nil)
  }

  /// Handles the first frame of a connection, and returns the connection that it opens.
  private mutating func readHello(
    _ header: FrameHeader, _ payload: RawSpan, from greeting: Greeting, on id: ConnectionID, at now: Duration
  ) -> LiveConnection? {
    guard case .greeting = phase(of: id) else { return nil }
    let kind = FrameKind(rawValue: header.kind)
    do throws(WireError) {
      if kind == .represent {
        represent(try Represent(decoding: payload).user, on: id, greeting, at: now)
        return nil
      }
      guard kind == .hello else {
        fail(id, PeerError(.unexpectedMessage, "a connection begins with a hello (kind 1)"), at: now)
        return nil
      }
      try openSession(try Hello(decoding: payload), on: id, greeting, at: now)
    } catch {
      fail(id, Self.peerError(for: error, kind: kind), at: now)
    }
    guard case .live(let connection) = phase(of: id) else { return nil }
    return connection
  }

  /// Handles a frame, or appends it to the backlog.
  mutating func handleOrPostpone(
    _ header: FrameHeader, _ payload: RawSpan, from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) {
    guard connection.isOpen else { return }
    guard connection.backlog == nil, limit > 0 else { return postpone(header, payload, of: connection) }
    let resumption = handleFrame(header, payload, from: connection, at: now, &limit)
    if let resumption, connection.isOpen { postpone(header, payload, of: connection, resumingAt: resumption) }
  }

  /// Handles a frame, or the rest of one that was partly handled before.
  /// - Returns: The place at which to continue in a later turn, or nil when the frame is done.
  private mutating func handleFrame(
    _ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: FrameResumption? = nil,
    from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) -> FrameResumption? {
    let kind = FrameKind(rawValue: header.kind)
    // A resumed frame is not counted again; with a limit of one it would never reach an action.
    if limit > 0, resumption == nil { limit -= 1 }
    let rest = limit
    do throws(WireError) {
      let next = try dispatch(kind, header, payload, resumingAt: resumption, on: connection, at: now, &limit)
      if limits.actionsPerSecond != nil, resumption == nil, limit < rest || next != nil {
        connection.account.noteFrameOfActions()
      }
      return next
    } catch {
      fail(connection.id, Self.peerError(for: error, kind: kind), at: now)
      return nil
    }
  }

  private mutating func dispatch(
    _ kind: FrameKind?, _ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: FrameResumption?,
    on connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) throws(WireError) -> FrameResumption? {
    switch kind {
    case .actions:
      if keepsFrames(of: connection) {
        return try handleKeepingActions(header, payload, resumingAt: resumption, from: connection, at: now, &limit)
      }
      return try handleActions(header, payload, resumingAt: resumption, from: connection, at: now, &limit)
    case .attach:
      attach(try Attach(decoding: payload), scope: header.scope, from: connection, at: now)
    case .detach:
      detach(header.scope, from: connection)
    case .verify:
      verify(header.scope, from: connection)
    case .describe:
      requestSchema(of: StateRoot(rawValue: UInt64(header.scope)), header.flags, for: connection, at: now)
    case .cancel:
      cancelEffects(ofAction: try UInt64(decoding: payload), from: connection)
    case .transfer:
      passLeadershipOn(to: try Transfer(decoding: payload).node, for: connection, at: now)
    case .ping:
      connection.replies.pong = try Ping(decoding: payload).number
      outputs.wake(connection)
    case .leave:
      leave(connection, at: now)
    default:
      let reason = "kind \(header.kind) is not a message that a client sends at this point"
      fail(connection.id, PeerError(.unexpectedMessage, reason), at: now)
    }
    return nil
  }

  /// Records that a client has requested the schema of a root.
  private mutating func requestSchema(
    of root: StateRoot, _ flags: UInt8, for connection: LiveConnection, at now: Duration
  ) {
    guard root.rawValue < UInt64(schemas.count) else { return fail(connection.id, Self.noState(root), at: now) }
    let request = SchemaRequest(
      root: root.index, isDocumented: flags & DocumentedSchema.flag != 0,
      hasFormerNames: flags & Schema.formerNamesFlag != 0)
    if !connection.replies.schemas.contains(request) { connection.replies.schemas.append(request) }
    outputs.wake(connection)
  }

  static func noState(_ root: StateRoot) -> PeerError {
    PeerError(.unknownScope, "this hub has no state of the kind \(root.rawValue)")
  }

  static func peerError(for error: WireError, kind: FrameKind?) -> PeerError {
    if kind == nil, case .tooLong(let length, let limit) = error.problem {
      return PeerError(.frameTooLarge, "a payload of \(length) bytes; this hub takes at most \(limit)")
    }
    let message = kind.map { "\($0)" } ?? "frame"
    return PeerError(.malformed, "the \(message) is malformed at \(error)")
  }
}

// MARK: - Backlog

extension HubCore {
  /// Handles the hub's own waiting work. If there is none, handles waiting frames of the connection whose turn it is, and
  /// moves it to the end of the queue if any remain. Does nothing while the log is behind.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of frames and actions to handle.
  ///   - now: A monotonic time.
  /// - Returns: The number of handled frames and actions.
  @discardableResult
  package mutating func workOnBacklog(limit: Int, at now: Duration) -> Int {
    guard !isShuttingDown, !isLogBehind else { return 0 }
    guard postponedCount == 0 else { return performPostponed(limit: limit) }
    guard let connection = backlogged.next(at: now, limits), var backlog = connection.backlog else { return 0 }
    lastWork = connection.id
    let limit = min(limit, connection.account.allowance(at: now, limits))
    var rest = limit
    defer { connection.account.use(limit - rest, at: now, limits) }
    // Moved out of the connection, because handling a frame may close it.
    connection.backlog = Backlog()
    // A frame that is left unfinished in spite of the limit means that the turn has no time left.
    while rest > 0, !backlog.isEmpty, connection.isOpen {
      backlog.handleFirst { header, payload, resumption in
        handleFrame(header, payload, resumingAt: resumption, from: connection, at: now, &rest)
      }
      if backlog.resumption != nil { break }
    }
    guard connection.isOpen else { return limit - rest }
    if backlog.isEmpty {
      backlogged.remove(connection)
      connection.backlog = nil
      if connection.hasInputEnded {
        outputs.wake(connection)
      } else {
        commandBuffer.append(.resumeReading(connection.id))
        if connection.decoder.isInsideFrame { setDeadline(now + limits.frameTimeout, for: connection) }
      }
    } else {
      connection.backlog = backlog
    }
    charge(connection, at: now)
    return limit - rest
  }

  /// Clears `lastWork`.
  package mutating func forgetLastWork() { lastWork = nil }

  private mutating func postpone(
    _ header: FrameHeader, _ payload: RawSpan, of connection: LiveConnection,
    resumingAt resumption: FrameResumption? = nil
  ) {
    if connection.backlog == nil {
      connection.backlog = Backlog()
      backlogged.add(connection)
    }
    connection.backlog?.append(header, payload, resumingAt: resumption)
  }
}
