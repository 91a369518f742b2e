internal import Glibc

/// Lines for the operator on standard error, by level.
///
/// A line is written whole or not at all, and never waits: when nobody reads standard error, lines are dropped and
/// their number is told once there is room again. Under systemd, lines begin with their level as `<6>`
/// (sd-daemon(3)); elsewhere with its name.
public final class Log {
  /// How much an operator wants to know; each level includes those before it.
  public enum Level: Int, CaseIterable, Comparable, Sendable {
    /// The hub cannot do what it is there for.
    case error
    /// Someone did something wrong, and the hub went on.
    case warning
    /// What an operator wants to know.
    case info
    /// What a developer wants to know.
    case debug

    public nonisolated static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The level's number in syslog(3).
    nonisolated var priority: Int {
      switch self {
      case .error: 3
      case .warning: 4
      case .info: 6
      case .debug: 7
      }
    }
  }

  private let program: String
  private let level: Level
  private let isUnderSystemd: Bool
  private let descriptor: CInt
  private var droppedCount = 0

  /// Creates a log that names a program at the head of its lines.
  public init(program: String, level: Level, descriptor: CInt = 2) {
    self.program = program
    self.level = level
    self.descriptor = descriptor
    isUnderSystemd = getenv("JOURNAL_STREAM") != nil
  }

  /// Writes a line, if its level is wanted. The text is not made when it is not.
  public func write(_ level: Level, _ text: @autoclosure () -> String) {
    guard level <= self.level else { return }
    if droppedCount > 0, put(.warning, "\(droppedCount) log lines were dropped because nobody read them") {
      droppedCount = 0
    }
    if droppedCount > 0 || !put(level, text()) { droppedCount += 1 }
  }

  private func put(_ level: Level, _ text: String) -> Bool {
    let head = isUnderSystemd ? "<\(level.priority)>" : "\(program): \(level): "
    // A pipe that poll(2) calls writable takes PIPE_BUF bytes at once, so a line of that size does not block.
    let line = Array((head + text).utf8.prefix(Int(PIPE_BUF) - 1)) + [UInt8(ascii: "\n")]
    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard Glibc.poll(&poll, 1, 0) == 1, poll.revents & Int16(POLLOUT) != 0 else { return false }
    return Glibc.write(descriptor, line, line.count) == line.count
  }
}
