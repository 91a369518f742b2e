/// Decides how the hub divides its time between clients: how much of their input is handled in a turn, who is answered
/// first, how many connections are accepted, and what waits. It is a value without I/O and without a clock: the shell
/// and the simulator pass in what has arrived, what waits and the time, and carry out the `TurnPlan` that comes out.
///
/// ```swift
/// // For each read:
/// let work = core.received(bytes, on: id, at: now, limit: scheduler.readLimit, guaranteed: scheduler.guaranteed)
/// // Before the end of a turn:
/// let plan = scheduler.plan(continues: true, isStopping: false, hasSnapshots: core.isSendingSnapshots, waiting, at: time)
/// core.endTurn(at: now, plan: plan)
/// ```
///
/// The hub is *contended* while clients with little traffic (*light* ones) share it with clients that send more than a
/// turn has time for (*heavy* ones). The heavy traffic is then handled in short pieces, and the light clients are
/// served in between. If all clients are heavy, or none else is active, the pieces are long, since each turn costs a
/// poll and a write to each subscriber.
package struct TurnScheduler {
  /// The number of connections that are accepted in one turn of a hub that is not contended.
  package static let acceptLimit = 16

  /// The amounts of traffic from which a client counts as heavy. A simulation, whose clients send little, has smaller
  /// ones.
  package struct Thresholds: Sendable {
    /// The maximum size of one read; a read of this size suggests that more is waiting.
    package var muchBytes = 64 * 1024
    /// The number of frames and actions in one read that would make other clients wait.
    package var muchWork = 256
    /// The maximum number of frames and actions in one read of a light client.
    package var littleWork = 16
    /// The number of frames and actions of each user that are handled in a turn before any other work.
    package var guaranteed = 32
    /// The maximum size of one read, while the hub is contended, from a heavy client: in small frames, each of which
    /// costs as much as many bytes, or within a large one.
    package var contendedRead = (small: 1024, large: 16 * 1024)
    /// The number of connections waiting to be opened that counts as heavy traffic; fewer may come from a program that
    /// is starting.
    package var longQueue = 256
    /// The time in milliseconds for which a client of either kind is remembered.
    package var memory: UInt64 = 1000

    package init() {}
  }

  /// A time of a monotonic clock, as coarse and as fine as the loop has it.
  package struct Time: Sendable {
    /// The time at which the turn began, in milliseconds.
    package var milliseconds: UInt64
    /// The time now, in nanoseconds.
    package var nanoseconds: UInt64

    package init(milliseconds: UInt64, nanoseconds: UInt64) {
      (self.milliseconds, self.nanoseconds) = (milliseconds, nanoseconds)
    }
  }

  /// What is remembered of the traffic on one connection.
  package struct Sender: Sendable {
    /// The last time in milliseconds at which it sent more than a turn has time for.
    fileprivate var lastMuch: UInt64?
    /// The maximum size of its next read while the hub is contended.
    package fileprivate(set) var readLimit: Int

    fileprivate init(readLimit: Int) { self.readLimit = readLimit }
  }

  private let thresholds: Thresholds
  private var meter = WorkMeter()
  private var lastMuch: UInt64?
  private var lastLittle: UInt64?
  /// True if some client was heavy recently.
  package private(set) var hasHeavy = false
  /// True if clients of both kinds are active.
  package private(set) var isContended = false
  /// Counts the pieces of work in contended turns, so that the kinds of work take turns.
  private var pieceCount: UInt32 = 0
  /// The time in nanoseconds of the last contended turn that wrote to a heavy client.
  private var lastOutput: UInt64 = 0
  /// True if that was the last piece of work.
  private var hasJustWritten = false

  /// Creates the scheduler of a hub that nobody uses yet.
  package init(_ thresholds: Thresholds = Thresholds()) {
    self.thresholds = thresholds
    guaranteed = thresholds.guaranteed
  }

  /// What is remembered of a new connection.
  package var newSender: Sender { Sender(readLimit: thresholds.muchBytes) }

  // MARK: Amounts

  // What is asked for each read is mutating or stored: a call of another module's getter would copy the whole value.

  /// The number of waiting frames and actions that may be handled now; 0 when the turn's work is done.
  package var limit: Int { mutating get { meter.limit } }
  /// The same for the bytes of one read.
  package var readLimit: Int { mutating get { meter.readLimit } }
  /// The number of frames and actions of each user that are handled in a turn in spite of these limits.
  package let guaranteed: Int

  /// Records handled frames and actions of a hub that is not contended.
  ///
  /// - Parameters:
  ///   - count: The number of frames and actions since the last call.
  ///   - now: The time in nanoseconds; evaluated only after a full slice of the turn's work.
  ///   - turnStart: The time at which the turn began; evaluated at most once per turn.
  package mutating func noteWork(_ count: Int, now: @autoclosure () -> UInt64, turnStart: @autoclosure () -> UInt64) {
    meter.note(count, now: now(), turnStart: turnStart())
  }

  /// Returns true if a turn has no time for further actions, although it has not reached their limit: they are slower
  /// than those before.
  ///
  /// - Parameter turnAge: The time in milliseconds since the turn began.
  package mutating func isLate(turnAge: UInt64) -> Bool {
    if turnAge >= WorkMeter.longTurn { meter.isLate = true }
    return meter.isLate
  }

  /// Begins the work of another turn.
  package mutating func beginTurn() { meter.beginTurn() }

  // MARK: Reads

  /// The work of one read: the number of handled frames and actions, and true if nothing of it waits.
  package typealias Work = (count: Int, isComplete: Bool)

  /// Returns true if `noteRead` must be called for a read. In most turns no client has sent much recently.
  package mutating func concerns(_ work: Work, of byteCount: Int) -> Bool { hasHeavy || isMuch(work, of: byteCount) }

  /// Records a read while the hub is not contended.
  package mutating func noteRead(_ work: Work, of byteCount: Int, from sender: inout Sender, at now: UInt64) {
    if isMuch(work, of: byteCount) {
      noteMuch(from: &sender, at: now)
    } else {
      noteLittle(work.count, from: sender, at: now)
    }
  }

  /// Returns the work of a read from a connection that is guaranteed while the hub is contended. A heavy client has
  /// none: it is for the other connections of the user.
  package func guaranteed(to sender: Sender, at now: UInt64) -> Int { isHeavy(sender, at: now) ? 0 : guaranteed }

  /// How the shell goes on after a read while the hub is contended.
  package struct ReadPlan: Equatable, Sendable {
    /// When a connection is read again.
    package enum NextRead: Sendable {
      /// Whenever bytes arrive.
      case onArrival
      /// When it is the first of the waiting readers in a plan with `TurnPlan.Work.input`.
      case inItsTurn
      /// When the core has handled its waiting frames, with the command `resumeReading`.
      case afterBacklog
    }

    package var nextRead: NextRead
    /// True if the connection's output may wait for that of light clients (`HubCore.letOutputWait`).
    package var outputMayWait: Bool
  }

  /// Records a read while the hub is contended, of which only the guaranteed work was handled.
  package mutating func noteContendedRead(
    _ work: Work, of byteCount: Int, from sender: inout Sender, at now: UInt64
  ) -> ReadPlan {
    let wasHeavy = isHeavy(sender, at: now)
    // More is waiting.
    let isFull = byteCount >= sender.readLimit
    let sendsMuch = isFull || isMuch(work, of: byteCount)
    if sendsMuch {
      noteMuch(from: &sender, at: now)
      let isInsideFrame = work == (0, true)
      sender.readLimit = isInsideFrame ? thresholds.contendedRead.large : thresholds.contendedRead.small
    } else {
      noteLittle(work.count, from: sender, at: now)
      if !wasHeavy { sender.readLimit = thresholds.muchBytes }
    }
    let nextRead: ReadPlan.NextRead = !work.isComplete ? .afterBacklog : isFull ? .inItsTurn : .onArrival
    return ReadPlan(nextRead: nextRead, outputMayWait: sendsMuch)
  }

  /// Returns true if handling one read makes other clients wait. A read of a few bytes never does, even if the turn has
  /// no time left for it: otherwise many light clients would count as heavy ones.
  private func isMuch(_ work: Work, of byteCount: Int) -> Bool {
    byteCount >= thresholds.muchBytes || work.count >= thresholds.muchWork
      || !work.isComplete && byteCount >= thresholds.muchWork
  }

  /// Returns true if a connection has sent much recently.
  package func isHeavy(_ sender: Sender, at now: UInt64) -> Bool {
    sender.lastMuch.map { now - $0 < thresholds.memory } ?? false
  }

  private mutating func noteMuch(from sender: inout Sender, at now: UInt64) {
    sender.lastMuch = now
    noteHeavy(at: now)
  }

  private mutating func noteLittle(_ count: Int, from sender: Sender, at now: UInt64) {
    update(at: now)
    // A connection that has just sent much is sending the rest of it.
    guard hasHeavy, count > 0, count <= thresholds.littleWork, !isHeavy(sender, at: now) else { return }
    lastLittle = now
    isContended = true
  }

  // MARK: Connections

  /// Records the number of connections that wait to be opened.
  package mutating func noteQueue(_ count: Int, at now: @autoclosure () -> UInt64) {
    if count >= thresholds.longQueue { noteHeavy(at: now()) }
  }

  /// Records traffic that makes others wait and belongs to no connection, such as peers that disconnect at once.
  package mutating func noteHeavy(at now: UInt64) { (lastMuch, hasHeavy) = (now, true) }

  // MARK: Turns

  /// The work that waits between two polls of a contended hub.
  package struct Waiting: Sendable {
    /// The number of accepted connections that are not opened yet.
    package var connections = 0
    /// True if frames wait in the core.
    package var hasFrames = false
    /// True if a snapshot can be continued.
    package var hasSnapshots = false
    /// The number of clients whose output was held back.
    package var heldBack = 0
    /// The number of clients that are not read.
    package var readers = 0

    package init(
      connections: Int = 0, hasFrames: Bool = false, hasSnapshots: Bool = false, heldBack: Int = 0, readers: Int = 0
    ) {
      (self.connections, self.hasFrames, self.hasSnapshots) = (connections, hasFrames, hasSnapshots)
      (self.heldBack, self.readers) = (heldBack, readers)
    }
  }

  /// Decides what a turn does.
  ///
  /// A poll costs less than writing the output of a turn. So a contended hub answers light clients in each turn, heavy
  /// ones at intervals, and does one short piece of the other work between two polls.
  ///
  /// - Parameters:
  ///   - continues: True if the loop has polled since the last turn, which left work for this one.
  ///   - isStopping: True if the hub is stopping. Its last turns send everything.
  ///   - hasSnapshots: True if a snapshot can be continued.
  ///   - waiting: The work that waits; evaluated only if the hub is contended.
  ///   - time: The time; evaluated only if the hub is contended.
  package mutating func plan(
    continues: Bool, isStopping: Bool, hasSnapshots: @autoclosure () -> Bool, _ waiting: @autoclosure () -> Waiting,
    at time: @autoclosure () -> Time
  ) -> TurnPlan {
    if isContended {
      let time = time()
      let plan = contendedPlan(continues, isStopping, waiting, time)
      if plan.isContended || isContended { return plan }
    }
    return Self.uncontendedPlan(continues: continues, isStopping: isStopping, hasSnapshots: hasSnapshots())
  }

  /// What `plan` decides for a hub that is not contended, as nearly always.
  package static func uncontendedPlan(
    continues: Bool, isStopping: Bool, hasSnapshots: @autoclosure () -> Bool
  ) -> TurnPlan {
    TurnPlan(answersFirst: !continues && !isStopping && hasSnapshots())
  }

  private mutating func contendedPlan(
    _ continues: Bool, _ isStopping: Bool, _ waiting: () -> Waiting, _ time: Time
  ) -> TurnPlan {
    update(at: time.milliseconds)
    guard isContended, !isStopping else { return TurnPlan(.nothing) }
    guard continues else { return TurnPlan(.nothing, isContended: true, answersFirst: true) }
    pieceCount &+= 1
    let work = nextWork(waiting(), sinceOutput: time.nanoseconds - lastOutput)
    hasJustWritten = work == .output
    if hasJustWritten { lastOutput = time.nanoseconds }
    return TurnPlan(work, isContended: true, answersFirst: work != .output)
  }

  /// Chooses the next piece, so that every kind of work goes on however much there is of the others.
  private func nextWork(_ waiting: Waiting, sinceOutput: UInt64) -> TurnPlan.Work {
    let hasInput = waiting.hasFrames || waiting.readers > 0
    let hasOther = hasInput || waiting.hasSnapshots || waiting.heldBack > 0
    if waiting.connections > 0, pieceCount.isMultiple(of: 3) || !hasOther { return .connection }
    // Without other work it is sent at once: a loop that only waits for a time would take the processor from clients.
    let isOutputDue =
      !hasInput && waiting.connections == 0 || sinceOutput >= Self.outputInterval(of: waiting.heldBack)
    // After long turns output is always due, and input must not wait for a short one.
    if isOutputDue || pieceCount.isMultiple(of: 2) && waiting.hasSnapshots, !hasInput || !hasJustWritten {
      return .output
    }
    return .input(limit: meter.contendedLimit)
  }

  /// The time in nanoseconds after which output that was held back for so many clients is written to one of them.
  private static func outputInterval(of count: Int) -> UInt64 { max(100_000 / UInt64(max(count, 1)), 50_000) }

  /// Begins a piece of input.
  package mutating func beginInput() { meter.isLate = false }

  /// True if a piece of input must end before its limit.
  package var isInputLate: Bool { meter.isLate }

  /// Records a piece of input: the number of frames and actions, and its duration in nanoseconds.
  package mutating func noteInput(_ count: Int, elapsed: UInt64) { meter.noteContended(count, elapsed: elapsed) }

  /// Forgets clients whose traffic is too long ago.
  private mutating func update(at now: UInt64) {
    hasHeavy = lastMuch.map { now - $0 < thresholds.memory } ?? false
    isContended = hasHeavy && lastLittle.map { now - $0 < thresholds.memory } ?? false
  }
}
