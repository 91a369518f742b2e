import EventLoop
import Glibc

// Prints what a test wants to know of a loop that drives the main actor: which threads ran what, and what an idle
// second costs.

let mainThread = pthread_self()
func isMainThread() -> Bool { pthread_equal(pthread_self(), mainThread) != 0 }

let loop = try EventLoop()
try loop.drainMainQueue()
var findings: [String] = []
var turns = 0
let hooks = try TurnHooks(on: loop) { turns += 1 }

let timer = try Timer(on: loop) { findings.append("timer \(isMainThread())") }
timer.start(after: .milliseconds(5))
let wakeUp = try WakeUp(on: loop) { findings.append("wake-up \(isMainThread())") }
let sender = wakeUp.sender

Task {
  findings.append("task \(isMainThread())")
  try? await Task.sleep(for: .milliseconds(10))
  findings.append("after sleep \(isMainThread())")
  let elsewhere = await Task.detached { [mainThread] in pthread_equal(pthread_self(), mainThread) != 0 }.value
  findings.append("detached \(elsewhere)")
  findings.append("back \(isMainThread())")
  sender.send()
  try? await Task.sleep(for: .milliseconds(50))
  let before = turns
  // Nothing but this sleep is under way: the loop must not turn until it is over.
  try? await Task.sleep(for: .seconds(1))
  findings.append("turns \(turns - before)")
  loop.stop()
}

let keepAlive = try Timer(on: loop) {}
keepAlive.start(after: .seconds(60))
loop.run()
for finding in findings { print(finding) }
