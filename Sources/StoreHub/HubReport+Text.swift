internal import HubCore
internal import ServiceProcess
internal import Wire

extension HubReport {
  /// The importance to an operator.
  var level: Log.Level {
    switch self {
    case .opened, .resumed, .detached, .left: .debug
    case .effectLost: .info
    // The feature's ordinary answer to its user.
    case .rejected(_, _, _, let rejected) where rejected.code == .refused || rejected.code == .late: .debug
    case .failed, .rejected, .scopeRefused, .stateTooLarge, .stateExceedsLimit, .unreadable, .refused, .slowView:
      .warning
    case .interrupted, .skipped: .error
    }
  }

  /// The events that share a limit of log lines with this one.
  var cause: Log.Cause {
    switch self {
    case .opened(_, _, let peer, _), .resumed(_, _, let peer, _): Log.Cause("sessions", user: peer.uid)
    case .detached, .left: Log.Cause("closed connections")
    case .stateTooLarge: Log.Cause("actions of the hub that would make the state too large")
    case .unreadable: Log.Cause("actions of the hub that cannot be read back")
    case .refused: Log.Cause("actions of the hub that its feature refuses")
    case .interrupted: Log.Cause("ends in the feature's code")
    case .skipped: Log.Cause("skipped actions of the hub")
    case .slowView: Log.Cause("slow views")
    case .effectLost: Log.Cause("effects that end with the hub")
    case .stateExceedsLimit: Log.Cause("a state larger than its limit")
    case .failed(_, let peer, let error) where error.code == .notPermitted:
      Log.Cause("refused by the configuration", user: peer.uid)
    case .rejected(_, _, let peer, let rejected) where rejected.code == .notPermitted:
      Log.Cause("actions refused by the configuration", user: peer.uid)
    case .failed(_, let peer, _): Log.Cause("connections closed by the hub", user: peer.uid)
    case .scopeRefused(_, let peer, _): Log.Cause("refused scopes", user: peer.uid)
    case .rejected(_, _, let peer, let rejected) where rejected.code == .refused || rejected.code == .late:
      Log.Cause("actions refused by the feature", user: peer.uid)
    case .rejected(_, _, let peer, _): Log.Cause("refused actions", user: peer.uid)
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
          "CONNECTION": "\(connection.index)", "SESSION": "\(session)", "UID": "\(peer.uid)", "PID": "\(peer.process)",
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
    case .unreadable(let reason), .refused(let reason):
      Log.Details(.actionRejected, ["REASON": reason, "REVISION": "\(revision)"])
    case .stateExceedsLimit, .effectLost, .slowView: Log.Details(nil, ["REVISION": "\(revision)"])
    case .interrupted(let interruption), .skipped(let interruption):
      Log.Details(
        .interrupted,
        ["REASON": Self.printable(interruption.message), "COUNT": "\(interruption.count)", "REVISION": "\(revision)"])
    case .scopeRefused(let connection, let peer, let error):
      Log.Details(
        nil,
        [
          "CONNECTION": "\(connection.index)", "UID": "\(peer.uid)", "PID": "\(peer.process)", "REASON": error.reason,
          "CODE": "\(error.code.rawValue)", "REVISION": "\(revision)",
        ])
    case .failed(let connection, let peer, let error):
      Log.Details(
        .connectionClosed,
        [
          "CONNECTION": "\(connection.index)", "UID": "\(peer.uid)", "PID": "\(peer.process)", "REASON": error.reason,
          "CODE": "\(error.code.rawValue)", "REVISION": "\(revision)",
        ])
    case .rejected(let connection, let session, let peer, let rejected):
      Log.Details(
        .actionRejected,
        [
          "CONNECTION": "\(connection.index)", "SESSION": "\(session)", "UID": "\(peer.uid)",
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
    case .refused(let reason):
      "an action of the hub's own was not applied: the feature refused it: \(Self.printable(reason))"
    case .stateExceedsLimit(let limit):
      """
      the state is larger than its limit of \(limit) bytes, so actions that enlarge it are refused from now on; delete \
      something, or raise state-bytes in the configuration
      """
    case .slowView(let name, let duration):
      """
      the view '\(name)' took \(duration / .milliseconds(1)) ms to compute, in which nobody was served; let it read a \
      smaller part of the state, or compute less
      """
    case .effectLost(let effect):
      """
      the effect \(effect), ends unfinished with this process, and its restart is not declared. If its work must not be \
      lost, add .restart(with:), or begin it again in the answer to the hub's start
      """
    case .interrupted(let interruption):
      "the previous process ended while \(interruption.work)\(Self.quoted(interruption.message)); "
        + interruption.consequence
    case .skipped(let interruption):
      """
      skipped, because \(interruption.count) processes have ended while \(interruption.work)\
      \(Self.quoted(interruption.message))
      """
    case .failed(let connection, let peer, let error):
      "connection \(connection.index): closed \(Self.describe(peer, "")): \(error.reason)"
    case .scopeRefused(let connection, let peer, let error):
      "connection \(connection.index): did not attach a scope of \(Self.describe(peer, "")): \(error.reason)"
    case .rejected(let connection, let session, let peer, let rejected):
      """
      connection \(connection.index): refused action \(rejected.sequence) of session \(session), \
      \(Self.describe(peer, "")): \(rejected.reason)
      """
    }
  }

  /// A message of the process that has ended, for the end of a phrase.
  private static func quoted(_ message: String) -> String {
    let text = printable(message)
    return text.isEmpty ? "" : " (\(text))"
  }

  private static func describe(_ peer: Peer, _ name: String) -> String {
    let process = peer.text
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

extension Peer {
  /// The process and its user, for log lines.
  var text: String {
    // Only the kernel of its own machine knows the process of another one.
    guard node.isEmpty else { return "a process of user \(uid) on node \(node)" }
    return "process \(process) of user \(uid)"
  }
}

extension Interruption {
  /// The work during which the process has ended.
  fileprivate var work: String {
    switch place {
    case .client(let session, let sequence): "it reduced action \(sequence) of session \(session)"
    case .own(.nextStep, _, _): "it reduced the next step of an effect"
    case .own(.view, let name, _): "it computed the view '\(name)'"
    case .own(let source, "", _): "the feature answered \(source.event)"
    case .own(let source, let name, _): "it reduced \(name), \(source.origin)"
    case .turn: "it encoded the changes of a turn"
    }
  }

  /// The hub's reaction to it.
  fileprivate var consequence: String {
    switch place {
    case .turn: "the changes of each action are encoded alone for a while, to find the one behind it"
    case .own(.nextStep, _, _): "correct the feature"
    case .own(.started, _, _) where isRefused, .own(.attached, _, _) where isRefused,
      .own(.detached, _, _) where isRefused:
      "earlier ones ended there too, so it is skipped until the hub is stopped in order"
    case .own(.view, _, _) where isRefused:
      "earlier ones ended there too, so the view has no value until the hub is stopped in order"
    case .client where isRefused: "an earlier one ended there too, so the action is refused"
    case .own where isRefused:
      "earlier ones ended there too, so the action is skipped until the hub is stopped in order"
    case .client, .own: "it is tried once more"
    }
  }
}

extension Interruption.Source {
  fileprivate var event: String {
    switch self {
    case .started: "the hub's start"
    case .attached: "a client that attached"
    case .detached: "a client that detached"
    case .program: "the program"
    case .effect, .nextStep: "an effect"
    case .view: "a view"
    }
  }

  fileprivate var origin: String {
    switch self {
    case .started, .attached, .detached: "its answer to \(event)"
    case .program: "an action of the program"
    case .effect, .nextStep: "an action of an effect"
    case .view: "a view"
    }
  }
}
