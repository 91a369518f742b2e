import Wire

extension HubCore {
  /// Bytes came in on a connection.
  ///
  /// Whole frames are handled at once, as far as `limit` goes; the rest waits for `workOnBacklog`, with reading paused. A
  /// cut frame is kept until the rest of it comes. A peer that breaks the protocol is sent an error and closed, and no
  /// other client notices.
  ///
  /// - Parameters:
  ///   - bytes: What came.
  ///   - id: The connection.
  ///   - now: A monotonic time.
  ///   - limit: How many frames and actions to handle at most.
  ///   - guaranteed: How many are handled in a turn for each user, whatever the limit. Connections with frames that wait
  ///     already have no part in it.
  /// - Returns: How many were handled, and whether all were. If not, the shell stops reading from the connection until the
  ///   command `resumeReading`.
  /// - Complexity: O(bytes) and the cost of the reducer.
  @discardableResult
  public mutating func received(
    _ bytes: RawSpan, on id: ConnectionID, at now: Duration, limit: Int = .max, guaranteed: Int = 0
  ) -> (count: Int, isComplete: Bool) {
    // Frames that come while the hub waits to say goodbye have no outcome; the client sends them again elsewhere.
    if isShuttingDown { return (0, true) }
    counters.reads &+= 1
    switch phase(of: id) {
    case .free, .closing: return (0, true)
    case .greeting(let greeting):
      return receive(bytes, from: greeting, on: id, at: now, limit)
    case .live(let connection):
      let count: Int
      if limit >= guaranteed, limits.actionsPerSecond == nil {
        count = receive(bytes, from: connection, at: now, limit)
      } else {
        let account = connection.account
        let work = min(
          max(limit, account.guarantee(guaranteed, inTurn: turn)), account.allowance(at: now, limits))
        count = receive(bytes, from: connection, at: now, work)
        account.noteGuaranteed(count, inTurn: turn)
        account.use(count, at: now, limits)
      }
      return (count, !connection.isOpen || connection.backlog == nil)
    }
  }

  private mutating func receive(
    _ bytes: RawSpan, from connection: LiveConnection, at now: Duration, _ limit: Int
  ) -> Int {
    var rest = limit
    do {
      try connection.decoder.feed(bytes) { header, payload in
        receive(header, payload, from: connection, at: now, &rest)
      }
    } catch {
      fail(connection.id, Self.peerError(for: error, kind: nil), at: now)
    }
    guard connection.isOpen else { return limit - rest }
    if connection.heldBytes != connection.chargedBytes { charge(connection, at: now) }
    // The time limit of a cut frame starts with it; further bytes do not extend it. While frames wait, nothing is read.
    if !connection.decoder.isInsideFrame || connection.backlog != nil {
      if connection.deadline != nil { connection.deadline = nil }
    } else if connection.deadline == nil {
      setDeadline(now + limits.frameTimeout, for: connection)
    }
    return limit - rest
  }

