import EventLoop
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct HandleTests {
  private func run(_ loop: EventLoop, until condition: () -> Bool) {
    let deadline = ContinuousClock.now.advanced(by: .seconds(120))
    while !condition(), ContinuousClock.now < deadline { loop.run(.once) }
    #expect(condition())
  }

  @Test func aTimerFiresNotBeforeItsTimeAndAgainUntilItIsStopped() throws {
    let loop = try EventLoop()
    var fired = 0
    let timer = try Timer(on: loop) { fired += 1 }
    let start = ContinuousClock.now
    timer.start(after: .milliseconds(20), repeating: .milliseconds(1))
    run(loop) { fired >= 1 }
    #expect(ContinuousClock.now - start >= .milliseconds(19))
    // A delayed loop may call it several times in succession.
    run(loop) { fired >= 3 }
    timer.stop()
    let before = fired
    loop.run(.noWait)
    #expect(fired == before)
    // Nothing keeps the loop alive any more.
    #expect(!loop.run(.untilIdle))
  }

  @Test func aThreadWakesTheLoop() throws {
    let loop = try EventLoop()
    var woken = 0
    let wakeUp = try WakeUp(on: loop) { woken += 1 }
    let sender = wakeUp.sender
    Thread.detachNewThread { for _ in 0..<100 { sender.send() } }
    run(loop) { woken > 0 }
    #expect(woken <= 100)
  }

  @Test func wakingALoopThatIsGoneIsNothing() throws {
    let loop = try EventLoop()
    let sender = try WakeUp(on: loop) {}.sender
    loop.close()
    sender.send()
  }

  @Test func aSignalIsACallback() throws {
    let loop = try EventLoop()
    var signals = 0
    let signal = try Signal(on: loop, SIGUSR2) { signals += 1 }
    kill(getpid(), SIGUSR2)
    let keepAlive = try Timer(on: loop) {}
    keepAlive.start(after: .seconds(120))
    run(loop) { signals == 1 }
    signal.close()
  }

  @Test func aPollTellsWhenADescriptorIsReady() throws {
    let loop = try EventLoop()
    let pipe = Foundation.Pipe()
    var events: [Poll.Events] = []
    let poll = try Poll(on: loop, descriptor: pipe.fileHandleForReading.fileDescriptor) {
      if case .success(let ready) = $0 { events.append(ready) }
    }
    try poll.start(.readable)
    loop.run(.noWait)
    #expect(events.isEmpty)
    pipe.fileHandleForWriting.write(Data([1]))
    run(loop) { events == [.readable] }
    poll.stop()
  }

  /// The shell shares its terminal with this process, and its next program expects reads to wait.
  @Test func aPollLeavesADescriptorAsBlockingAsItWas() throws {
    let loop = try EventLoop()
    let pipe = Foundation.Pipe()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    for isBlocking in [true, false] {
      let flags = fcntl(descriptor, F_GETFL) & ~O_NONBLOCK | (isBlocking ? 0 : O_NONBLOCK)
      #expect(fcntl(descriptor, F_SETFL, flags) == 0)
      let poll = try Poll(on: loop, descriptor: descriptor) { _ in }
      try poll.start(.readable)
      loop.run(.noWait)
      #expect(fcntl(descriptor, F_GETFL) == flags)
      poll.stop()
    }
  }

  @Test func hooksComeAroundEveryTurnAndWakeNothing() throws {
    let loop = try EventLoop()
    var turns = 0
    let hooks = try TurnHooks(on: loop) { turns += 1 }
    #expect(!loop.run(.untilIdle))
    let before = turns
    let timer = try Timer(on: loop) {}
    timer.start(after: .milliseconds(5))
    loop.run(.untilIdle)
    #expect(turns > before)
    _ = consume hooks
  }

  @Test func closingALoopClosesWhatIsLeft() throws {
    let loop = try EventLoop()
    let timer = try Timer(on: loop) { Issue.record("a closed timer does not fire") }
    timer.start(after: .zero)
    #expect(loop.handleCount == 1)
    loop.close()
    loop.close()
  }

  @Test func wakingALoopThatClosedTheHandleItselfIsNothing() throws {
    let loop = try EventLoop()
    let wakeUp = try WakeUp(on: loop) { Issue.record("a closed loop wakes nobody") }
    loop.close()
    wakeUp.sender.send()
  }

  @Test func wakeUpsThatComeTogetherAreOneAndALaterOneIsAnother() throws {
    let loop = try EventLoop()
    var woken = 0
    let wakeUp = try WakeUp(on: loop) { woken += 1 }
    for _ in 0..<10 { wakeUp.sender.send() }
    run(loop) { woken > 0 }
    loop.run(.noWait)
    #expect(woken == 1)
    wakeUp.sender.send()
    run(loop) { woken == 2 }
  }

  @Test func startingATimerAnewReplacesItsTime() throws {
    let loop = try EventLoop()
    var fired = 0
    let timer = try Timer(on: loop) { fired += 1 }
    timer.start(after: .zero)
    timer.start(after: .seconds(1000))
    for _ in 0..<5 { loop.run(.noWait) }
    #expect(fired == 0)
    timer.start(after: .nanoseconds(1))
    run(loop) { fired == 1 }
    #expect(!loop.run(.noWait))
  }

  @Test func timersFireInTheOrderOfTheirTimesAndThenOfTheirStart() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    let late = try Timer(on: loop) { order.append(3) }
    let first = try Timer(on: loop) { order.append(1) }
    let second = try Timer(on: loop) { order.append(2) }
    late.start(after: .milliseconds(2))
    first.start(after: .milliseconds(1))
    second.start(after: .milliseconds(1))
    loop.run(.untilIdle)
    #expect(order == [1, 2, 3])
  }

  @Test func twoMayWatchOneSignalAndOneMayLeave() throws {
    let loop = try EventLoop()
    var (first, second) = (0, 0)
    let stays = try Signal(on: loop, SIGURG) { first += 1 }
    let leaves = try Signal(on: loop, SIGURG) { second += 1 }
    let keepAlive = try Timer(on: loop) {}
    keepAlive.start(after: .seconds(120))
    kill(getpid(), SIGURG)
    run(loop) { first == 1 && second == 1 }
    leaves.close()
    kill(getpid(), SIGURG)
    run(loop) { first == 2 }
    #expect(second == 1)
    stays.close()
  }

  @Test func stopEndsARunThatHasMoreToDo() throws {
    let loop = try EventLoop()
    var fired = 0
    let timer = try Timer(on: loop) {
      fired += 1
      if fired == 3 { loop.stop() }
    }
    timer.start(after: .zero, repeating: .milliseconds(1))
    #expect(loop.run(.untilIdle))
    #expect(fired == 3)
  }

  @Test func tasksOfTheMainActorRunWhileATestPumps() async throws {
    let loop = try EventLoop()
    var (fired, resumed) = (false, false)
    let timer = try Timer(on: loop) { fired = true }
    timer.start(after: .milliseconds(2))
    Task {
      try await Task.sleep(for: .milliseconds(1))
      resumed = true
    }
    #expect(await loop.pump { fired && resumed })
    #expect(await !loop.pump(until: { false }, timeout: .milliseconds(5)))
    _ = consume timer
  }
}
