internal import Glibc
internal import Synchronization

/// A file of Chrome trace events, which Perfetto and `chrome://tracing` open.
///
/// The format is the JSON array of the "Trace Event Format"; the closing bracket may be missing, so that a process
/// that dies leaves a file that can be read.
public final class TraceLog: Sendable {
  enum Phase: String {
    case begin = "B"
    case end = "E"
    case asyncBegin = "b"
    case asyncEnd = "e"
    case instant = "n"
  }

  /// The file that the environment variable `STOREHUB_TRACE` names; nil when it is not set or cannot be made.
  public static let environment: TraceLog? = getenv("STOREHUB_TRACE").flatMap { TraceLog(path: String(cString: $0)) }

  private let descriptor: Int32
  private let lastID = Mutex<UInt64>(0)
  private let writing = Mutex(())
  private let start = ContinuousClock.now

  /// A log to a file, which is made anew; nil when it cannot be.
  public init?(path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    let program = escaped(CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "")
    put("[\n" + #"{"name":"process_name","ph":"M","pid":\#(getpid()),"args":{"name":"\#(program)"}}"#)
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
    let what = #"{"name":"\#(escaped(name))","cat":"\#(category)","ph":"\#(phase.rawValue)","ts":"#
    let place = #","pid":\#(getpid()),"tid":\#(UInt64(pthread_self()) & 0xff_ffff)"#
    // Local: beside the threads of this process, also when traces of several are looked at together.
    let id = id.map { #","id2":{"local":"\#($0)"}"# } ?? ""
    // The events are in the order of their times.
    writing.withLock { _ in put(",\n\(what)\(microseconds)\(place)\(id)}") }
  }

  /// The time since the start, with three decimals, since most reducers take less than one microsecond.
  private var microseconds: String {
    let time = (ContinuousClock.now - start).components
    let nanoseconds = time.attoseconds / 1_000_000_000
    return "\(time.seconds * 1_000_000 + nanoseconds / 1000).\(String(1000 + nanoseconds % 1000).dropFirst())"
  }

  private func put(_ text: String) {
    _ = text.utf8CString.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count - 1) }
  }

  private func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