  /// The same before the *hello*; behind it, frames are the open session's.
  private mutating func receive(
    _ bytes: RawSpan, from greeting: Greeting, on id: ConnectionID, at now: Duration, _ limit: Int
  ) -> (count: Int, isComplete: Bool) {
    var rest = limit
    var opened: LiveConnection?
    do {
      try greeting.decoder.feed(bytes) { header, payload in
        if let opened { return receive(header, payload, from: opened, at: now, &rest) }
        opened = greet(header, payload, from: greeting, on: id, at: now)
        if rest > 0 { rest -= 1 }
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
  private mutating func greet(
    _ header: FrameHeader, _ payload: RawSpan, from greeting: Greeting, on id: ConnectionID, at now: Duration
  ) -> LiveConnection? {
    guard case .greeting = phase(of: id) else { return nil }
    let kind = FrameKind(rawValue: header.kind)
    do throws(WireError) {
      guard kind == .hello else {
        fail(id, PeerError(.unexpectedMessage, "a connection begins with a hello (kind 1)"), at: now)
        return nil
      }
      try greet(try Hello(decoding: payload), from: id, greeting, at: now)
    } catch {
      fail(id, Self.peerError(for: error, kind: kind), at: now)
    }
    guard case .live(let connection) = phase(of: id) else { return nil }
    return connection
  }

  /// Handles a frame, or puts it behind those that wait.
  private mutating func receive(
    _ header: FrameHeader, _ payload: RawSpan, from connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) {
    guard connection.isOpen else { return }
    guard connection.backlog == nil, limit > 0 else { return postpone(header, payload, of: connection) }
    let resumption = handle(header, payload, from: connection, at: now, &limit)
    if let resumption, connection.isOpen { postpone(header, payload, of: connection, resumingAt: resumption) }
  }

  /// Handles a frame, from an offset in its payload on if it was begun before.
  /// - Returns: The offset from which to go on in a later turn; nil when the frame is done.
  private mutating func handle(
    _ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: Int? = nil, from connection: LiveConnection,
    at now: Duration, _ limit: inout Int
  ) -> Int? {
    let kind = FrameKind(rawValue: header.kind)
    // Not when it is taken up again: with a limit of one it would never come to an action.
    if limit > 0, resumption == nil { limit -= 1 }
    do throws(WireError) {
      return try handle(kind, header, payload, resumingAt: resumption, on: connection, at: now, &limit)
    } catch {
      fail(connection.id, Self.peerError(for: error, kind: kind), at: now)
      return nil
    }
  }

  private mutating func handle(
    _ kind: FrameKind?, _ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: Int?,
    on connection: LiveConnection, at now: Duration, _ limit: inout Int
  ) throws(WireError) -> Int? {
    switch kind {
    case .actions:
      return try handleActions(payload, resumingAt: resumption, from: connection, at: now, &limit)
    case .attach:
      attach(try Attach(decoding: payload), scope: header.scope, from: connection, at: now)
    case .detach:
      detach(header.scope, from: connection)
    case .verify:
      verify(header.scope, from: connection)
    case .describe:
      describe(StateRoot(rawValue: UInt64(header.scope)), to: connection, at: now)
    case .ping:
      connection.pong = try Ping(decoding: payload).number
      addReply(to: connection)
    case .leave:
      leave(connection, at: now)
    default:
      let reason = "kind \(header.kind) is not a message that a client sends at this point"
      fail(connection.id, PeerError(.unexpectedMessage, reason), at: now)
    }
    return nil
  }

  /// Notes that a client wants the schema of a root.
  private mutating func describe(_ root: StateRoot, to connection: LiveConnection, at now: Duration) {
    guard root.rawValue < UInt64(schemas.count) else { return fail(connection.id, Self.noState(root), at: now) }
    if !connection.requestedSchemas.contains(root.index) { connection.requestedSchemas.append(root.index) }
    addReply(to: connection)
  }

  static func noState(_ root: StateRoot) -> PeerError {
    PeerError(.unknownScope, "this hub has no state of the kind \(root.rawValue)")
  }

  mutating func addReply(to connection: LiveConnection) {
    connection.hasReplies = true
    addPending(connection)
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
  /// Handles frames that wait, of the connection whose turn it is; it goes to the end of the queue if any are left.
  ///
  /// - Parameters:
  ///   - limit: How many frames and actions to handle at most.
  ///   - now: A monotonic time.
  /// - Returns: How many were handled.
  @discardableResult
  public mutating func workOnBacklog(limit: Int, at now: Duration) -> Int {
    guard let connection = backlogged.next(at: now, limits), var backlog = connection.backlog else { return 0 }
    let limit = min(limit, connection.account.allowance(at: now, limits))
    var rest = limit
    defer { connection.account.use(limit - rest, at: now, limits) }
    // Taken out, since handling a frame may close the connection.
    connection.backlog = Backlog()
    while rest > 0, !backlog.isEmpty, connection.isOpen {
      backlog.handleFirst { header, payload, resumption in
        handle(header, payload, resumingAt: resumption, from: connection, at: now, &rest)
      }
    }
    guard connection.isOpen else { return limit - rest }
    if backlog.isEmpty {
      backlogged.remove(connection)
      connection.backlog = nil
      if connection.hasInputEnded {
        addPending(connection)
      } else {
        commandList.append(.resumeReading(connection.id))
        if connection.decoder.isInsideFrame { setDeadline(now + limits.frameTimeout, for: connection) }
      }
    } else {
      connection.backlog = backlog
    }
    charge(connection, at: now)
    return limit - rest
  }

  private mutating func postpone(
    _ header: FrameHeader, _ payload: RawSpan, of connection: LiveConnection, resumingAt resumption: Int? = nil
  ) {
    if connection.backlog == nil {
      connection.backlog = Backlog()
      backlogged.add(connection)
    }
    connection.backlog?.append(header, payload, resumingAt: resumption)
  }
}
