import ComposableArchitecture
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import ReplicaCore

/// The outbox of a client: what it stores, when, and what another process does with it.
@Suite struct OutboxTests {
  @Test func anActionIsStoredAsSentBeforeItIsSent() throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    #expect(process.log == ["write hello", "store", "store", "store", "write actions 1 after 0: [1]"])
    #expect(process.file.session.session == SessionID(high: 1, low: 1))
    #expect(process.file.session.lastSent == 1)
    #expect(process.file.actions.map(\.action.number) == [1])
  }

  @Test func whatIsNotSentIsStoredAsThat() throws {
    var process = OutboxProcess()
    try process.send(1)
    #expect(process.file.actions.count == 1)
    #expect(process.file.session == OutboxSession())
  }

  /// A record of the session that a loss of power takes must not be one in which actions were sent.
  @Test func theFirstRecordOfASessionIsMarked() throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    process.welcomeAgain(session: 2)
    #expect(process.sessionsBegun == 2)
    #expect(process.log.filter { $0.hasPrefix("write actions") }.count == 1)
    #expect(process.outcomes == ["1: \(ActionError.outcomeUnknown)"])
  }

  @Test func anActionIsRemovedWithItsOutcome() throws {
    var process = OutboxProcess()
    process.welcome()
    for count in 1...3 { try process.send(count) }
    process.receive(.rejected, Rejected(sequence: 2, code: .notPermitted, reason: "no").encoded())
    #expect(process.file.actions.map(\.action.isRefused) == [false, true, false])
    process.receive(.applied, UInt64(2).encoded())
    #expect(process.file.actions.map(\.action.number) == [3])
    #expect(process.file.session.acknowledged == 2)
    process.receive(.applied, UInt64(3).encoded())
    #expect(process.file.actions.isEmpty)
  }

  @Test func anotherProcessSendsWhatTheHubHasNotProcessed() throws {
    var process = OutboxProcess()
    process.welcome()
    for count in 1...3 { try process.send(count) }
    process.receive(.rejected, Rejected(sequence: 1, code: .notPermitted, reason: "no").encoded())
    var next = OutboxProcess(process.file)
    #expect(next.replica.pendingActionCount == 3)
    next.welcome(processed: 2)
    #expect(next.hello?.session == SessionID(high: 1, low: 1) && next.hello?.acknowledged == 0)
    #expect(next.log.last == "write actions 3 after 0: [3]")
    try next.send(4)
    next.receive(.rejected, Rejected(sequence: 1, code: .notPermitted, reason: "no").encoded())
    next.receive(.applied, UInt64(4).encoded())
    // The failure of the first one was reported by the process before.
    #expect(next.outcomes == ["2: applied", "3: applied", "4: applied"])
    #expect(next.file.actions.isEmpty && next.file.session.acknowledged == 4)
  }

  @Test func numbersOfActionsContinueAlsoAfterAnEmptyOutbox() throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    process.receive(.applied, UInt64(1).encoded())
    var next = OutboxProcess(process.file)
    next.welcome(processed: 1)
    try next.send(2)
    #expect(next.log.last == "write actions 2 after 1: [2]")
    #expect(next.file.actions.count == 1)
  }

  @Test func aHubThatHasForgottenTheSessionGivesUnknownOutcomes() throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    process.replica.disconnected(reason: "cut", at: .zero)
    try process.send(2)
    var next = OutboxProcess(process.file)
    next.welcome(session: 2)
    #expect(next.outcomes == ["1: \(ActionError.outcomeUnknown)"])
    #expect(next.log.last == "write actions 1 after 0: [2]")
    #expect(next.replica.lossCount == 0)
  }

  @Test func aHubOfAnotherHistoryIsNoticed() throws {
    var process = OutboxProcess()
    process.welcome(history: 1)
    process.replica.disconnected(reason: "cut", at: .zero)
    try process.send(1)
    var next = OutboxProcess(process.file, options: ReplicaOptions(sendsAfterLoss: false))
    next.welcome(session: 2, history: 2)
    #expect(next.outcomes == ["1: \(ActionError.stateLost)"])
    #expect(next.replica.lossCount == 1)
    #expect(next.file.actions.isEmpty)
  }

  /// The hub may have processed any of the actions that the file has, under any number.
  @Test func aFileThatIsOlderThanTheSessionGivesUnknownOutcomes() throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    let old = process.file
    for count in 2...4 { try process.send(count) }
    var next = OutboxProcess(old)
    try next.send(9)
    next.welcome(processed: 4)
    next.receive(.applied, UInt64(4).encoded())
    #expect(next.outcomes == ["1: \(ActionError.outcomeUnknown)"])
    #expect(next.log.last == "write actions 5 after 4: [9]")
    next.receive(.applied, UInt64(5).encoded())
    #expect(next.outcomes.last == "2: applied")
  }

  /// The next process could not read such a number in the file, and there are none after it.
  @Test(arguments: [1 << 63, UInt64.max]) func aHubWithAnImpossibleNumberIsLeft(processed: UInt64) throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    var next = OutboxProcess(process.file)
    next.welcome(processed: processed)
    try next.send(2)
    #expect(next.outcomes.isEmpty && next.file.session.acknowledged == 0)
    #expect(next.replica.connection != .live && next.replica.deadline != nil)
  }

  @Test func whatCannotBeStoredIsNotSent() throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    process.isFull = true
    try process.send(2)
    #expect(process.outcomes == ["2: \(ActionError.notStored(reason: "full"))"])
    // Nothing is left to be stored.
    process.turn(at: .seconds(2))
    #expect(process.replica.deadline.map { $0 > .seconds(2) } ?? true)
    // The outcome of an earlier action is reported, but stays in the file.
    process.receive(.applied, UInt64(1).encoded())
    #expect(process.file.actions.map(\.action.number) == [1])
    let retry = process.replica.deadline
    #expect(retry == .seconds(1))
    process.isFull = false
    process.turn(at: .seconds(3))
    #expect(process.file.actions.isEmpty)
    try process.send(3)
    #expect(process.log.last == "write actions 2 after 1: [3]")
  }

  /// A *hello* acknowledges only what the outbox has, so the hub cannot know that its log has lost a reported outcome.
  @Test func aSessionIsLeftThatHasLostOutcomesOfAFullOutbox() throws {
    var process = OutboxProcess()
    process.welcome(history: 1)
    for count in 1...2 { try process.send(count) }
    process.isFull = true
    process.receive(.applied, UInt64(2).encoded())
    process.welcomeAgain(session: 1, processed: 1, history: 2)
    #expect(process.hello?.session == SessionID(high: 1, low: 1) && process.hello?.acknowledged == 0)
    #expect(process.log.last == "write leave")
    process.isFull = false
    process.turn(at: .seconds(2))
    process.welcomeAgain(session: 2, history: 2)
    #expect(process.hello?.session == nil)
    try process.send(3)
    #expect(process.log.last == "write actions 1 after 0: [3]")
    process.receive(.applied, UInt64(1).encoded())
    #expect(process.outcomes == ["1: applied", "2: applied", "3: applied"])
    #expect(process.replica.lossCount == 1 && process.file.actions.isEmpty)
  }

  @Test func aClosedClientKeepsWhatIsPending() throws {
    var process = OutboxProcess()
    process.welcome()
    try process.send(1)
    try process.replica.send(Board.Action.setCount(2))
    process.close()
    #expect(process.outcomes == ["1: \(ActionError.keptInOutbox)", "2: \(ActionError.keptInOutbox)"])
    #expect(process.file.actions.count == 2)
    #expect(!process.log.contains("write leave"))
    var next = OutboxProcess(process.file)
    next.welcome(processed: 1)
    next.receive(.applied, UInt64(1).encoded())
    #expect(next.log.last == "write actions 2 after 0: [2]" || next.log.last == "write actions 2 after 1: [2]")
    next.receive(.applied, UInt64(2).encoded())
    next.close()
    #expect(next.log.contains("write leave"))
    #expect(next.file.session.session == nil && next.file.session.acknowledged == 0)
  }

  @Test func aRefusedClientKeepsWhatIsPending() throws {
    var process = OutboxProcess()
    try process.send(1)
    process.connect()
    process.receive(.error, PeerError(.notPermitted, "no").encoded())
    #expect(process.outcomes == ["1: \(ActionError.keptInOutbox)"])
    #expect(process.file.actions.count == 1)
  }

  @Test func theOutboxIsBounded() throws {
    var process = OutboxProcess(options: ReplicaOptions(pendingActions: 3, outboxBytes: 200))
    let title = String(repeating: "x", count: 150)
    try process.replica.send(Board.Action.setTitle(1, title))
    try process.replica.send(Board.Action.setTitle(2, title))
    #expect(throws: ActionError.outboxFull(limit: 200)) { try process.replica.send(Board.Action.setCount(3)) }
    var other = OutboxProcess(options: ReplicaOptions(pendingActions: 1))
    try other.send(1)
    var next = OutboxProcess(other.file, options: ReplicaOptions(pendingActions: 1))
    #expect(throws: ActionError.tooManyPending(limit: 1)) { try next.replica.send(Board.Action.setCount(3)) }
  }

  @Test func actionsOfAnotherVersionAreConverted() throws {
    var older = OutboxContents(schema: Schema(state: Board.State.self, action: Older.self))
    older.actions = [
      (OutboxAction(number: 1), Older.setCount(5).encoded()), (OutboxAction(number: 2), Older.gone.encoded()),
      (OutboxAction(number: 3), Older.setCount(6).encoded()),
    ]
    var process = OutboxProcess(older)
    process.turn()
    #expect(process.file.schema == OutboxProcess.schema)
    // A process that ends before it is connected does not lose the failure.
    var next = OutboxProcess(process.file)
    next.welcome()
    #expect(next.log.contains("write actions 1 after 0: [5, 6]"))
    #expect(next.file.actions.map(\.action.number) == [1, 3])
    #expect(next.outcomes.count == 1 && next.outcomes[0].hasPrefix("2: not sent, because the hub could not read"))
  }

  /// Otherwise the next process would take the second action for the one that has not arrived, and send it again.
  @Test func anActionIsForgottenBeforeALaterOneIsSentUnderItsNumber() throws {
    var older = OutboxContents(schema: Schema(state: Board.State.self, action: Older.self))
    older.session = OutboxSession(session: SessionID(high: 1, low: 1), lastSent: 2)
    older.actions = [
      (OutboxAction(number: 1), Older.gone.encoded()), (OutboxAction(number: 2), Older.setCount(5).encoded()),
    ]
    var process = OutboxProcess(older)
    process.welcome(processed: 0)
    #expect(process.log.last == "write actions 1 after 0: [5]")
    let files = [process.fileOnDisk, process.fileWhenSent].compactMap(\.self)
    #expect(files.map { $0.actions.map(\.action.number) } == [[2], [2]])
    for file in files {
      var next = OutboxProcess(file)
      next.welcome(processed: 1)
      next.receive(.applied, UInt64(1).encoded())
      #expect(next.outcomes == ["2: applied"])
      #expect(!next.log.contains { $0.hasPrefix("write actions") })
    }
  }

  /// Otherwise an earlier file would take the action for an applied one.
  @Test func aRejectionReachesTheDiskBeforeTheHubForgetsIt() throws {
    var process = OutboxProcess()
    process.welcome()
    for count in 1...2 { try process.send(count) }
    process.receive(.rejected, Rejected(sequence: 2, code: .notPermitted, reason: "no").encoded())
    #expect(process.fileOnDisk?.actions.map(\.action.isRefused) == [false, true])
    process.receive(.applied, UInt64(2).encoded())
    // An outcome alone does not wait for the disk.
    #expect(process.fileOnDisk?.session.acknowledged == 0 && process.file.session.acknowledged == 2)
  }

  @Test func actionsOfAnotherVersionStayInAFullOutbox() throws {
    var older = OutboxContents(schema: Schema(state: Board.State.self, action: Older.self))
    older.actions = [(OutboxAction(number: 1), Older.setCount(5).encoded())]
    var process = OutboxProcess(older)
    process.isFull = true
    try process.send(6)
    #expect(process.outcomes == ["2: \(ActionError.notStored(reason: "full"))"])
    process.isFull = false
    process.turn(at: .seconds(2))
    process.welcome()
    #expect(process.log.last == "write actions 1 after 0: [5]")
  }

  /// An earlier version of the board's actions.
  @Replicated fileprivate enum Older: Equatable, Sendable {
    case gone
    case setCount(Int)
  }
}

