/// What a terminal says before it has a state to show.
package nonisolated struct WaitingText {
  /// True while a state is being received.
  package let isLoading: Bool
  package let title: String
  /// The progress, the reason, or the hub's socket; empty for none.
  package let detail: String

  /// Creates the text.
  ///
  /// - Parameters:
  ///   - connection: The state of the connection.
  ///   - loadedByteCount: The number of bytes received of the state.
  ///   - path: The path of the hub's socket.
  ///   - what: The name of what is loading.
  package init(_ connection: ConnectionState, loadedByteCount: Int, path: String, of what: String) {
    isLoading = loadedByteCount > 0 || connection == .live
    if isLoading {
      title = "loading \(what) …"
      detail = loadedByteCount > 0 ? Self.megabytes(loadedByteCount) : ""
    } else if case .connecting(_, let failure) = connection {
      title = failure == nil ? "connecting to the hub …" : "waiting for the hub"
      detail = failure ?? path
    } else {
      (title, detail) = ("waiting for the hub", "")
    }
  }

  private static func megabytes(_ count: Int) -> String { "\(count / 1_000_000).\(count / 100_000 % 10) MB" }
}
