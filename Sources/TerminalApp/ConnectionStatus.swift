public import Observation

/// The connection of a terminal client, for its views.
@Observable
public final class ConnectionStatus {
  /// The name of the program.
  public let name: String
  /// The path of the hub's socket.
  public let path: String
  /// The state of the connection.
  public package(set) var connection = ConnectionState.connecting(attempt: 0, failure: nil)
  /// The reason with which the hub has ended the connection; nil if it has not.
  public package(set) var goodbye: String?
  /// The time since which the state of a connected hub may be stale, because it waits for its cluster; nil if it is
  /// current.
  public package(set) var hubStaleSince: Duration?
  /// The number of bytes received of a state that is not complete yet.
  public package(set) var loadedByteCount = 0
  /// The number of actions that the hub has not acknowledged for 0.3 s: a mark at each key would flicker.
  public package(set) var pendingCount = 0
  /// What these actions change, as the program has marked them.
  package var pendingMarks: Set<AnyHashable> = []
  /// The current time on the loop's clock; while the connection is lost, it is updated each second.
  public package(set) var now: Duration

  /// Creates a status before the first attempt to connect.
  package init(_ name: String, path: String, now: Duration) { (self.name, self.path, self.now) = (name, path, now) }

  /// True if the hub may have newer state than the views show.
  public var isStale: Bool { connection != .live || hubStaleSince != nil }

  var text: ConnectionText {
    var text = ConnectionText(name, path: path, connection: connection, now: now)
    (text.goodbye, text.hubStaleSince, text.pendingCount) = (goodbye, hubStaleSince, pendingCount)
    return text
  }
}

/// The first line of a terminal client: its name, the hub, and the state of the connection with the number of pending
/// actions, or the age of what is shown.
public struct StatusBar: TerminalView {
  let status: ConnectionStatus

  /// Creates a bar.
  public init(_ status: ConnectionStatus) { self.status = status }

  /// The line.
  public var body: some TerminalView {
    let text = status.text
    Drawing(height: 1) { text.draw(0, on: &$0) }
  }
}

/// The screen of a client that has no state yet: it waits for the hub, or loads.
public struct WaitingView: TerminalView {
  let status: ConnectionStatus
  let what: String

  /// Creates a screen.
  ///
  /// - Parameters:
  ///   - status: The connection.
  ///   - what: The name of what is loading.
  public init(_ status: ConnectionStatus, for what: String = "the state") { (self.status, self.what) = (status, what) }

  /// The reason for the wait.
  public var body: some TerminalView {
    let text = WaitingText(
      status.connection, loadedByteCount: status.loadedByteCount, path: status.path, of: what)
    Column {
      Spacer()
      Text(text.title).aligned(.center)
      if !text.detail.isEmpty { Text(text.detail).aligned(.center).dim() }
      Spacer()
    }
  }
}