/// A client's process with a file, and the commands to its shell.
private struct OutboxProcess: ~Copyable {
  static let schema = Schema(state: Board.State.self, action: Board.Action.self)

  var replica: ReplicaCore
  var file: OutboxContents
  var isFull = false
  private(set) var log: [String] = []
  private(set) var outcomes: [String] = []
  private(set) var hello: Hello?
  private(set) var sessionsBegun = 0
  /// The file when the last actions were sent.
  private(set) var fileWhenSent: OutboxContents?
  /// The file after the last change that a loss of power does not take.
  private(set) var fileOnDisk: OutboxContents?

  init(_ file: OutboxContents = OutboxContents(), options: ReplicaOptions = ReplicaOptions()) {
    self.file = file
    replica = ReplicaCore(schema: Self.schema, options: options, random: SplitMix(seed: 1))
    replica.restore(file) { _, _ in nil }
    replica.start()
  }

  mutating func send(_ count: Int) throws {
    try replica.send(Board.Action.setCount(count))
    turn()
  }

  mutating func connect() {
    replica.connected(at: .zero)
    turn()
  }

  mutating func welcome(session: UInt64 = 1, processed: UInt64? = nil, history: UInt64? = nil) {
    connect()
    let welcome = Welcome(
      version: 1, session: SessionID(high: session, low: session), isResumed: processed != nil,
      processed: processed ?? 0, payloadLimit: 1 << 20, hub: "", schema: Self.schema.fingerprint, history: history,
      cancelsEffects: true)
    receive(.welcome, welcome.encoded())
  }

