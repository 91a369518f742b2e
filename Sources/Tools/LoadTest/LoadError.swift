internal import Wire

/// The reasons why a load test failed.
package enum LoadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The scenario has a mistake.
  case scenario(String)
  /// The hub's schema has no such path or action, or the state lacks what the actions need.
  case doesNotFit(String)
  /// The hub cannot be reached.
  case cannotConnect(String)
  /// The hub refused to serve a connection.
  case disconnected(reason: String)
  /// The hub closed a connection, or has ended; it may come back.
  case wentAway(reason: String)
  /// The hub rejected an action.
  case rejected(reason: String)
  /// The hub sent something that this program cannot decode.
  case malformed(String)
  /// The hub did not answer.
  case silent(seconds: Double, reason: String)
  /// The hub takes fewer actions than are due, and too many of one thread wait for it.
  case overloaded(waiting: Int)
  /// A signal ended the program while it waited for the hub before or after the run.
  case interrupted(signal: Int32)
  /// The hub has forgotten a session with unacknowledged actions.
  case sessionLost(unanswered: Int)
  /// A result is not the expected one.
  case wrong(String)
  /// Another error.
  case failed(String)

  /// A description of the problem.
  package var description: String {
    switch self {
    case .scenario(let text), .doesNotFit(let text), .cannotConnect(let text), .wrong(let text), .failed(let text):
      text
    case .disconnected(let reason), .wentAway(let reason): "the hub closed a connection: \(reason)"
    case .rejected(let reason): "the hub refused an action: \(reason)"
    case .malformed(let what): "the hub sent something malformed: \(what)"
    case .silent(let seconds, let reason): "no answer for \(Decimals.fixed(seconds, 1)) s: \(reason)"
    case .overloaded(let waiting):
      "\(waiting) actions wait, because the hub takes fewer than are due: try a lower --rate, or --search"
    case .interrupted(let signal): "signal \(signal) arrived while the hub did not answer"
    case .sessionLost(let count):
      "the hub does not know a session any more; whether its last \(count) actions took effect is unknown"
    }
  }

  /// The exit status for this error.
  package var exitStatus: Int32 {
    switch self {
    case .scenario: 2
    case .doesNotFit: 3
    case .cannotConnect: 4
    case .disconnected, .wentAway, .sessionLost: 5
    case .silent, .overloaded: 6
    case .wrong: 8
    case .interrupted(let signal): 128 + signal
    case .rejected, .malformed, .failed: 1
    }
  }
}

extension LoadError {
  /// A connection ended without a message.
  static var closed: LoadError { .wentAway(reason: "no reason given") }

  /// The hub's last message was an error.
  init(_ error: PeerError) {
    // Only this one passes without a change of the run.
    self = error.code == .overloaded ? .wentAway(reason: error.reason) : .disconnected(reason: error.reason)
  }

  /// The hub said goodbye.
  init(_ goodbye: Goodbye) { self = .wentAway(reason: goodbye.reason) }
}
