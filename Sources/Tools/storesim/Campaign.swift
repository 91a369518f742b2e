import Glibc
import ProgramOptions
import Simulation

/// A campaign of many seeds on several processes. A seed that traps ends one process, and is reported like other
/// failures.
struct Campaign {
  let first: UInt64
  let count: UInt64
  let jobs: Int
  let world: World

  // MARK: One process

  /// Runs every `stride`-th seed, with a line before and after each.
  func work(stride: UInt64) -> Bool {
    var isSound = true
    for seed in Swift.stride(from: first, to: first + count, by: Int(stride)) {
      write("start \(seed)\n")
      let outcome = world.run(seed)
      if let failure = outcome.failure {
        write("failed \("\(failure)".split(separator: "\n").joined(separator: " "))\n")
        isSound = false
      } else {
        write("done \(outcome.statistics.numbers.map(String.init).joined(separator: " "))\n")
      }
    }
    return isSound
  }

  private func write(_ line: String) { _ = Glibc.write(STDOUT_FILENO, line, line.utf8.count) }

  // MARK: All processes

  private final class Worker {
    let process: pid_t
    let output: CInt
    var text = ""
    var seed: UInt64?

    init(_ process: pid_t, _ output: CInt) { (self.process, self.output) = (process, output) }
  }

  /// Runs all seeds, and prints the progress on a terminal and a summary; returns false if a seed has failed.
  func run() -> Bool {
    let start = Self.seconds()
    var (workers, doneCount, sum) = ([Worker](), 0, [Int](repeating: 0, count: world.statistics(of: []).numbers.count))
    for index in 0..<UInt64(jobs) where index < count {
      guard let worker = spawn(index) else {
        printError("storesim: cannot start a process")
        return false
      }
      workers.append(worker)
    }
    var failures: [(seed: UInt64, text: String)] = []
    var areComplete = true
    let showsProgress = isatty(STDERR_FILENO) == 1
    while !workers.isEmpty {
      var polls = workers.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
      poll(&polls, nfds_t(polls.count), 1000)
      var ended: [Int] = []
      for (index, worker) in workers.enumerated() where polls[index].revents != 0 {
        let goesOn = readLines(of: worker) { line, rest in
          switch line {
          case "start": worker.seed = UInt64(rest)
          case "done":
            (worker.seed, doneCount) = (nil, doneCount + 1)
            let numbers = rest.split(separator: " ").compactMap { Int($0) }
            for index in sum.indices where index < numbers.count { sum[index] += numbers[index] }
          case "failed":
            failures.append((worker.seed.take() ?? 0, String(rest)))
            doneCount += 1
          default: break
          }
        }
        if !goesOn { ended.append(index) }
      }
      for index in ended.reversed() {
        let worker = workers.remove(at: index)
        var status: CInt = 0
        waitpid(worker.process, &status, 0)
        close(worker.output)
        // Statuses 0 and 1 are those of a process that has run all its seeds.
        if let seed = worker.seed {
          failures.append((seed, "the process has trapped; later seeds were not run"))
        } else if status & 0x7f != 0 || status >> 8 > 1 {
          areComplete = false
        }
      }
      if showsProgress { showProgress(doneCount, Self.seconds() - start, failures.count) }
    }
    if showsProgress { printError("") }
    let time = max(Self.seconds() - start, 0.001)
    print(world.statistics(of: sum).text)
    print("\(doneCount) of \(count) seeds in \(Self.text(time)) s: \(Self.text(Double(doneCount) / time)) a second")
    if failures.count > 20 { print("\(failures.count) seeds have failed; the first 20:") }
    for failure in failures.sorted(by: { $0.seed < $1.seed }).prefix(20) {
      print("seed \(failure.seed): \(failure.text)")
      print("  storesim \((world.options + ["--seed", "\(failure.seed)", "--trace"]).joined(separator: " "))")
    }
    let isComplete = areComplete && doneCount == count
    if !isComplete { printError("storesim: a process has ended early; \(doneCount) of \(count) seeds were run") }
    return failures.isEmpty && isComplete
  }

  /// Starts a process that runs every `jobs`-th seed.
  private func spawn(_ index: UInt64) -> Worker? {
    var pipes: [CInt] = [-1, -1]
    guard pipe(&pipes) == 0 else { return nil }
    // Otherwise other processes would keep this one's pipe open.
    for pipe in pipes { _ = fcntl(pipe, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let program = ProcessArguments.all.first ?? "storesim"
    let words =
      [program, "--stride", "\(jobs)", "--from", "\(first + index)", "--seeds", "\(count - index)"] + world.options
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // A trap is reported with its seed; run that seed alone for a backtrace.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    var process: pid_t = 0
    let status = posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ)
    close(pipes[1])
    guard status == 0 else {
      close(pipes[0])
      return nil
    }
    return Worker(process, pipes[0])
  }

  /// Reads the output of a process; returns false at its end.
  private func readLines(of worker: Worker, _ body: (Substring, Substring) -> Void) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(worker.output, &buffer, buffer.count)
    guard count > 0 else { return false }
    worker.text += String(decoding: buffer[..<count], as: UTF8.self)
    while let end = worker.text.firstIndex(of: "\n") {
      let line = worker.text[..<end]
      worker.text.removeSubrange(...end)
      let words = line.split(separator: " ", maxSplits: 1)
      if words.count == 2 { body(words[0], words[1]) }
    }
    return true
  }

  // MARK: Progress

  private func showProgress(_ done: Int, _ time: Double, _ failures: Int) {
    let share = Double(done) / Double(count)
    let width = 40
    let full = Int(share * Double(width))
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
    let rate = Self.text(Double(done) / max(time, 0.001))
    let line = "\r[\(bar)] \(done) of \(count), \(rate) a second, \(failures) failed "
    _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
  }

  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
