import Wire

// Each phase lists every kind, so that a new kind must be added to compile. Kinds of later versions of the protocol
// carry nothing that this version needs.

extension ReplicaCore {
  mutating func receive(_ header: FrameHeader, _ payload: RawSpan, at now: Duration) throws(WireError) {
    guard let kind = FrameKind(rawValue: header.kind) else { return }
    switch link {
    case .idle, .down, .connecting, .stopped: break
    case .greeting(let stream):
      switch kind {
      case .welcome: greet(try Welcome(decoding: payload), on: stream, at: now)
      case .error: receiveError(try PeerError(decoding: payload), at: now)
      case .goodbye: end(try Goodbye(decoding: payload), at: now)
      case .snapshot, .delta, .bookmark, .absent, .detached, .hash, .applied, .rejected, .released, .pong, .schema,
        .standing:
        break
      case .hello, .attach, .detach, .verify, .describe, .actions, .ping, .leave, .cancel, .represent, .transfer:
        break
      }
    case .comparing(let stream):
      switch kind {
      case .schema: try receiveSchema(header, payload, on: stream)
      case .error: receiveError(try PeerError(decoding: payload), at: now)
      case .goodbye: end(try Goodbye(decoding: payload), at: now)
      // The outcomes of a resumed session follow immediately after the welcome, and only once.
      case .applied: try receiveApplied(payload, revision: header.revision, at: now)
      case .rejected: try receiveRejected(payload, at: header.revision)
      case .released: receiveRelease(through: try UInt64(decoding: payload))
      case .standing: receive(try HubStanding(decoding: payload), at: now)
      case .snapshot, .delta, .bookmark, .absent, .detached, .hash, .pong, .welcome: break
      case .hello, .attach, .detach, .verify, .describe, .actions, .ping, .leave, .cancel, .represent, .transfer:
        break
      }
    case .open(let open):
      switch kind {
      case .snapshot: try receiveSnapshot(header, payload, on: open, at: now)
      case .delta: try receiveDelta(header, payload, on: open, at: now)
      case .bookmark: receiveBookmark(header, on: open, at: now)
      case .absent: try receiveAbsence(header, payload, on: open)
      case .detached: try receiveDetached(header, payload, on: open)
      case .hash: receiveHash(header, try StateHash(decoding: payload), on: open, at: now)
      case .applied: try receiveApplied(payload, revision: header.revision, at: now)
      case .rejected: try receiveRejected(payload, at: header.revision)
      case .released: receiveRelease(through: try UInt64(decoding: payload))
      case .standing: receive(try HubStanding(decoding: payload), at: now)
      case .pong:
        open.pongs = max(open.pongs, try Pong(decoding: payload).number)
        cancellations.confirm(through: open.pongs, firstPending: pending.first)
        lastPong = (open.pongs, header.revision)
        reportResumedOutcomes()
      case .error: receiveError(try PeerError(decoding: payload), at: now)
      case .goodbye: end(try Goodbye(decoding: payload), at: now)
      case .schema: try receiveViews(header, payload, on: open)
      case .welcome: break
      case .hello, .attach, .detach, .verify, .describe, .actions, .ping, .leave, .cancel, .represent, .transfer:
        break
      }
    }
  }

  private mutating func receive(_ standing: HubStanding, at now: Duration) {
    let since = standing.staleMilliseconds.map { now - .milliseconds(Int64(clamping: $0)) }
    guard since != lastStaleSince else { return }
    lastStaleSince = since
    commands.append(.connectionChanged)
  }

  /// Ends a connection that the hub is about to close of its own accord.
  private mutating func end(_ goodbye: Goodbye, at now: Duration) {
    self.goodbye = goodbye.reason
    giveUp(goodbye.reason, at: now)
  }

  private mutating func receiveApplied(
    _ payload: RawSpan, revision: UInt64, at now: Duration
  ) throws(WireError) {
    let sequence = try UInt64(decoding: payload)
    acknowledgedRevision = revision
    if awaitsResumedOutcomes {
      awaitsResumedOutcomes = false
      resumedOutcomes = ResumedOutcomes(sequence: sequence, revision: revision)
      return reportResumedOutcomes()
    }
    guard sequence <= pending.lastSent else {
      return giveUp("the hub answered action \(sequence), and only \(pending.lastSent) were sent", at: now)
    }
    // The hub writes the state of all parts before the acknowledgement of the actions in it.
    noteOutcome(at: revision)
    reportOutcomes(through: sequence)
  }

  private mutating func receiveRejected(_ payload: RawSpan, at revision: UInt64) throws(WireError) {
    let rejected = try Rejected(decoding: payload)
    noteOutcome(at: revision)
    let error = ActionError.rejected(code: rejected.code.rawValue, reason: rejected.reason)
    pending.reject(rejected.sequence, error, &commands)
  }

  private mutating func receiveRelease(through sequence: UInt64) {
    if let ticket = pending.ticket(through: sequence) { release(through: ticket) }
  }

  private mutating func release(through ticket: ActionTicket) {
    if let releasedTicket, ticket <= releasedTicket { return }
    releasedTicket = ticket
    onRelease?(ticket)
  }

  private mutating func receiveError(_ error: PeerError, at now: Duration) {
    if error.code == .notPermitted, refusedParts.contains(where: \.root.isHubsOwn) {
      ownStateRefusal = error.reason
      return reconnect(at: now)
    }
    let isFinal: [PeerErrorCode] = [.unsupportedVersion, .unknownScope, .tooManyScopes, .notPermitted, .cannotTransfer]
    if isFinal.contains(error.code) {
      refusalCode = error.code
      stop(.refused(reason: error.reason), reason: error.reason)
    } else {
      giveUp("the hub closed the connection: \(error.reason)", at: now)
    }
  }

