import FeatureCore
import Features
internal import RandomNumbers
import ReplicaCore
import Wire

// The clients' processes: their start, actions, turns and end.

extension Simulation {
  func startClient(at index: Int) -> ClientProcess {
    clientCount += 1
    let isTool = index >= plan.clientCount - plan.toolCount
    var options = ReplicaOptions()
    options.name = "client \(index)"
    options.timeout = .seconds(chance.pick([1, 10]))
    options.probeInterval = chance.pick([nil, .seconds(1), .seconds(5)])
    options.pendingActions = chance.pick([20, 65_536])
    options.shortestDelay = .milliseconds(chance.pick([1, 50]))
    options.longestDelay = .seconds(1)
    options.sendsAfterLoss = !clientCount.isMultiple(of: 3)
    let client = ClientProcess(
      clientCount, index < plan.newerClientCount ? .newer : .older, isTool: isTool,
      user: isGuest(index) ? Self.guest : Self.owner, options: options,
      seed: chance.next())
    users[client.number] = client.user
    trace.note(now, "client starts", Int(client.number), index)
    if plan.outboxes > 0, !isTool, outboxes.hits(plan.outboxes) {
      let outbox = SimulatedOutbox(schema: client.program.schema)
      client.outbox = outbox
      client.replica.restore(outbox.contents) { _, _ in nil }
    }
    if plan.watchesHub, !isGuest(index) { client.subscribeToHub() }
    if index < plan.wholeStateClientCount || isTool {
      client.subscribe(client.program.parts[0], untyped: isTool)
    }
    client.replica.start()
    return client
  }

  func replaceClient(at index: Int, leaving: Bool) throws {
    let old = clients[index]
    report.clientCrashes += leaving ? 0 : 1
    if leaving, old.outbox != nil {
      old.replica.close()
      try turn(old)
      return try restart(old)
    }
    if leaving {
      trace.note(now, "client leaves", Int(old.number))
      old.replica.close()
      try turn(old)
    } else {
      trace.note(now, "client crashes", Int(old.number))
    }
    if let link = old.link { closeAtClient(link) }
    old.isAlive = false
    old.connectsAt = nil
    clients[index] = startClient(at: index)
  }

  /// A process that knows its session continues where another one ended; it lacks only the values of its mirrors.
  func restart(_ client: ClientProcess) throws {
    trace.note(now, "client restarts", Int(client.number))
    report.clientRestarts += 1
    if let link = client.link {
      closeAtClient(link)
      client.replica.disconnected(reason: "the process has ended", at: now)
    }
    if let outbox = client.outbox { try restartFromOutbox(client, outbox) }
    let parts = client.watched.map { ($0.part, $0.isUntyped) }
    if client.outbox == nil { for watched in client.watched { client.replica.unsubscribe(watched.mirror) } }
    client.watched = []
    for (part, isUntyped) in parts { client.subscribe(part, untyped: isUntyped) }
    client.restartViews()
    if client.outbox != nil { client.replica.start() }
    try turn(client)
  }

  // MARK: Acting

  func act(_ client: ClientProcess) throws {
    guard let spoken = client.spoken else { return }
    // Usually only a few actions are pending; otherwise little else would happen.
    guard client.replica.pendingActionCount < 10 || chance.hits(50) else { return }
    if plan.windows > 0, windows.hits(plan.windows) { changeWindows(of: client, speaking: spoken) }
    if plan.views > 0, views.hits(plan.views) { changeViews(of: client) }
    if plan.cancellations > 0, cancellations.hits(plan.cancellations), client.outbox == nil {
      // The cancellations of a process end with it.
      changeWatches(of: client, speaking: spoken)
    }
    switch chance.number(0...99) {
    case 0...79:
      for _ in 0..<chance.pick([1, 1, 1, 3, 10]) { send(from: client, speaking: spoken) }
    case 80...84:
      client.subscribe(
        chance.pick(client.user == Self.guest ? Array(spoken.parts[SimulatedProgram.guestParts]) : spoken.parts),
        untyped: client.isTool || chance.hits(300) && spoken.encodeLabel == nil)
    case 85...88:
      guard client.watched.count > 1 else { return }
      let watched = client.watched.remove(at: chance.number(1...client.watched.count - 1))
      client.replica.unsubscribe(watched.mirror)
    case 89...91:
      if let watched = client.watched.first { client.replica.verify(watched.mirror) }
    default:
      send(from: client, speaking: spoken)
    }
    try turn(client)
  }

