import Testing

@testable import HubCore

/// The division of a hub's time, with arrivals and times that the tests state.
@Suite struct TurnSchedulerTests {
  /// An event that the scheduler is told of, with its time in milliseconds.
  enum Event: Sendable {
    /// A read from a client: frames and actions, bytes, and whether all was handled.
    case read(_ client: Int, _ count: Int, bytes: Int, isComplete: Bool = true, at: UInt64 = 0)
    /// Connections that wait to be opened.
    case queue(_ count: Int, at: UInt64 = 0)
  }

  /// What waits when the turn is planned, and what is expected of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var events: [Event]
    var time: UInt64 = 0
    var continues = true
    var isStopping = false
    var waiting = TurnScheduler.Waiting()
    var plan: TurnPlan

    var testDescription: String { name }
  }

  private static let heavy = Event.read(1, 300, bytes: 4096)
  private static let light = Event.read(2, 1, bytes: 26)
  private static let answers = TurnPlan(.nothing, isContended: true, answersFirst: true)

  static let cases: [Case] = [
    Case(name: "nobody", events: [], plan: TurnPlan()),
    Case(name: "light clients", events: (0..<50).map { .read($0, 2, bytes: 26) }, plan: TurnPlan()),
    Case(
      name: "light clients for whom a turn has no time",
      events: (0..<50).map { .read($0, 0, bytes: 26, isComplete: false) }, plan: TurnPlan()),
    Case(name: "heavy clients", events: (0..<50).map { .read($0, 3, bytes: 64 * 1024) }, plan: TurnPlan()),
    Case(
      name: "a snapshot for one client", events: [light], continues: false,
      waiting: .init(hasSnapshots: true), plan: TurnPlan(answersFirst: true)),
    Case(name: "the snapshot goes on", events: [light], waiting: .init(hasSnapshots: true), plan: TurnPlan()),
    Case(name: "a light client beside a heavy one", events: [heavy, light], continues: false, plan: answers),
    Case(name: "a light client before a heavy one", events: [light, heavy], continues: false, plan: TurnPlan()),
    Case(name: "many actions", events: [.read(1, 256, bytes: 768), light], continues: false, plan: answers),
    Case(name: "a large read", events: [.read(1, 1, bytes: 64 * 1024), light], continues: false, plan: answers),
    Case(
      name: "waiting frames", events: [.read(1, 0, bytes: 256, isComplete: false), light], continues: false,
      plan: answers),
    Case(
      name: "the rest of a large input", events: [heavy, .read(1, 3, bytes: 100)], continues: false,
      plan: TurnPlan()),
    Case(
      name: "neither much nor little", events: [heavy, .read(2, 64, bytes: 1000)], continues: false,
      plan: TurnPlan()),
    Case(name: "an empty read", events: [heavy, .read(2, 0, bytes: 10)], continues: false, plan: TurnPlan()),
    Case(name: "many waiting connections", events: [.queue(256), light], continues: false, plan: answers),
    Case(name: "a few waiting connections", events: [.queue(255), light], continues: false, plan: TurnPlan()),
    Case(name: "a second later", events: [heavy, light], time: 999, continues: false, plan: answers),
    Case(name: "more than a second later", events: [heavy, light], time: 1000, continues: false, plan: TurnPlan()),
    Case(name: "a hub that stops", events: [heavy, light], isStopping: true, plan: TurnPlan(.nothing)),
    Case(
      name: "contended, and only output waits", events: [heavy, light], waiting: .init(heldBack: 3),
      plan: TurnPlan(.output, isContended: true)),
    Case(
      name: "contended, and only a connection waits", events: [heavy, light], waiting: .init(connections: 1),
      plan: TurnPlan(.connection, isContended: true, answersFirst: true)),
  ]

  private func scheduler(after events: [Event]) -> TurnScheduler {
    var scheduler = TurnScheduler()
    var senders: [Int: TurnScheduler.Sender] = [:]
    for event in events {
      switch event {
      case .read(let client, let count, let bytes, let isComplete, let time):
        let work = (count: count, isComplete: isComplete)
        guard scheduler.concerns(work, of: bytes) else { continue }
        var sender = senders[client] ?? scheduler.newSender
        scheduler.noteRead(work, of: bytes, from: &sender, at: time)
        senders[client] = sender
      case .queue(let count, let time): scheduler.noteQueue(count, at: time)
      }
    }
    return scheduler
  }

  @Test(arguments: cases) func theTurnIsPlanned(example: Case) {
    var scheduler = scheduler(after: example.events)
    let waiting = example.waiting
    let plan = scheduler.plan(
      continues: example.continues, isStopping: example.isStopping, hasSnapshots: waiting.hasSnapshots, waiting,
      at: TurnScheduler.Time(milliseconds: example.time, nanoseconds: example.time * 1_000_000))
    #expect(plan == example.plan)
    #expect(plan.acceptLimit == (plan.isContended ? 1 : 16))
    #expect(plan.limitsReads == plan.isContended)
  }

  /// New connections without end, or waiting frames without end, stop no other work, however long the turns are.
  @Test(
    arguments: [10, 60, 1000] as [UInt64],
    [
      TurnScheduler.Waiting(connections: 300, heldBack: 1), TurnScheduler.Waiting(connections: 1, readers: 1),
      TurnScheduler.Waiting(connections: 1, hasSnapshots: true), TurnScheduler.Waiting(hasFrames: true, heldBack: 1),
      TurnScheduler.Waiting(connections: 1, hasFrames: true, hasSnapshots: true, heldBack: 1, readers: 1),
    ]) func everyKindOfWorkGoesOn(microseconds: UInt64, waiting: TurnScheduler.Waiting)
  {
    var scheduler = scheduler(after: [Self.heavy, Self.light])
    var (connections, outputs, inputs) = (0, 0, 0)
    for number in 1...100 as ClosedRange<UInt64> {
      let plan = scheduler.plan(
        continues: true, isStopping: false, hasSnapshots: waiting.hasSnapshots, waiting,
        at: TurnScheduler.Time(milliseconds: 1, nanoseconds: 1_000_000 + number * microseconds * 1000))
      #expect(plan.isContended && plan.answersFirst == (plan.work != .output))
      switch plan.work {
      case .connection: connections += 1
      case .output: outputs += 1
      case .input(let limit):
        inputs += 1
        // 5 µs of work, of which nothing is known yet.
        #expect(limit == 5)
      case .everything, .nothing: Issue.record("\(plan)")
      }
    }
    #expect((connections >= 30) == (waiting.connections > 0))
    if waiting.heldBack > 0 || waiting.hasSnapshots { #expect(outputs >= 5) }
    if waiting.hasFrames || waiting.readers > 0 { #expect(inputs >= 20) }
  }

  /// A read of a contended hub, and what is expected to follow.
  struct ReadCase: Sendable {
    var count: Int
    var bytes: Int
    var isComplete = true
    var wasHeavy = false
    var next: TurnScheduler.ReadPlan.NextRead
    var outputMayWait = false
    var readLimit = 64 * 1024
  }

  @Test(arguments: [
    ReadCase(count: 1, bytes: 26, next: .onArrival),
    ReadCase(count: 1, bytes: 26, wasHeavy: true, next: .onArrival),
    ReadCase(count: 0, bytes: 26, isComplete: false, next: .afterBacklog),
    ReadCase(count: 0, bytes: 4096, isComplete: false, next: .afterBacklog, outputMayWait: true, readLimit: 1024),
    ReadCase(count: 16, bytes: 64 * 1024, next: .inItsTurn, outputMayWait: true, readLimit: 1024),
    // Within a large frame.
    ReadCase(count: 0, bytes: 64 * 1024, next: .inItsTurn, outputMayWait: true, readLimit: 16 * 1024),
  ]) func aReadOfAContendedHubIsPlanned(read: ReadCase) {
    var scheduler = scheduler(after: [Self.heavy, Self.light])
    var sender = scheduler.newSender
    if read.wasHeavy { scheduler.noteRead((300, true), of: 4096, from: &sender, at: 0) }
    #expect(scheduler.guaranteed(to: sender, at: 0) == (read.wasHeavy ? 0 : 32))
    let plan = scheduler.noteContendedRead((read.count, read.isComplete), of: read.bytes, from: &sender, at: 0)
    #expect(plan == TurnScheduler.ReadPlan(nextRead: read.next, outputMayWait: read.outputMayWait))
    #expect(sender.readLimit == read.readLimit)
  }

  /// A heavy client is read in small steps until it has been light for a second.
  @Test func theStepsOfAHeavyClientStaySmall() {
    var scheduler = scheduler(after: [Self.heavy, Self.light])
    var sender = scheduler.newSender
    _ = scheduler.noteContendedRead((16, true), of: 64 * 1024, from: &sender, at: 0)
    _ = scheduler.noteContendedRead((1, true), of: 26, from: &sender, at: 999)
    #expect(sender.readLimit == 1024 && scheduler.isHeavy(sender, at: 999))
    _ = scheduler.noteContendedRead((1, true), of: 26, from: &sender, at: 1000)
    #expect(sender.readLimit == 64 * 1024 && !scheduler.isHeavy(sender, at: 1000))
  }

  /// In a turn that is not contended, the plan asks neither for what waits nor for the time.
  @Test func anOrdinaryTurnCostsNothing() {
    var scheduler = scheduler(after: [Self.heavy])
    let plan = scheduler.plan(
      continues: true, isStopping: false, hasSnapshots: unread(true), unread(TurnScheduler.Waiting()),
      at: unread(TurnScheduler.Time(milliseconds: 0, nanoseconds: 0)))
    #expect(plan == TurnPlan())
  }

  private func unread<Value>(_ value: Value) -> Value {
    Issue.record("it was evaluated")
    return value
  }

  /// Actions that are slower than those before end the turn after 4 ms, and a piece of input as well.
  @Test func slowActionsEndTheTurn() {
    var scheduler = TurnScheduler()
    let (early, late) = (scheduler.isLate(turnAge: 3), scheduler.isLate(turnAge: 4))
    #expect(!early && late && scheduler.isInputLate)
    scheduler.noteWork(2, now: 8_000_000, turnStart: 0)
    #expect(scheduler.limit == 0 && scheduler.readLimit == 0)
    scheduler.beginTurn()
    #expect(scheduler.limit == 1 && !scheduler.isInputLate)
    _ = scheduler.isLate(turnAge: 4)
    scheduler.beginInput()
    #expect(!scheduler.isInputLate)
  }
}
