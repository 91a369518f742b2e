internal import HubCore
internal import Wire

extension HubReport {
  /// The importance to an operator.
  var level: Log.Level {
    switch self {
    case .opened, .resumed, .detached, .left: .debug
    case .failed, .rejected: .warning
    }
  }

  /// The events that share an allowance of log lines with this one.
  var cause: Log.Cause {
    switch self {
    case .opened(_, _, let peer, _), .resumed(_, _, let peer, _): Log.Cause("sessions", user: peer.user)
    case .detached, .left: Log.Cause("closed connections")
    case .failed(_, let peer, _): Log.Cause("connections closed by the hub", user: peer.user)
    case .rejected(_, _, let peer, _): Log.Cause("refused actions", user: peer.user)
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
    // A client chooses its name: control characters would let it forge log lines.
    let printable = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
    return printable.isEmpty ? who : "\(String(String.UnicodeScalarView(printable))) (\(who))"
  }
}
