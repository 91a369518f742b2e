internal import Glibc
internal import JSONText
internal import Synchronization

/// A file of Chrome trace events, which Perfetto and `chrome://tracing` open.
///
/// The format is the JSON array of the "Trace Event Format". The closing bracket may be missing, so the file of a
/// crashed process remains readable.
public final class TraceLog: Sendable {
  enum Phase: String {
    case begin = "B"
    case end = "E"
    case asyncBegin = "b"
    case asyncEnd = "e"
    case instant = "n"
  }

  /// The file named by the environment variable `STOREHUB_TRACE`; nil if the variable is not set or the file cannot be
  /// created.
  public static let environment: TraceLog? = getenv("STOREHUB_TRACE").flatMap { TraceLog(path: String(cString: $0)) }

  private let descriptor: Int32
  private let lastID = Mutex<UInt64>(0)
  private let writing = Mutex(())
  private let start = ContinuousClock.now

  /// Creates a file, replacing an existing one; returns nil if that fails.
  public init?(path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    let name: JSONValue = [
      "name": "process_name", "ph": "M", "pid": .integer(getpid()), "args": ["name": .string(program)],
    ]
    put("[\n\(name)")
  }

  deinit {
    put("\n]\n")
    close(descriptor)
  }

  func nextID() -> UInt64 {
    lastID.withLock {
      $0 += 1
      return $0
    }
  }

  func write(_ phase: Phase, _ name: String, category: String, id: UInt64? = nil) {
    let what: [JSONValue.Member] = [
      .init("name", .string(name)), .init("cat", .string(category)), .init("ph", .string(phase.rawValue)),
    ]
    var place: [JSONValue.Member] = [
      .init("pid", .integer(getpid())), .init("tid", .integer(UInt64(pthread_self()) & 0xff_ffff)),
    ]
    // Local: the id stays distinct when traces of several processes are viewed together.
    if let id { place.append(.init("id2", ["local": .string("\(id)")])) }
    // Within the lock, so that the events are ordered by time.
    writing.withLock { _ in
      put(",\n\(JSONValue.object(what + [.init("ts", .number(microseconds))] + place))")
    }
  }

  /// The time since the start in microseconds, with three decimals, because most reducers take less than one
  /// microsecond.
  private var microseconds: String {
    let time = (ContinuousClock.now - start).components
    let nanoseconds = time.attoseconds / 1_000_000_000
    return "\(time.seconds * 1_000_000 + nanoseconds / 1000).\(String(1000 + nanoseconds % 1000).dropFirst())"
  }

  private func put(_ text: String) {
    _ = text.utf8CString.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count - 1) }
  }
}
