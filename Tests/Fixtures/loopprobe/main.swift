import EventLoop
import Glibc

// Prints measurements of a loop that drives the main actor: the threads on which code ran, and the cost of an idle
// second.

/// Returns true on the main thread, whose id is that of the process (gettid(2), proc_thread-self(5)).
nonisolated func isMainThread() -> Bool {
  var target = [CChar](repeating: 0, count: 64)
  let count = readlink("/proc/thread-self", &target, target.count)
  let name = String(decoding: target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return name == "\(getpid())/task/\(getpid())"
}

/// The number of times that the main thread has given up the processor to wait (proc_pid_status(5)).
func voluntarySwitches() -> Int {
  guard let file = fopen("/proc/self/status", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, CInt(line.count), file) != nil {
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    if words.first == "voluntary_ctxt_switches:" { return words.last.flatMap { Int($0) } ?? 0 }
  }
  return 0
}

func descriptorCount() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}

/// Opens and closes a listener and a connection.
func connectOnce(on loop: EventLoop, path: String) throws {
  final class Ends {
    var listener: PipeListener?
    var server: PipeStream?
  }
  let ends = Ends()
  var isConnected = false
  ends.listener = try PipeListener(on: loop, path: path) { _ in ends.server = try? ends.listener?.accept() }
  let client = try PipeStream(on: loop)
  try client.connect(to: path) { _ in isConnected = true }
  while !isConnected || ends.server == nil { loop.run(.once) }
  ends.listener = nil
  ends.server = nil
  _ = consume client
  loop.run(.noWait)
}

/// Pauses the main queue, and resumes it from a timer's callback.
func pauseOnce() {
  var isPaused = true
  loop.pauseMainQueue()
  Task {
    findings.append("paused \(isPaused)")
    loop.stop()
  }
  onTimer = {
    isPaused = false
    loop.resumeMainQueue()
  }
  timer.start(after: .milliseconds(50))
}

let loop = try EventLoop()
try loop.drainMainQueue()
var findings: [String] = []
var turns = 0
let hooks = try TurnHooks(on: loop) { turns += 1 }

var onTimer = { findings.append("timer \(isMainThread())") }
let timer = try Timer(on: loop) { onTimer() }
timer.start(after: .milliseconds(5))
let wakeUp = try WakeUp(on: loop) { findings.append("wake-up \(isMainThread())") }
let sender = wakeUp.sender

Task {
  findings.append("task \(isMainThread())")
  try? await Task.sleep(for: .milliseconds(10))
  findings.append("after sleep \(isMainThread())")
  let elsewhere = await Task.detached { isMainThread() }.value
  findings.append("detached \(elsewhere)")
  findings.append("back \(isMainThread())")
  sender.send()
  try? await Task.sleep(for: .milliseconds(50))
  let (before, switches) = (turns, voluntarySwitches())
  // Only this sleep is pending: the loop must not turn until it is over.
  try? await Task.sleep(for: .seconds(1))
  findings.append("turns \(turns - before)")
  findings.append("switches \(voluntarySwitches() - switches)")
  pauseOnce()
}

let keepAlive = try Timer(on: loop) {}
keepAlive.start(after: .seconds(60))
loop.run()

let path = "/tmp/loopprobe-\(getpid())"
try connectOnce(on: loop, path: path)
let (descriptors, handles) = (descriptorCount(), loop.handleCount)
for _ in 0..<100 { try connectOnce(on: loop, path: path) }
findings.append("descriptors left \(descriptorCount() - descriptors)")
findings.append("handles left \(loop.handleCount - handles)")

for finding in findings { print(finding) }