  mutating func welcomeAgain(session: UInt64, processed: UInt64? = nil, history: UInt64? = nil) {
    replica.disconnected(reason: "cut", at: .zero)
    if let retry = replica.deadline { replica.expire(at: retry) }
    welcome(session: session, processed: processed, history: history)
  }

  mutating func receive(_ kind: FrameKind, _ payload: [UInt8]) {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: kind, revision: 1)) { $0.append(payload.span.bytes) }
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
    turn()
  }

  mutating func close() {
    replica.close()
    turn()
  }

  mutating func turn(at now: Duration = .zero) {
    replica.endTurn(at: now)
    var next = 0
    while next < replica.commands.count {
      perform(replica.commands[next], at: now)
      next += 1
    }
    replica.clear()
  }

  private mutating func perform(_ command: ReplicaCommand, at now: Duration) {
    switch command {
    case .store: store(at: now)
    case .write(let range):
      let frame = describe(Array(replica.output.bytes[range]))
      if frame.hasPrefix("actions") { fileWhenSent = file }
      log.append("write " + frame)
    case .applied(let ticket, _): outcomes.append("\(ticket.number): applied")
    case .failed(let ticket, _, let error): outcomes.append("\(ticket.number): \(error)")
    case .connect, .disconnect, .changed, .diverged, .connectionChanged: break
    }
  }

  private mutating func store(at now: Duration) {
    guard let changes = replica.takeOutboxChanges() else { return }
    if isFull { return replica.outboxFailed(reason: "full", at: now) }
    log.append("store")
    if changes.session.session != file.session.session { sessionsBegun += changes.mustReachDisk ? 1 : 0 }
    if changes.replacesAll { (file.schema, file.actions) = (Self.schema, []) }
    file.actions.removeAll { $0.action.number <= changes.settled || changes.removed.contains($0.action.number) }
    var added: [(OutboxAction, [UInt8])] = []
    replica.forEachAddedAction(of: changes) { action, bytes in
      added.append((action, bytes.withUnsafeBytes(Array.init)))
    }
    file.actions += added
    for index in file.actions.indices where changes.refused.contains(file.actions[index].action.number) {
      file.actions[index].action.isRefused = true
    }
    file.session = changes.session
    if changes.mustReachDisk { fileOnDisk = file }
    replica.outboxStored(at: now)
  }

  private mutating func describe(_ bytes: [UInt8]) -> String {
    let header = FrameHeader(bytes.span.bytes, at: 0)
    var payload = CBORDecoder(bytes.span.bytes.extracting(FrameHeader.byteCount...))
    guard let kind = FrameKind(rawValue: header.kind) else { return "\(header.kind)" }
    if kind == .hello { hello = try? Hello(from: &payload) }
    guard kind == .actions, let first = try? payload.unsigned(), let acknowledged = try? payload.unsigned() else {
      return "\(kind)"
    }
    var counts: [Int] = []
    while !payload.isAtEnd, case .setCount(let count)? = try? Board.Action(from: &payload) { counts.append(count) }
    return "actions \(first) after \(acknowledged): \(counts)"
  }
}