  /// The parts that the hub may have refused: one that it has not sent, or after a change of rights any.
  private var refusedParts: [Subscription] {
    let attached = subscriptions.filter { $0.attachment != nil }
    let unsent = attached.filter { $0.base == nil }
    return unsent.isEmpty ? attached : unsent
  }

  private mutating func greet(_ welcome: Welcome, on stream: ByteStream, at now: Duration) {
    lastStaleSince = nil
    guard ProtocolVersion.oldest...ProtocolVersion.newest ~= welcome.version else {
      let reason = """
        this hub chose version \(welcome.version) of the protocol, and this client speaks \
        \(ProtocolVersion.oldest) to \(ProtocolVersion.newest); use a client and a hub of the same release
        """
      return stop(.refused(reason: reason), reason: reason)
    }
    (hubName, hubStateDirectory) = (welcome.hub, welcome.stateDirectory)
    (windowElements, rights, client) = (welcome.windowElements, welcome.rights, welcome.client)
    region = welcome.region
    views.begin(with: welcome.views)
    if !welcome.mayReadHub {
      ownStateRefusal = "this user may not read the list of clients and the metrics; the hub's operator can grant it"
    }
    guard !hasLostOutcomes(welcome) else { return leaveSession(at: now) }
    beginSession(welcome)
    // A hub that does not name its schema has the client's, if the client has one.
    if let fingerprint, welcome.schema == nil || welcome.schema == fingerprint {
      return open(on: stream, translation: nil)
    }
    link = .comparing(stream)
    commands.append(.write(output.frame(FrameHeader(kind: .describe, flags: schemaFlags)) { _ in }))
  }

  /// The flags of a request for a schema.
  var schemaFlags: UInt8 {
    Schema.formerNamesFlag | (options.requestsDocumentation ? DocumentedSchema.flag : 0)
  }

  /// Adopts the hub's session, even before the schemas are compared, since outcomes may arrive earlier.
  private mutating func beginSession(_ welcome: Welcome) {
    payloadLimit = Int(clamping: welcome.payloadLimit)
    hubCancelsEffects = welcome.cancelsEffects
    goodbye = nil
    checkRestored(welcome)
    session = welcome.session
    awaitsResumedOutcomes = welcome.isResumed && welcome.processed > pending.acknowledged
    if welcome.isResumed {
      // This hub repeats them, unless it has lost them.
      resumedOutcomes = nil
      pending.resume(processed: welcome.processed)
    } else {
      // A hub that has lost states may have lost what was applied: then the outcome is unknown.
      if welcome.history == history { endResumption() } else { resumedOutcomes = nil }
      // A hub without the session holds nothing for it.
      if let ticket = pending.ticket(through: .max) { release(through: ticket) }
      pending.beginSession(&commands)
      cancellations.endSession { pending.isUnsent($0) }
    }
    // Revisions of another history have no meaning; the session may be resumed before any scope is attached.
    if !welcome.isResumed || welcome.history != history {
      for subscription in subscriptions { subscription.base = nil }
    }
    if let history, history != welcome.history {
      lossCount += 1
      if !options.sendsAfterLoss { pending.removeUnsent(.stateLost, &commands) }
      forgetRevisions()
    }
    history = welcome.history
  }

  private mutating func receiveSchema(
    _ header: FrameHeader, _ payload: RawSpan, on stream: ByteStream
  ) throws(WireError) {
    // A hub that does not know the flag sends the schema alone.
    guard options.requestsDocumentation, header.flags & DocumentedSchema.flag != 0 else {
      return compare(try Schema(decoding: payload), on: stream)
    }
    let documented = try DocumentedSchema(decoding: payload)
    // After a hub with another schema, a tool keeps that of the first, and its comments.
    if schema == nil || schema == documented.schema { documentation = documented.documentation }
    compare(documented.schema, on: stream)
  }

  private mutating func compare(_ theirs: Schema, on stream: ByteStream) {
    guard let schema else {
      (schema, fingerprint) = (theirs, theirs.fingerprint)
      return open(on: stream, translation: nil)
    }
    do throws(SchemaMismatch) {
      switch schema.compatibility(with: theirs) {
      case .same: open(on: stream, translation: nil)
      case .compatible:
        let translation = try Translation(from: theirs, to: schema, byName: takesSchemaFromHub)
        open(on: stream, translation: translation)
      case .compatibleByName:
        open(on: stream, translation: try Translation(from: theirs, to: schema, byName: true))
      case .incompatible(let difference): refuse(difference)
      }
    } catch {
      refuse(error.description)
    }
  }

  private mutating func refuse(_ difference: String) {
    isHubOfOtherFeature = true
    let reason =
      "this hub runs another version of the feature: \(difference); use a client and a hub of the same release"
    stop(.refused(reason: reason), reason: reason)
  }

  private mutating func open(on stream: ByteStream, translation: Translation?) {
    let open = OpenLink(stream, translation: translation)
    link = .open(open)
    lastPong = nil
    if views.areWanted { requestViews() }
    attachAll(on: open)
    awaitParts(on: open)
    reportResumedOutcomes()
    becomeLiveIfComplete()
  }

  /// Makes the client live once it has received all parts that it subscribes to.
  mutating func becomeLiveIfComplete() {
    guard !subscriptions.contains(where: \.isAwaited) else { return }
    // Not when a session opens: its state may be unusable, and that of the next attempt too.
    attempt = 0
    become(.live)
  }
}
