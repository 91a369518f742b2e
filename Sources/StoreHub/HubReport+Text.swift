internal import HubCore
internal import Wire

extension HubReport {
  /// The importance to an operator.
  var level: Log.Level {
    switch self {
    case .opened, .resumed, .detached, .left: .debug
    case .failed, .rejected, .stateTooLarge, .stateExceedsLimit, .unreadable: .warning
    }
  }

  /// The events that share a limit of log lines with this one.
  var cause: Log.Cause {
    switch self {
    case .opened(_, _, let peer, _), .resumed(_, _, let peer, _): Log.Cause("sessions", user: peer.user)
    case .detached, .left: Log.Cause("closed connections")
    case .stateTooLarge: Log.Cause("actions of the hub that would make the state too large")
    case .unreadable: Log.Cause("actions of the hub that cannot be read back")
    case .stateExceedsLimit: Log.Cause("a state larger than its limit")
    case .failed(_, let peer, let error) where error.code == .notPermitted:
      Log.Cause("refused by the configuration", user: peer.user)
    case .rejected(_, _, let peer, let rejected) where rejected.code == .notPermitted:
      Log.Cause("actions refused by the configuration", user: peer.user)
    case .failed(_, let peer, _): Log.Cause("connections closed by the hub", user: peer.user)
    case .rejected(_, _, let peer, _): Log.Cause("refused actions", user: peer.user)
    }
  }

  /// The fields for the journal.
  func details(at revision: UInt64) -> Log.Details {
    switch self {
    case .opened(let connection, let session, let peer, let name),
      .resumed(let connection, let session, let peer, let name):
      Log.Details(
        nil,
        [
          "CONNECTION": "\(connection.index)", "SESSION": "\(session)", "UID": "\(peer.user)", "PID": "\(peer.process)",
          "CLIENT": Self.printable(name), "REVISION": "\(revision)",
        ])
    case .detached(let connection, let session):
      Log.Details(
        nil,
        [
          "CONNECTION": "\(connection.index)", "SESSION": session.map { "\($0)" } ?? "", "REVISION": "\(revision)",
        ])
    case .left(let connection, let session):
      Log.Details(
        nil, ["CONNECTION": "\(connection.index)", "SESSION": "\(session)", "REVISION": "\(revision)"])
    case .stateTooLarge(let limit):
      Log.Details(.actionRejected, ["REASON": "the state would exceed \(limit) bytes", "REVISION": "\(revision)"])
    case .unreadable(let reason):
      Log.Details(.actionRejected, ["REASON": reason, "REVISION": "\(revision)"])
    case .stateExceedsLimit: Log.Details(nil, ["REVISION": "\(revision)"])
    case .failed(let connection, let peer, let error):
      Log.Details(
        .connectionClosed,
        [
          "CONNECTION": "\(connection.index)", "UID": "\(peer.user)", "PID": "\(peer.process)", "REASON": error.reason,
          "CODE": "\(error.code.rawValue)", "REVISION": "\(revision)",
        ])
    case .rejected(let connection, let session, let peer, let rejected):
      Log.Details(
        .actionRejected,
        [
          "CONNECTION": "\(connection.index)", "SESSION": "\(session)", "UID": "\(peer.user)",
          "PID": "\(peer.process)", "ACTION": "\(rejected.sequence)", "REASON": rejected.reason,
          "CODE": "\(rejected.code.rawValue)", "REVISION": "\(revision)",
        ])
    }
  }

  /// The text of the log line.
  package var text: String {
    switch self {
    case .opened(let connection, let session, let peer, let name):
      "connection \(connection.index): \(Self.describe(peer, name)) opened session \(session)"
    case .resumed(let connection, let session, let peer, let name):
      "connection \(connection.index): \(Self.describe(peer, name)) resumed session \(session)"
    case .detached(let connection, let session?):
      "connection \(connection.index): disconnected; session \(session) can be resumed"
    case .detached(let connection, nil):
      "connection \(connection.index): disconnected before a hello"
    case .left(let connection, let session):
      "connection \(connection.index): ended session \(session)"
    case .stateTooLarge(let limit):
      """
      the state would exceed its limit of \(limit) bytes; an action of the hub's own was not applied; delete something, or \
      raise state-bytes in the configuration
      """
    case .unreadable(let reason): "an action of the hub's own was not applied: \(reason); correct the reducer"
    case .stateExceedsLimit(let limit):
      """
      the state is larger than its limit of \(limit) bytes, so actions that enlarge it are refused from now on; delete \
      something, or raise state-bytes in the configuration
      """
    case .failed(let connection, let peer, let error):
      "connection \(connection.index): closed \(Self.describe(peer, "")): \(error.reason)"
    case .rejected(let connection, let session, let peer, let rejected):
      """
      connection \(connection.index): refused action \(rejected.sequence) of session \(session), \
      \(Self.describe(peer, "")): \(rejected.reason)
      """
    }
  }

  private static func describe(_ peer: Peer, _ name: String) -> String {
    let process = "process \(peer.process) of user \(peer.user)"
    let name = printable(name)
    return name.isEmpty ? process : "\(name) (\(process))"
  }

  /// Removes control characters from a client's name: line breaks could forge log lines, and bidirectional controls
  /// could hide the following text.
  private static func printable(_ name: String) -> String {
    let scalars = name.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: !scalar.properties.isBidiControl
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
