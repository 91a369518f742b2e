internal import Glibc

/// The default path of a hub's socket: `$STOREHUB_SOCKET`, otherwise `storehub/hub.sock` in `$XDG_RUNTIME_DIR`,
/// otherwise `storehub-UID/hub.sock` in `$TMPDIR` or `/tmp`. For other hubs than storehubd, the name of their directory
/// replaces `storehub`.
package func defaultSocketPath(in name: String = "storehub") -> String {
  let environment = { (name: String) in getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } }
  if let path = environment("STOREHUB_SOCKET") { return path }
  if let directory = environment("XDG_RUNTIME_DIR") { return directory + "/\(name)/hub.sock" }
  return (environment("TMPDIR") ?? "/tmp") + "/\(name)-\(getuid())/hub.sock"
}

/// Creates the directory of a socket path if it is missing, accessible only to this user.
///
/// - Throws: An error if it cannot be created.
package func makeSocketDirectory(for path: String) throws(UsageError) {
  guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
  let directory = String(path[..<slash])
  if mkdir(directory, 0o700) == 0 { return }
  guard errno == EEXIST else {
    throw UsageError("cannot create the directory \(directory): \(String(cString: strerror(errno)))")
  }
}
