/// From an operator's client: the hub, which leads its cluster, shall pass the leadership on to another node.
///
/// There is no answer: `HubMetrics.cluster` tells which node leads. A hub that cannot do so closes the connection with
/// `PeerErrorCode.cannotTransfer`.
public struct Transfer: Message, Equatable {
  public static var kind: FrameKind { .transfer }
  /// The greatest length of a node's name in bytes.
  public static let nodeLimit = 32

  /// The name of the node that shall lead; empty for the one that has the most of the log.
  public var node: String

  /// Creates a message.
  public init(to node: String) { self.node = node }

  /// Writes the name.
  public func encode(to encoder: inout CBOREncoder) { encoder.text(node) }

  /// Reads a name of at most `nodeLimit` bytes.
  public init(from decoder: inout CBORDecoder) throws(WireError) { node = try decoder.text(limit: Self.nodeLimit) }
}
