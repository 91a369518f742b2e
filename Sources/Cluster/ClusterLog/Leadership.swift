package import Wire

/// The leadership of one process in one term: the value of the key `leader`.
///
/// No two leaderships are equal, because a term has one leader. A transaction that compares the key with its leadership
/// is therefore fenced, also in a store that was restored from a backup, whose revisions occur a second time.
package struct Leadership: Hashable, Sendable {
  /// The number of leaders before this one, and this one.
  package let term: UInt64
  /// The leader's node.
  package let node: NodeName
  /// A random number of the leader's process, which distinguishes it from earlier ones of the node.
  package let process: UInt64

  /// Creates a leadership.
  /// - Precondition: `term` is not 0.
  package init(term: UInt64, node: NodeName, process: UInt64) {
    precondition(term > 0, "terms are numbered from 1")
    (self.term, self.node, self.process) = (term, node, process)
  }
}

extension Leadership: WireValue {
  /// Writes `[term, node, process]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    encoder.unsigned(term)
    node.encode(to: &encoder)
    encoder.unsigned(process)
  }

  /// Reads a leadership.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    let start = decoder.offset
    term = try decoder.unsigned()
    guard LogEntry.numbers.contains(term) else { throw WireError(.outOfRange(type: "a term"), at: start) }
    node = try NodeName(from: &decoder)
    process = try decoder.unsigned()
  }
}
