public import EventLoop
internal import Glibc

/// The reasons why a hub cannot serve a socket.
public nonisolated enum HubError: Error, Equatable, Sendable {
  /// Another process serves the path.
  case alreadyServed(path: String)
  /// The file at the path is not a socket; it is left unchanged.
  case notASocket(path: String)
  /// A system call on the path failed with an errno.
  case system(operation: String, path: String, errno: CInt)
  /// The feature's initial state cannot be read back from its bytes, by clients or after a restart.
  case unreadableInitialState(String)
  /// The program does not know a calendar, a time zone or a locale.
  case unknownRegion(String)
  /// An operation of the event loop failed.
  case loop(UVError)
}

nonisolated extension HubError: CustomStringConvertible {
  /// The problem, the path, and the remedy.
  public var description: String {
    switch self {
    case .alreadyServed(let path):
      "another hub serves \(path); stop it, or choose another path with --socket"
    case .notASocket(let path):
      "\(path) exists and is not a socket; remove it, or choose another path with --socket"
    case .system(let operation, let path, ENOENT):
      "cannot \(operation) \(path): its directory does not exist; create it first"
    case .system(let operation, let path, let code) where [EACCES, EPERM].contains(code):
      """
      cannot \(operation) \(path): \(String(cString: strerror(code))); start the hub as the user to whom the file or its \
      directory belongs, or choose another path with --socket
      """
    case .system(let operation, let path, EROFS):
      """
      cannot \(operation) \(path): \(String(cString: strerror(EROFS))); mount its file system writable, or choose \
      another path with --socket
      """
    case .system(let operation, let path, let code):
      "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    case .unreadableInitialState(let problem):
      "the feature's initial state cannot be read back from its bytes: \(problem); change the initial state"
    case .unknownRegion(let problem):
      problem
    case .loop(let error):
      "\(error)"
    }
  }
}
