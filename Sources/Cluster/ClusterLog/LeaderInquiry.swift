package import Wire

/// A question of an operator's command, on any machine, to the hub that leads: the value of the key `inquiry`.
///
/// It decides nothing. The hub that leads answers in the key `reply` if it sees the inquiry, and passes the leadership on
/// by its own entry in the log, as for an operator on its machine. A command repeats what has no answer.
package struct LeaderInquiry: Hashable, Sendable {
  /// The request.
  package enum Request: Hashable, Sendable {
    /// Only to answer.
    case report
    /// To pass the leadership of a term on to a node. The leader of another term does nothing.
    case handover(to: NodeName, term: UInt64)
  }

  /// A random number, by which the command recognizes the answer.
  package let id: UInt64
  /// The request.
  package let request: Request

  /// Creates an inquiry.
  package init(id: UInt64, _ request: Request) { (self.id, self.request) = (id, request) }
}

extension LeaderInquiry: WireValue {
  /// Writes `[id, null]` or `[id, [term, node]]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    encoder.unsigned(id)
    switch request {
    case .report: encoder.null()
    case .handover(let node, let term):
      encoder.arrayHeader(count: 2)
      encoder.unsigned(term)
      node.encode(to: &encoder)
    }
  }

  /// Reads an inquiry.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    id = try decoder.unsigned()
    guard try !decoder.null() else {
      request = .report
      return
    }
    try decoder.tuple(2)
    let term = try decoder.number(in: LogEntry.numbers, of: "a term")
    request = .handover(to: try NodeName(from: &decoder), term: term)
  }
}

/// The answer of the hub that leads to a `LeaderInquiry`: the value of the key `reply`.
package struct LeaderReply: Hashable, Sendable {
  /// A node of the leader's configuration.
  package struct Node: Hashable, Sendable {
    package let name: NodeName
    /// The numeric address of its machine.
    package let host: String
    /// The position up to which its journal is on disk; nil if no link to it is open.
    package let stored: UInt64?

    /// Describes a node.
    package init(name: NodeName, host: String, stored: UInt64?) {
      (self.name, self.host, self.stored) = (name, host, stored)
    }
  }

  /// The id of the inquiry.
  package let id: UInt64
  /// The leadership of the hub that answers.
  package let leader: Leadership
  /// The position of the last entry.
  package let position: UInt64
  /// All nodes, in order, with the leader.
  package let nodes: [Node]
  /// The reason why the leader does not do what it was asked; empty if it does.
  package let refusal: String

  /// The longest address and the longest reason, in bytes.
  static let (longestHost, longestRefusal) = (64, 512)

  /// Creates an answer.
  package init(id: UInt64, leader: Leadership, position: UInt64, nodes: [Node], refusal: String = "") {
    (self.id, self.leader, self.position, self.nodes) = (id, leader, position, nodes)
    self.refusal = String(decoding: refusal.utf8.prefix(Self.longestRefusal), as: UTF8.self)
  }
}

extension LeaderReply {
  /// The greatest lag of a node, in entries, with which it can take over without a pause that clients notice.
  package static let lagLimit: UInt64 = 256

  /// The number of entries that a node lacks on its disk; nil if it is not linked.
  package func lag(of node: Node) -> UInt64? { node.stored.map { position > $0 ? position - $0 : 0 } }

  /// The other nodes that can lead at once.
  package var successors: Set<NodeName> {
    Set(
      nodes.filter { node in
        node.name != leader.node && lag(of: node).map { $0 <= Self.lagLimit } ?? false
      }.map(\.name))
  }
}

extension LeaderReply: WireValue {
  /// Writes `[id, leader, position, [* [node, host, stored or null]], refusal]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 5)
    encoder.unsigned(id)
    leader.encode(to: &encoder)
    encoder.unsigned(position)
    encoder.arrayHeader(count: nodes.count)
    for node in nodes {
      encoder.arrayHeader(count: 3)
      node.name.encode(to: &encoder)
      encoder.text(node.host)
      if let stored = node.stored { encoder.unsigned(stored) } else { encoder.null() }
    }
    encoder.text(refusal)
  }

  /// Reads an answer.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(5)
    id = try decoder.unsigned()
    leader = try Leadership(from: &decoder)
    position = try decoder.unsigned()
    var nodes: [Node] = []
    for _ in 0..<(try decoder.arrayHeader()) {
      try decoder.tuple(3)
      let name = try NodeName(from: &decoder)
      let host = try decoder.text(limit: Self.longestHost)
      nodes.append(Node(name: name, host: host, stored: try decoder.null() ? nil : try decoder.unsigned()))
    }
    self.nodes = nodes
    refusal = try decoder.text(limit: Self.longestRefusal * 3)
  }
}

extension LogTransaction {
  /// Asks the hub that leads, or withdraws the question with nil.
  package static func inquiry(_ inquiry: LeaderInquiry?) -> LogTransaction {
    LogTransaction(
      if: [], then: inquiry.map { [.put(.inquiry, $0.encoded())] } ?? [.remove(.inquiry), .remove(.reply)], else: [])
  }

  /// Answers, as the hub whose leadership the answer names.
  package static func reply(_ reply: LeaderReply) -> LogTransaction {
    LogTransaction(
      if: [.value(.leader, reply.leader.encoded())], then: [.put(.reply, reply.encoded())], else: [.key(.leader)])
  }

  /// The reads of `leaderInspection`, in their order.
  package enum LeaderReads: Int { case history, leader, reply }

  /// Reads which node leads, and its last answer, through consensus: its conditions never hold.
  package static var leaderInspection: LogTransaction {
    LogTransaction(
      if: [.absent(.history), .present(.history)], then: [], else: [.key(.history), .key(.leader), .key(.reply)])
  }
}
