import EventLoop
import Foundation
import Glibc
import Testing

/// Polling without sleeping after activity.
@Suite(.serialized, .timeLimit(.minutes(30))) struct BusyPollTests {
  private let loop: EventLoop
  private static let poll = Duration.milliseconds(10)

  init() throws { loop = try EventLoop() }

  /// Expects that a loop polls after what `begin` does, and then sleeps.
  ///
  /// The turn with the activity, one that begins the time, and at least one within it; thousands on a free core. A pause
  /// of this process at the wrong moment takes all of the time.
  private func expectPolling(_ begin: (EventLoop) throws -> AnyObject) throws {
    try expectTurns { loop in
      loop.busyPoll = Self.poll
      return try begin(loop)
    } where: { active, idle in
      active >= 3 && idle == 0
    }
  }

  /// Expects that a loop for which `prepare` was called sleeps as soon as it has seen what woke it.
  private func expectSleep(_ prepare: (EventLoop) -> Void) throws {
    try expectTurns { loop in
      prepare(loop)
      let wakeUp = try WakeUp(on: loop) {}
      wakeUp.sender.send()
      return Held(wakeUp)
    } where: { active, idle in
      active <= 2 && idle == 0
    }
  }

  /// Expects numbers of turns in one of some tries: a pause of this process moves turns from one number to the other.
  private func expectTurns(
    _ begin: (EventLoop) throws -> AnyObject, where areExpected: (_ active: Int, _ idle: Int) -> Bool
  ) throws {
    var seen: [String] = []
    for _ in 0..<20 {
      let loop = try EventLoop()
      var effect: AnyObject?
      let (active, idle) = try Self.turns(of: loop) { effect = try begin(loop) }
      withExtendedLifetime(effect) {}
      if areExpected(active, idle) { return }
      seen.append("\(active) turns, and \(idle) of an idle loop")
    }
    Issue.record("\(seen)")
  }

  /// The number of times that a loop would wait or poll: while `begin` has its effect, and in a quarter of a second that
  /// begins long after.
  private static func turns(of loop: EventLoop, _ begin: () throws -> Void) throws -> (active: Int, idle: Int) {
    var (turns, active, idle) = (0, 0, 0)
    let hooks = try TurnHooks(on: loop, beforeWaiting: { turns += 1 }) {}
    let first = try Timer(on: loop) { active = turns }
    // Turns in between, and not those of the timers: each timer begins one.
    let last = try Timer(on: loop) {
      idle = max(turns - active - 1, 0)
      loop.stop()
    }
    try begin()
    first.start(after: .milliseconds(250))
    last.start(after: .milliseconds(500))
    loop.run()
    loop.close()
    withExtendedLifetime(hooks) {}
    return (active, idle)
  }

  @Test func aLoopPollsAfterActivityAndThenSleeps() throws {
    try expectPolling { loop in
      let wakeUp = try WakeUp(on: loop) {}
      wakeUp.sender.send()
      return Held(wakeUp)
    }
  }

  @Test func withoutItTheLoopSleepsAtOnce() throws {
    try expectSleep { _ in }
  }

  @Test func itCanBeSwitchedOff() throws {
    try expectSleep { loop in
      loop.busyPoll = Self.poll
      loop.busyPoll = .zero
    }
  }

  @Test func timersAreNoActivity() throws {
    loop.busyPoll = Self.poll
    var fired = 0
    let timer = try Timer(on: loop) { fired += 1 }
    let (active, idle) = try Self.turns(of: loop) { timer.start(after: .milliseconds(5), repeating: .milliseconds(5)) }
    withExtendedLifetime(timer) {}
    // One turn for each, for the two timers that measure, and the first.
    #expect(active + idle <= fired + 3)
  }

  /// The output of a hub that waits for its log, and of a client's first action, is written right before the loop waits.
  @Test func whatIsWrittenBeforeTheLoopWaitsIsActivity() throws {
    try expectPolling { loop in
      let connection = try Connection(on: loop)
      var isWritten = false
      let hooks = try TurnHooks(
        on: loop,
        beforeWaiting: {
          guard !isWritten else { return }
          isWritten = true
          do { #expect(try connection.stream.write([1, 2, 3].span.bytes)) } catch { Issue.record(error) }
        }, {})
      return Held(hooks)
    }
  }

  @Test func receivedBytesAreActivity() throws {
    try expectPolling { loop in
      let connection = try Connection(on: loop)
      try connection.stream.startReading(onBytes: { _ in }, onEnd: { _ in })
      #expect(write(connection.peer, "abc", 3) == 3)
      return connection
    }
  }

  /// Keeps a handle alive while its loop runs.
  private final class Held<Value: ~Copyable> {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
  }

  /// A stream of a loop, and the descriptor of the other end.
  private final class Connection {
    let stream: PipeStream
    let peer: CInt

    init(on loop: EventLoop) throws {
      var ends: [CInt] = [0, 0]
      try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
      stream = try PipeStream.adopting(ends[0], on: loop)
      peer = ends[1]
    }

    deinit { close(peer) }
  }

  @Test func theTimeHasLimits() {
    #expect(loop.busyPoll == .zero)
    for (time, set) in [
      (Duration.microseconds(50), Duration.microseconds(50)), (.seconds(1), .milliseconds(10)),
      (.nanoseconds(-1), .zero), (.milliseconds(10), EventLoop.longestBusyPoll), (.zero, .zero),
    ] {
      loop.busyPoll = time
      #expect(loop.busyPoll == set)
    }
    loop.close()
  }

  @Test func aClosedLoopLeavesNothing() throws {
    loop.busyPoll = Self.poll
    let wakeUp = try WakeUp(on: loop) {}
    wakeUp.sender.send()
    loop.run(.noWait)
    loop.close()
    #expect(loop.busyPoll == .zero)
  }
}
