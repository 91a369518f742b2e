import EventLoop
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct HandleTests {
  private func run(_ loop: EventLoop, until condition: () -> Bool) {
    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
    while !condition(), ContinuousClock.now < deadline { loop.run(.once) }
    #expect(condition())
  }

  @Test func aTimerFiresNotBeforeItsTimeAndAgainUntilItIsStopped() throws {
    let loop = try EventLoop()
    var fired = 0
    let timer = try Timer(on: loop) { fired += 1 }
    let start = ContinuousClock.now
    timer.start(after: .milliseconds(20), repeating: .milliseconds(1))
    run(loop) { fired == 1 }
    #expect(ContinuousClock.now - start >= .milliseconds(19))
    run(loop) { fired == 3 }
    timer.stop()
    loop.run(.noWait)
    #expect(fired == 3)
    // Nothing is left that would keep the loop alive.
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
    keepAlive.start(after: .seconds(20))
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
}
