internal import HubCore
internal import Wire

extension HubReport {
  /// How much an operator must care.
  var level: Log.Level {
    switch self {
    case .opened, .resumed, .detached, .left: .debug
    case .failed, .rejected: .warning
    }
  }

  /// The report as a line.
  var text: String {
    switch self {
    case .opened(let connection, let session, let peer, let name):
      "connection \(connection.index): \(Self.who(peer, name)) opened session \(session)"
    case .resumed(let connection, let session, let peer, let name):
      "connection \(connection.index): \(Self.who(peer, name)) resumed session \(session)"
    case .detached(let connection, let session?):
      "connection \(connection.index): closed; session \(session) may be resumed"
    case .detached(let connection, nil):
      "connection \(connection.index): closed before a hello"
    case .left(let connection, let session):
      "connection \(connection.index): ended session \(session)"
    case .failed(let connection, let peer, let error):
      "connection \(connection.index): \(Self.who(peer, "")) is closed: \(error.reason)"
    case .rejected(let connection, let session, _, let rejected):
      "connection \(connection.index): action \(rejected.sequence) of session \(session) is refused: \(rejected.reason)"
    }
  }

  private static func who(_ peer: Peer, _ name: String) -> String {
    let who = "process \(peer.process) of user \(peer.user)"
    // A client's own name is its own word: control characters would let it write lines of its own.
    let printable = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
    return printable.isEmpty ? who : "\(String(String.UnicodeScalarView(printable))) (\(who))"
  }
}
