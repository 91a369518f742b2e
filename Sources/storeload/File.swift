import Glibc
import ProgramOptions

/// Reads and writes small files as a whole.
enum File {
  /// Returns the text of a file, or nil if it cannot be read. `-` is standard input.
  static func read(_ path: String) -> String? {
    guard let file = fopen(path == "-" ? "/dev/stdin" : path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&block, 1, block.count, file)
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Returns true if a file can be written; creates it if it is missing.
  static func canWrite(_ path: String) -> Bool {
    guard let file = fopen(path, "a") else { return false }
    return fclose(file) == 0
  }

  /// Writes a file; returns false if it cannot be written.
  static func write(_ text: String, to path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    let isWritten = fputs(text, file) >= 0
    return fclose(file) == 0 && isWritten
  }
}

/// The signals that end a run early. All threads block them, and the main thread receives them while it waits.
enum Signals {
  nonisolated private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
    return set
  }

  /// Blocks the signals. Call it before any thread is started.
  static func block() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits some seconds, and returns the number of a signal that arrived.
  static func wait(_ seconds: Double) -> Int32? {
    var set = set
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    let number = sigtimedwait(&set, nil, &time)
    return number > 0 ? number : nil
  }
}
