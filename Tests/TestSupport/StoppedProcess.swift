import Foundation

/// Stops a process with SIGSTOP, and returns when all its threads have stopped, so that it surely does nothing more.
///
/// The signal alone does not mean that: a thread of the process must run before it takes effect, and on a busy machine the
/// process may answer before that.
public func stopProcess(_ process: Int32) {
  kill(process, SIGSTOP)
  while !isStopped(process) { usleep(1_000) }
}

/// Whether each thread has stopped, as proc_pid_stat(5) shows it, or the process has ended.
private func isStopped(_ process: Int32) -> Bool {
  let tasks = "/proc/\(process)/task"
  let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
  return threads.allSatisfy { thread in
    // The name of the program, in parentheses, may contain anything.
    guard let text = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8),
      let state = text.split(separator: ")").last?.dropFirst().first
    else { return true }
    return "TtXZ".contains(state)
  }
}
