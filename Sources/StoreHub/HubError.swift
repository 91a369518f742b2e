public import EventLoop
internal import Glibc

/// Why a hub cannot serve a socket.
public nonisolated enum HubError: Error, Equatable, Sendable {
  /// Another process serves the path now.
  case alreadyServed(path: String)
  /// Something that is not a socket is at the path; it is left alone.
  case notASocket(path: String)
  /// A system call on the path failed with an errno.
  case system(operation: String, path: String, errno: CInt)
  /// The loop could not do what was asked of it.
  case loop(UVError)
}

nonisolated extension HubError: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    switch self {
    case .alreadyServed(let path):
      "another hub serves \(path) already; stop that one, or choose another path with --socket"
    case .notASocket(let path):
      "\(path) exists and is not a socket; it is left as it is: choose another path with --socket"
    case .system(let operation, let path, ENOENT):
      "cannot \(operation) \(path): its directory does not exist; make it first"
    case .system(let operation, let path, let code):
      "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    case .loop(let error):
      "\(error)"
    }
  }
}
