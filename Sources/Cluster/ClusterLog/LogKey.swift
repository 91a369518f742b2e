/// A key of the store, below the cluster's prefix.
package enum LogKey: Hashable, Sendable {
  /// The `LogHistory`.
  case history
  /// The `Leadership` of the last opening entry.
  case leader
  /// A counter that the leader increments while it has nothing to append. It is not part of `leader`, which only a new
  /// leader writes.
  case beat
  /// The entry at a position.
  case entry(UInt64)
  /// A part of the turn of the entry at a position, written by a process.
  case part(position: UInt64, process: UInt64, index: Int)
  /// The `NodeRegistration` of a node's process.
  case node(NodeName)
  /// The `LeaderInquiry` of an operator's command, for the hub that leads.
  case inquiry
  /// The `LeaderReply` of the hub that leads.
  case reply
}

extension LogKey: CustomStringConvertible {
  /// The key's text, in which numbers have a fixed width so that keys are in the order of positions.
  package var description: String {
    switch self {
    case .history: "history"
    case .leader: "leader"
    case .beat: "beat"
    case .entry(let position): "log/\(Self.digits(position))"
    case .part(let position, let process, let index):
      "part/\(Self.digits(position))/\(Self.digits(process))/\(Self.digits(UInt64(index)))"
    case .node(let name): "node/\(name)"
    case .inquiry: "inquiry"
    case .reply: "reply"
    }
  }

  /// The names of the keys that have others below them. No prefix of a log has one of them after its first name: the keys
  /// of two logs are different then, also if the prefix of one is the beginning of the other's.
  package static let folders: Set<String> = ["log", "node", "part"]

  private static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
