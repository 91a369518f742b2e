import EventLoop
import Foundation
import Glibc
import Testing

/// Polling without sleeping after activity.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BusyPollTests {
  private let loop: EventLoop
  private static let poll = Duration.milliseconds(10)

  init() throws { loop = try EventLoop() }

  /// The number of times that a loop would wait or poll: while `begin` has its effect, and in a quarter of a second that
  /// begins long after.
  private func turns(_ begin: () throws -> Void) throws -> (active: Int, idle: Int) {
    var (turns, active, idle) = (0, 0, 0)
    let hooks = try TurnHooks(on: loop, beforeWaiting: { turns += 1 }) {}
    let first = try Timer(on: loop) { active = turns }
    // Turns in between, and not those of the timers: each timer begins one.
    let last = try Timer(on: loop) { [loop] in
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
    loop.busyPoll = Self.poll
    let wakeUp = try WakeUp(on: loop) {}
    let (active, idle) = try turns { wakeUp.sender.send() }
    // The turn with the wake-up, one that begins the time, and at least one within it; thousands on a free core.
    #expect(active >= 3)
    #expect(idle == 0, "an idle loop turned \(idle) times")
  }

  @Test func withoutItTheLoopSleepsAtOnce() throws {
    let wakeUp = try WakeUp(on: loop) {}
    let (active, idle) = try turns { wakeUp.sender.send() }
    #expect(active <= 2 && idle == 0)
  }

  @Test func itCanBeSwitchedOff() throws {
    loop.busyPoll = Self.poll
    loop.busyPoll = .zero
    let wakeUp = try WakeUp(on: loop) {}
    let (active, idle) = try turns { wakeUp.sender.send() }
    #expect(active <= 2 && idle == 0)
  }

  @Test func timersAreNoActivity() throws {
    loop.busyPoll = Self.poll
    var fired = 0
    let timer = try Timer(on: loop) { fired += 1 }
    let (active, idle) = try turns { timer.start(after: .milliseconds(5), repeating: .milliseconds(5)) }
    withExtendedLifetime(timer) {}
    // One turn for each, for the two timers that measure, and the first.
    #expect(active + idle <= fired + 3)
  }

  /// The output of a hub that waits for its log, and of a client's first action, is written right before the loop waits.
  @Test func whatIsWrittenBeforeTheLoopWaitsIsActivity() throws {
    loop.busyPoll = Self.poll
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    let stream = try PipeStream.adopting(ends[0], on: loop)
    var isWritten = false
    let writing = try TurnHooks(
      on: loop,
      beforeWaiting: {
        guard !isWritten else { return }
        isWritten = true
        do { #expect(try stream.write([1, 2, 3].span.bytes)) } catch { Issue.record(error) }
      }, {})
    let (active, idle) = try turns {}
    withExtendedLifetime(writing) {}
    #expect(isWritten && active >= 3)
    #expect(idle == 0)
  }

  @Test func receivedBytesAreActivity() throws {
    loop.busyPoll = Self.poll
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    let stream = try PipeStream.adopting(ends[0], on: loop)
    var count = 0
    try stream.startReading(onBytes: { count += $0.byteCount }, onEnd: { _ in })
    #expect(write(ends[1], "abc", 3) == 3)
    let (active, idle) = try turns {}
    #expect(count == 3 && active >= 3)
    #expect(idle == 0)
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
