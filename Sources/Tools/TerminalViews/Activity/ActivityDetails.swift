internal import TerminalUI

/// An action with its sender, its time, and the changes of its turn.
package nonisolated struct ActivityDetails: Equatable, Sendable {
  /// The client that sent an action.
  package struct Sender: Equatable, Sendable {
    package var user: String
    package var program: String
    /// The process; 0 if it is unknown.
    package var process: Int32
    /// The number of the connection; nil in journals of earlier versions.
    package var connection: UInt64?
  }

  /// The time of the turn, in milliseconds since 1970.
  package var time: Int64
  /// The revision after the action.
  package var revision: UInt64
  /// The action with its values.
  package var action = ""
  /// The client that has sent it; nil if it is unknown, and for actions of the hub.
  package var sender: Sender?
  /// The sender without details: `the hub`, `an effect`, or `a client`.
  package var senderKind = "a client"
  /// The number of other actions of the same turn, whose changes are included.
  package var otherActionCount = 0
  /// The changes of the turn, or the reason why they are unknown.
  package var changes: [(path: String, change: String)] = []

  package static func == (a: Self, b: Self) -> Bool { a.box == b.box }

  init(time: Int64, revision: UInt64) { (self.time, self.revision) = (time, revision) }

  /// The details as lines.
  var box: Details {
    var pairs: [(name: String, text: String)] = [
      ("action", action), ("time", LocalTime(milliseconds: time).full), ("revision", "\(revision)"),
    ]
    if let sender {
      pairs += [("user", sender.user), ("program", sender.program)]
      if sender.process > 0 { pairs.append(("process", "\(sender.process)")) }
      if let connection = sender.connection { pairs.append(("connection", "\(connection)")) }
    } else {
      pairs.append(("sender", senderKind))
    }
    pairs.append(("", ""))
    if otherActionCount > 0 {
      let others = otherActionCount == 1 ? "one other action" : "\(otherActionCount) other actions"
      pairs.append(("changes", "together with \(others) of the same turn"))
    }
    pairs += changes.map { ($0.path, $0.change) }
    if changes.isEmpty { pairs.append(("changes", "none")) }
    return Details("Action", pairs, columnLimit: 92)
  }
}
