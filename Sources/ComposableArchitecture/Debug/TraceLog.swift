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

  private struct State {
    var lastID: UInt64 = 0
    var hasEvents = false
  }

  private let descriptor: Int32
  private let state = Mutex(State())
  private let start = ContinuousClock.now

  /// A log to a file, which is made anew; nil when it cannot be.
  public init?(path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    put("[\n")
  }

  deinit {
    put("\n]\n")
    close(descriptor)
  }

  func nextID() -> UInt64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  func write(_ phase: Phase, _ name: String, category: String, id: UInt64? = nil) {
    let elapsed = (ContinuousClock.now - start).components
    let microseconds = elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000
    let id = id.map { #","id":\#($0)"# } ?? ""
    let event =
      #"{"name":"\#(escaped(name))","cat":"\#(category)","ph":"\#(phase.rawValue)","ts":\#(microseconds),"#
      + #""pid":\#(getpid()),"tid":\#(UInt64(pthread_self()) & 0xff_ffff)\#(id)}"#
    state.withLock {
      put($0.hasEvents ? ",\n" + event : event)
      $0.hasEvents = true
    }
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