  private func send(from client: ClientProcess, speaking program: SimulatedProgram) {
    client.sentCount += 1
    let tag = Tag.make(process: client.number, number: client.sentCount)
    var kind = ClientProcess.Sent.Kind.change
    var bytes: [UInt8]
    if let encodeLabel = program.encodeLabel, chance.hits(50) {
      bytes = encodeLabel(tag, "label \(chance.number(0...3))")
      kind = client.user == Self.guest ? .forbidden : .label
    } else if chance.hits(15) {
      // A case that exists in no version.
      (bytes, kind) = (Self.unknownAction, .unknown)
    } else {
      let change = sharedChange(of: client, tag: tag) ?? self.change()
      if case .awkward = change { kind = .awkward }
      bytes = program.encode(tag, change)
    }
    if client.user == Self.guest, operations.hits(100) {
      (bytes, kind) = (program.encodeFollow(.counter(.incrementButtonTapped)), .forbidden)
    }
    send(bytes, kind, tag: tag, from: client)
  }

  /// Sends an action. Returns its ticket, or nil if the client itself has refused it.
  @discardableResult
  func send(
    _ bytes: [UInt8], _ kind: ClientProcess.Sent.Kind, tag: UInt64, from client: ClientProcess
  ) -> ActionTicket? {
    trace.note(now, "send", Int(client.number), Int(client.sentCount), bytes.count)
    trace.note(bytes)
    report.sent += 1
    do throws(ActionError) {
      let ticket = try client.replica.send { $0.append(bytes.span.bytes) }
      client.waiting[ticket] = ClientProcess.Sent(tag: tag, kind: kind, time: now)
      let isOfOlderHub = kind == .label && hub?.program.encodeLabel == nil
      report.withoutEffect += kind == .unknown || kind == .forbidden || isOfOlderHub ? 1 : 0
      client.predict(bytes, ticket)
      return ticket
    } catch {
      report.refusedLocally += 1
      refused.insert(tag)
      return nil
    }
  }

  /// A case that exists in no version.
  static var unknownAction: [UInt8] { [0x82, 0x18, 0x63, 0x00] }

  private func change() -> Change {
    // So that the state reaches its limit.
    if plan.hasSmallState, operations.hits(150) { return .fill(10) }
    if plan.awkwardness > 0, awkwardness.hits(plan.awkwardness) { return .awkward(awkwardness.next()) }
    if plan.promises > 0, promises.hits(plan.promises) {
      return promises.hits(100) ? .breakPromises : .promise(after: promises.pick([0, 500, 20_000]))
    }
    switch chance.number(0...99) {
    case 0...49: return .random(chance.next())
    case 50...54: return .echo(after: chance.number(0...2000))
    case 55: return .stopEchoes
    case 56...59: return .chain(chance.number(0...4))
    case 60: return .fill(plan.hasLongLists ? 1000 : 3)
    default: return .app(appAction())
    }
  }

