internal import Glibc
internal import ReplicaCore

extension StoreClient {
  /// A sentence about the connection for the program's user; nil while there is nothing to say, because the connection
  /// is live, the first attempt has not ended yet, or the client was closed.
  ///
  /// ```
  /// waiting for the hub at /run/storehub/hub.sock; none is running there
  /// waiting for the hub at /run/storehub/hub.sock, which was lost: the hub closed the connection
  /// the hub at /run/storehub/hub.sock refused this client: this hub runs another version of the feature: …
  /// ```
  ///
  /// It does not change from one attempt to the next unless the reason does.
  public var connectionNotice: String? {
    switch connection {
    case .connecting(_, nil), .live, .closed: nil
    case .connecting where isHubMissing: "waiting for the hub at \(path); none is running there"
    case .connecting(_, let failure?): "waiting for the hub at \(path): \(failure)"
    case .stale(_, _, let reason): "waiting for the hub at \(path), which was lost: \(reason)"
    case .refused(let reason): "the hub at \(path) refused this client: \(reason)"
    }
  }
}

/// Writes a line to standard error.
nonisolated func writeToStandardError(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  // A user who closed standard error does not want the line.
  _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
