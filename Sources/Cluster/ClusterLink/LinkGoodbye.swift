package import ClusterLog

/// The last frame of a link.
package struct LinkGoodbye: Equatable, Sendable {
  package let reason: Reason
  /// One sentence for the other node's log, of at most `textLimit` bytes.
  package let text: String

  /// The greatest number of bytes of a text.
  package static let textLimit = 512

  /// Creates a goodbye; a longer text is cut.
  package init(_ reason: Reason, _ text: String) {
    (self.reason, self.text) = (reason, String(decoding: text.utf8.prefix(Self.textLimit - 2), as: UTF8.self))
  }

  /// Creates the goodbye that was received.
  init(received reason: Reason, _ text: String) { (self.reason, self.text) = (reason, text) }

  /// The reasons on the wire.
  package enum Reason: UInt8, CaseIterable, Sendable {
    /// The sender stops or restarts.
    case leaves = 1
    /// The receiver has broken the protocol.
    case violation = 2
    /// The two have no version in common.
    case version = 3
    /// The receiver may not take part: it is no member, or its certificate or its configuration is another one.
    case notAdmitted = 4
    /// A newer link has taken this one's place.
    case replaced = 5
    /// The receiver does not read, or was silent.
    case slow = 6
  }
}

extension LinkGoodbye.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .leaves: "leaves"
    case .violation: "violation of the protocol"
    case .version: "version"
    case .notAdmitted: "not admitted"
    case .replaced: "replaced"
    case .slow: "slow"
    }
  }
}

/// The reason why a link has ended.
package enum LinkEnd: Error, Equatable, Sendable {
  /// This node has ended it: it stops, or has a newer link.
  case here(LinkGoodbye.Reason)
  /// The other node has ended it.
  case there(LinkGoodbye)
  /// The connection broke.
  case lost
  /// The other end sent no hello in time.
  case noHello
  /// Nothing arrived for this long.
  case silent(Duration)
  /// The other end does not read what this one sends.
  case slow(waiting: Int)
  /// Bytes that no node sends.
  case violation(String)
  case version(own: ClosedRange<UInt64>, other: ClosedRange<UInt64>)
  /// The node is not configured as a member of the cluster.
  case stranger(NodeName)
  /// The certificate does not name the node.
  case certificate(NodeName, names: [NodeName])
  /// At the address of one node, another one answers.
  case otherNode(NodeName, expected: NodeName)
  /// The other end has this node's name.
  case ownName(NodeName)
  /// The nodes' configurations contradict each other.
  case configuration(String)

  /// True if the other node does not let this one in, which lasts until an operator changes that.
  package var isRefusal: Bool {
    if case .there(let goodbye) = self { goodbye.reason == .notAdmitted } else { false }
  }

  /// The goodbye for the other end; nil if it will not read one.
  var goodbye: LinkGoodbye? {
    switch self {
    case .there, .lost, .silent: nil
    case .here(let reason): LinkGoodbye(reason, "")
    case .slow: LinkGoodbye(.slow, description)
    case .noHello, .violation: LinkGoodbye(.violation, description)
    case .version: LinkGoodbye(.version, description)
    case .stranger, .certificate, .otherNode, .ownName, .configuration: LinkGoodbye(.notAdmitted, description)
    }
  }
}

extension LinkEnd: CustomStringConvertible {
  /// The reason, and what the operator can do.
  package var description: String {
    switch self {
    case .here(let reason): "this node has ended the link (\(reason))"
    case .there(let goodbye):
      "the other node has ended the link (\(goodbye.reason))\(goodbye.text.isEmpty ? "" : ": \(goodbye.text)")"
    case .lost: "the connection is broken"
    case .noHello: "the other end has not said hello in time: it may be no hub"
    case .silent(let time): "nothing has arrived for \(Self.text(time))"
    case .slow(let count): "\(count) bytes wait, which the other node does not read"
    case .violation(let text): "the other end has broken the protocol: \(text)"
    case .version(let own, let other):
      """
      this node speaks the versions \(own.lowerBound) to \(own.upperBound), and the other \(other.lowerBound) to \
      \(other.upperBound): upgrade the older one
      """
    case .stranger(let node): "\(node) is no member of the cluster: add it to [cluster] on every node"
    case .certificate(let node, let names):
      "the certificate of \(node) names \(names.map(\.text)): issue one with its name"
    case .otherNode(let node, let expected):
      "\(node) answers at the address of \(expected): check the addresses in [cluster]"
    case .ownName(let node): "the other end is also named \(node): give each machine its own name in [cluster]"
    case .configuration(let text): text
    }
  }

  /// A time in seconds, to a tenth.
  private static func text(_ time: Duration) -> String {
    let tenths = time / .milliseconds(100)
    return "\(Int(tenths) / 10).\(Int(tenths) % 10) s"
  }
}