  private func appAction() -> AppFeature.Action {
    let (id, other) = (chance.number(0...9), chance.number(0...9))
    let action: AppFeature.Action = chance.pick([
      .counter(.incrementButtonTapped), .counter(.decrementButtonTapped), .counter(.toggleTimerButtonTapped),
      .counter(.numberFactButtonTapped), .counter(.factAlertDismissed), .todos(.addButtonTapped(text: "todo")),
      .todos(.addButtonTapped(text: "")), .todos(.deleteButtonTapped(id: id)), .todos(.moved(id: id, before: other)),
      .todos(.todos(.element(id: id, action: .textChanged("Änderung")))),
      .todos(.todos(.element(id: id, action: .completionChanged(other > 4)))), .todos(.sortCompletedTodos),
      .todos(.clearCompletedButtonTapped), .favourites(.view(.incrementButtonTapped)),
      .favourites(.view(.favouriteButtonTapped)), .favourites(.view(.favouritesButtonTapped)),
      .favourites(.view(.factButtonTapped)),
      .favourites(.destination(.presented(.favourites(.deleteButtonTapped(other))))),
      .favourites(.destination(.dismiss)),
    ])
    guard restorations.hits(plan.restoration) else { return action }
    report.restorations += 1
    let todo = Todo.State(id: id, text: "restored", isComplete: other > 4)
    return .todos(.restored(todo, before: restorations.hits(500) ? other : nil))
  }

  // MARK: Turns

  /// One turn of a client's loop.
  func turn(_ client: ClientProcess) throws {
    guard client.isAlive else { return }
    if let deadline = client.replica.deadline, deadline <= now { client.replica.expire(at: now) }
    client.replica.endTurn(at: now)
    // First, because a command may end the connection to the hub that the states came from.
    try checkMirrors(of: client)
    try checkViews(of: client)
    var next = 0
    while next < client.replica.commands.count {
      try perform(client.replica.commands[next], of: client)
      next += 1
      if client.hasCrashed { return try restart(client) }
    }
    client.prediction?.rebase()
    client.replica.clear()
    client.hasHubsState = client.replica.connection == .live
    try checkPrediction(of: client)
  }

  private func perform(_ command: ReplicaCommand, of client: ClientProcess) throws {
    switch command {
    case .connect: client.connectsAt = now + chance.time(upTo: plan.faults.longestDelay)
    case .disconnect:
      client.connectsAt = nil
      if let link = client.link { closeAtClient(link) }
    case .write(let range):
      guard let link = client.link, !link.toHub.hasEnded else { return }
      let bytes = planted(Array(client.replica.output.bytes[range]), from: client)
      trace.note(now, "client writes", link.number, bytes.count)
      trace.note(bytes)
      try link.tap.clientWrote(bytes)
      let isActions = FrameHeader(bytes.span.bytes, at: 0).kind == FrameKind.actions.rawValue
      let isRepeated = isActions && !isSettling && chance.hits(plan.faults.repeatedActions)
      let isOut = link.toHub.write(
        isRepeated ? bytes + bytes : bytes, limit: socketBytes,
        notBefore: now + chance.time(upTo: plan.faults.longestDelay))
      if !isOut { client.replica.noteBusy() }
    case .store: store(of: client)
    case .changed: break
    case .diverged(_, let divergence): throw Violation(.hashDiffers, "\(divergence)")
    case .connectionChanged: try checkConnection(of: client)
    case .applied(let ticket, _): try applied(ticket, client)
    case .failed(let ticket, _, let error): try failed(ticket, error, client)
    }
  }

  private func applied(_ ticket: ActionTicket, _ client: ClientProcess) throws {
    endPrediction(of: ticket, client)
    guard let sent = client.waiting.removeValue(forKey: ticket), sent.kind != .unknown, sent.kind != .forbidden else {
      throw Violation(.wrongOutcome, "a client was told that an action took effect that is none or had an outcome")
    }
    if client.outbox != nil { client.unstoredOutcomes[ticket] = sent }
    let text = Tag.text(sent.tag)
    // Without a link, the client reports at its end what it was told before.
    let others = [client.watched.first?.hub?.truth, hub?.truth].compactMap(\.self)
    guard let truth = client.link?.hub.truth ?? others.first(where: { $0.isApplied(sent.tag) }) else {
      if plan.storage == .sync { acknowledged.insert(sent.tag) }
      return
    }
    guard let revision = truth.revision(of: sent.tag) else {
      throw Violation(.acknowledgedNotApplied, "\(text) was acknowledged and did not take effect")
    }
    trace.explain("\(text) was acknowledged")
    if plan.storage == .sync { acknowledged.insert(sent.tag) }
    try checkEffectIsThere(revision, of: client, truth)
  }

