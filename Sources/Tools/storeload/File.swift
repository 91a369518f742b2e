import Glibc
import ProgramOptions

/// Reads and writes small files as a whole.
enum File {
  /// The reason why a file cannot be read.
  enum Failure: Error, CustomStringConvertible {
    case system(CInt)
    /// The number of its first line that is not UTF-8, counted from 1.
    case notText(line: Int)

    var isMissing: Bool { if case .system(ENOENT) = self { true } else { false } }

    var description: String {
      switch self {
      case .system(let code): String(cString: strerror(code))
      case .notText(let line): "line \(line) is not UTF-8"
      }
    }
  }

  /// Returns the text of a file. `-` is standard input.
  static func read(_ path: String) throws(Failure) -> String {
    guard let file = fopen(path == "-" ? "/dev/stdin" : path, "r") else { throw .system(errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&block, 1, block.count, file)
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    guard ferror(file) == 0 else { throw .system(errno) }
    // Decoding replaces wrong bytes, and the hub would be sent another text than the file has.
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let wrong = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
      throw .notText(line: wrong + 1)
    }
    return text
  }

  /// Opens a file for `write(_:to:)`, until which its contents stay; nil if it cannot be written.
  static func open(_ path: String) -> UnsafeMutablePointer<FILE>? {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    return descriptor < 0 ? nil : fdopen(descriptor, "w")
  }

  /// Replaces the contents of a file and closes it; returns false if it cannot be written.
  static func write(_ text: String, to file: UnsafeMutablePointer<FILE>) -> Bool {
    // A pipe has no contents to remove.
    let isEmpty = ftruncate(fileno(file), 0) == 0 || errno == EINVAL
    let isWritten = isEmpty && fputs(text, file) >= 0
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
