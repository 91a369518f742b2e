import EventLoop
import Glibc
import Testing

@Suite(.timeLimit(.minutes(30))) struct HandleEndTests {
  @Test func handlesMayGoAwayInTheirOwnCallbacks() throws {
    final class Holder {
      var timer: Timer?
      var wakeUp: WakeUp?
      var signal: Signal?
      var hooks: TurnHooks?
    }
    let loop = try EventLoop()
    let holder = Holder()
    let start = loop.now
    var calls: Set<String> = []
    holder.timer = try Timer(on: loop) {
      holder.timer = nil
      #expect(calls.insert("timer").inserted)
    }
    holder.wakeUp = try WakeUp(on: loop) {
      holder.wakeUp = nil
      #expect(calls.insert("wake-up").inserted)
    }
    holder.signal = try Signal(on: loop, SIGWINCH) {
      holder.signal = nil
      #expect(calls.insert("signal").inserted)
    }
    holder.hooks = try TurnHooks(on: loop) {
      holder.hooks = nil
      #expect(calls.insert("hooks").inserted)
    }
    holder.timer?.start(after: .zero, repeating: .milliseconds(1))
    holder.wakeUp?.sender.send()
    kill(getpid(), SIGWINCH)
    // The next timer ends a loop that would otherwise wait forever.
    let deadline = try Timer(on: loop) {}
    deadline.start(after: .seconds(120))
    while calls.count < 4, loop.now < start + .seconds(120) { loop.run(.once) }
    #expect(calls.count == 4)
    _ = consume deadline
    loop.run(.noWait)
    #expect(loop.handleCount == 0)
    loop.close()
  }
}
