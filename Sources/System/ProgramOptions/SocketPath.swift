internal import Glibc

/// The default path of a hub's socket: `$STOREHUB_SOCKET`, otherwise `storehub/hub.sock` in `$XDG_RUNTIME_DIR`,
/// otherwise `storehub-UID/hub.sock` in `$TMPDIR` or `/tmp`. For other hubs than storehubd, the name of their directory
/// replaces `storehub`.
package func defaultSocketPath(in name: String = "storehub") -> String {
  if let path = environment("STOREHUB_SOCKET") { return path }
  if let directory = environment("XDG_RUNTIME_DIR") { return directory + "/\(name)/hub.sock" }
  return (environment("TMPDIR") ?? "/tmp") + "/\(name)-\(getuid())/hub.sock"
}

/// The explanation of `STOREHUB_SOCKET` in manual pages; see `defaultSocketPath`.
package func socketVariable(in name: String = "storehub") -> (String, String) {
  (
    "STOREHUB_SOCKET",
    "the socket; without it \(name)/hub.sock in $XDG_RUNTIME_DIR, or \(name)-UID/hub.sock in $TMPDIR or /tmp"
  )
}

/// The explanation of `STOREHUB_STATE_DIR` in manual pages; see `ParsedOptions.stateDirectory`.
package func stateDirectoryVariable() -> (String, String) {
  ("STOREHUB_STATE_DIR", "the hub's state directory, where --state-dir is not given")
}

extension ParsedOptions {
  /// The state directory that `--state-dir` names, otherwise `STOREHUB_STATE_DIR`; nil if neither does. Programs then ask
  /// the hub, which tells its own to those who may read it.
  package var stateDirectory: String? {
    guard let path = string("state-dir") else { return environment("STOREHUB_STATE_DIR") }
    return path.isEmpty ? nil : path
  }
}

/// The value of a variable; nil if it is unset or empty.
private func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// Checks the directory of a default socket path: in `/tmp`, another user may have created it to serve the socket in the
/// hub's place.
///
/// - Throws: An error if others can write to the directory.
func checkSocketDirectory(of path: String) throws(UsageError) {
  guard environment("STOREHUB_SOCKET") == nil, environment("XDG_RUNTIME_DIR") == nil,
    let directory = parentDirectory(of: path)
  else { return }
  var status = stat()
  // A client reports that there is no socket; a hub creates the directory.
  guard lstat(directory, &status) == 0 else { return }
  guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
    throw UsageError(
      "\(directory) is not a directory that only this user can write to, so another user could replace the socket in it; "
        + "remove it, or use --socket, STOREHUB_SOCKET or XDG_RUNTIME_DIR for a socket elsewhere")
  }
}

private func parentDirectory(of path: String) -> String? {
  guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
  return String(path[..<slash])
}

/// Creates the directory of a socket path if it is missing, accessible only to this user.
///
/// - Throws: An error if it cannot be created, or if others can write to it although only this user should.
package func makeSocketDirectory(for path: String) throws(UsageError) {
  guard let directory = parentDirectory(of: path), mkdir(directory, 0o700) != 0 else { return }
  guard errno == EEXIST else {
    throw UsageError("cannot create the directory \(directory): \(String(cString: strerror(errno)))")
  }
  try checkSocketDirectory(of: path)
}
