public import EventLoop
internal import Glibc
internal import ServiceManager

/// The operator's log, with levels. It writes records with fields if standard error is connected to systemd's journal,
/// and lines otherwise.
///
/// A line is written completely or not at all, and writing never blocks. While nobody reads the lines they are dropped,
/// and their number is logged once there is room again. Control characters in a text, line breaks as well, are shown by
/// their numbers, so that it stays one line; the journal gets them as they are. For a service manager without a journal,
/// lines begin with their level as `<6>` (sd-daemon(3)); elsewhere they begin with its name.
///
/// Lines that clients can provoke have a *cause*. At most 10 lines of each cause are written in 10 seconds; the others
/// are counted, and one line reports their number. Debug lines are not limited.
public final class Log {
  /// The importance of a line; each level includes those before it.
  public enum Level: Int, CaseIterable, Comparable, Sendable {
    /// The hub cannot serve.
    case error
    /// Something went wrong, but the hub continues.
    case warning
    /// For operators.
    case info
    /// For developers.
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

  /// The cause of a line: the kind of the event, and the user.
  public struct Cause: Hashable, Sendable, CustomStringConvertible {
    /// The kind of event, in the plural, such as `refused actions`.
    public let kind: String
    /// The user whose process caused the event; nil if it was no particular user.
    public let user: UInt32?

    /// Creates a cause.
    public nonisolated init(_ kind: String, user: UInt32? = nil) {
      (self.kind, self.user) = (kind, user)
    }

    /// A description of the kind and the user.
    public nonisolated var description: String { user.map { "\(kind), user \($0)" } ?? kind }
  }

  /// Data for the journal in addition to the text of a line.
  public struct Details: Sendable {
    /// The kind of the event.
    public var id: MessageID?
    /// Fields for the journal: names in capital letters, digits and underscores, without the prefix `STOREHUB_`, and
    /// values.
    public var fields: KeyValuePairs<String, String>

    /// Creates details.
    public nonisolated init(_ id: MessageID? = nil, _ fields: KeyValuePairs<String, String> = [:]) {
      (self.id, self.fields) = (id, fields)
    }
  }

  /// The number of lines of one cause that are written in `interval`; the others are counted.
  public static let linesPerCause = 10
  /// The time after which lines of one cause are written again.
  public static let interval = Duration.seconds(10)
  /// The number of causes that are counted separately in `interval`; further ones share one limit.
  package static let causeLimit = 256

  /// The lines of one cause since a start time.
  private struct Window {
    let start: Duration
    let level: Level
    var written = 0
    var suppressed = 0
  }

  /// The least important level that is written; a reload may change it.
  public var level: Level
  private let output: LogOutput
  private let clock: () -> Duration
  private var windows: [Cause: Window] = [:]
  /// The earliest end of a window when the table was full; before it no window can be removed.
  private var cleanupTime: Duration?
  /// The earliest end of a window with counted lines.
  private var summaryTime: Duration?
  private var timer: Timer?

  /// Creates a log that begins its lines with the name of a program.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - level: The least important level that is written.
  ///   - descriptor: The file descriptor for the lines.
  ///   - clock: A monotonic time.
  public init(
    program: String, level: Level, descriptor: CInt = 2, clock: @escaping () -> Duration = Log.monotonicTime
  ) {
    self.level = level
    self.clock = clock
    output = LogOutput(program: program, descriptor: descriptor)
  }

  /// The time of CLOCK_MONOTONIC.
  public nonisolated static func monotonicTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// Also writes summaries when no further line comes, by a timer of a loop.
  ///
  /// The timer runs only while there are lines to summarise, so it does not wake an idle hub. Without it, summaries are
  /// written with the next line that has a cause, and by `flush`.
  public func summarise(on loop: EventLoop) throws(UVError) {
    timer = try Timer(on: loop) { [weak self] in self?.timerFired() }
    timer?.keepsLoopAlive(false)
    armTimer(at: clock())
  }

  /// Writes a line if its level is enabled. The text is evaluated only in this case.
  public func write(
    _ level: Level, _ text: @autoclosure () -> String, _ details: @autoclosure () -> Details = Details()
  ) {
    guard level <= self.level else { return }
    output.deliver(level, text(), details())
  }

  /// Writes a line if its level is enabled and the limit of its cause is not reached. The text is evaluated only if it
  /// is written.
  /// - Complexity: O(1), and O(causes) at most once in `interval` for each cause.
  public func write(
    _ level: Level, cause: Cause, _ text: @autoclosure () -> String, _ details: @autoclosure () -> Details = Details()
  ) {
    guard level <= self.level else { return }
    guard level == .debug || admits(cause, level) else { return }
    output.deliver(level, text(), details())
  }

  /// Writes the summaries of all counted lines, and waits up to a second for the journal. Call it before the program
  /// ends.
  public func flush() {
    summarise(at: nil)
    output.flush()
  }

  // MARK: Limits

  private func admits(_ cause: Cause, _ level: Level) -> Bool {
    let now = clock()
    if let summaryTime, now >= summaryTime { summarise(at: now) }
    var cause = cause
    if windows[cause] == nil, windows.count >= Self.causeLimit {
      removeEndedWindows(at: now)
      if windows.count >= Self.causeLimit { cause = Cause("events of other causes") }
    }
    var window = windows[cause] ?? Window(start: now, level: level)
    if now >= window.start + Self.interval { window = Window(start: now, level: level) }
    defer { windows[cause] = window }
    if window.written < Self.linesPerCause {
      window.written += 1
      return true
    }
    window.suppressed += 1
    guard window.suppressed == 1 else { return false }
    let end = window.start + Self.interval
    summaryTime = min(summaryTime ?? end, end)
    armTimer(at: now)
    return false
  }

  private func removeEndedWindows(at now: Duration) {
    if let cleanupTime, now < cleanupTime { return }
    // Windows with lines to summarise were removed before.
    windows = windows.filter { now < $0.value.start + Self.interval }
    cleanupTime = windows.values.lazy.map { $0.start + Self.interval }.min()
  }

  /// Writes the summaries whose time has come, or all of them if `now` is nil.
  private func summarise(at now: Duration?) {
    let due = windows.filter { now == nil || now ?? .zero >= $0.value.start + Self.interval }
    for (cause, window) in due.sorted(by: { $0.value.start < $1.value.start }) {
      windows[cause] = nil
      guard window.suppressed > 0 else { continue }
      let seconds = Self.interval.components.seconds
      output.deliver(
        window.level, "… and \(window.suppressed) more like this in \(seconds) s (\(cause))",
        Details(
          .repeated,
          ["COUNT": "\(window.suppressed)", "CAUSE": cause.kind, "UID": cause.user.map { "\($0)" } ?? ""]))
    }
    summaryTime = windows.values.lazy.filter { $0.suppressed > 0 }.map { $0.start + Self.interval }.min()
  }

  private func timerFired() {
    let now = clock()
    if let summaryTime, now >= summaryTime { summarise(at: now) }
    armTimer(at: now)
  }

  private func armTimer(at now: Duration) {
    guard let summaryTime else { return }
    timer?.start(after: max(summaryTime - now, .milliseconds(1)))
  }
}