  private func endPrediction(of ticket: ActionTicket, _ client: ClientProcess) {
    client.predicted.removeAll { $0.ticket == ticket }
    if bug != .clientForgetsAnOutcome { client.prediction?.ended(ticket) }
  }

  /// Returns true if the hub may refuse an action.
  private func isJustified(_ code: RejectionCode, _ sent: ClientProcess.Sent, _ client: ClientProcess) -> Bool {
    switch (code, sent.kind) {
    case (.unknownAction, .unknown), (.notPermitted, .forbidden): true
    case (.unknownAction, .label): isOfOlderHub(sent, client)
    // The client itself refuses actions that an older hub does not have.
    case (.unknownAction, .forbidden): client.spoken?.encodeLabel != nil && isOfOlderHub(sent, client)
    case (.notPermitted, .unknown): client.user == Self.guest
    case (.notPermitted, .change), (.notPermitted, .awkward): client.user == Self.guest && sent.time <= guestSuspendedAt
    case (.unreadable, .awkward): true
    case (.stateTooLarge, .change), (.stateTooLarge, .label), (.stateTooLarge, .awkward):
      plan.hasSmallState && sent.time <= stateFullAt
    default: false
    }
  }

  /// Returns true if an action may have reached a hub of the older version, or a client that still reads the output of
  /// such a hub.
  private func isOfOlderHub(_ sent: ClientProcess.Sent, _ client: ClientProcess) -> Bool {
    sent.time <= olderHubRanAt || client.link.map { $0.hub.program.encodeLabel == nil } ?? false
  }

  func failed(_ ticket: ActionTicket, _ error: ActionError, _ client: ClientProcess) throws {
    endPrediction(of: ticket, client)
    guard let sent = client.waiting.removeValue(forKey: ticket) else {
      throw Violation(.wrongOutcome, "an action has a second outcome: \(error)")
    }
    if client.outbox != nil { client.unstoredOutcomes[ticket] = sent }
    trace.explain("\(Tag.text(sent.tag)) failed: \(error)")
    switch error {
    case .outcomeUnknown where bug != .clientCallsSentActionsUnsent:
      guard client.hasLostSession else {
        throw Violation(.wrongOutcome, "\(Tag.text(sent.tag)) can be repeated, and its outcome is called unknown")
      }
      report.unknown += 1
    case .stateLost where client.replica.options.sendsAfterLoss:
      throw Violation(.wrongOutcome, "\(Tag.text(sent.tag)) could be sent, and the client has given it up")
    case .keptInOutbox where client.outbox != nil: client.waiting[ticket] = sent
    case .notConnected, .outcomeUnknown, .stateLost, .notStored:
      report.notSent += 1
      try neverApplied(sent.tag, error)
    case .tooManyPending, .tooLarge, .unreadable, .outboxFull, .keptInOutbox:
      throw Violation(.wrongOutcome, "\(Tag.text(sent.tag)) was accepted locally and then refused: \(error)")
    case .rejected(let code, _):
      report.rejected += 1
      guard isJustified(RejectionCode(rawValue: code), sent, client) else {
        throw Violation(.wrongOutcome, "\(Tag.text(sent.tag)) is valid and was refused: \(error)")
      }
      try neverApplied(sent.tag, error)
    }
  }

  /// Notes that an action has no effect, now or later.
  func neverApplied(_ tag: UInt64, _ error: ActionError) throws {
    refused.insert(tag)
    if let truth = hub?.truth, truth.isApplied(tag) {
      throw Violation(.refusedTookEffect, "\(Tag.text(tag)) was refused: \(error)")
    }
  }
}
