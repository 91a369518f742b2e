package import Wire

/// The process that runs as a node: the value of the key `node/NAME`.
///
/// A process that starts replaces the registration of the one before. If that one still runs, two machines have the same
/// name: it restores its registration, and the newcomer stops. Of two registrations, the one with the lower ordinal is
/// that of the earlier process.
///
/// A node that was removed from the cluster has the registration of a process that never runs, whose number is 0. No
/// process replaces that. One of an earlier version that was stopped meanwhile takes it as that of an earlier process of
/// the node, and stops for good.
package struct NodeRegistration: Hashable, Sendable {
  /// A random number of the process, which is not 0.
  package let process: UInt64
  /// The number of the process among those of the node: one more than that of the registration that it has found.
  package let ordinal: UInt64
  /// The position up to which the process has proved its journal.
  package let position: UInt64

  /// Creates a registration.
  package init(process: UInt64, ordinal: UInt64, position: UInt64) {
    (self.process, self.ordinal, self.position) = (process, ordinal, position)
  }

  /// What stands for a node that was removed from the cluster, until the operator takes it back.
  ///
  /// - Parameter position: The position up to which the node had proved its journal; 0 if it had not.
  package static func removal(position: UInt64) -> NodeRegistration {
    NodeRegistration(process: 0, ordinal: 1, position: position)
  }

  /// True if the node was removed from the cluster.
  package var isRemoval: Bool { process == 0 }
}

extension NodeRegistration: WireValue {
  /// Writes `[process, ordinal, position]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    encoder.unsigned(process)
    encoder.unsigned(ordinal)
    encoder.unsigned(position)
  }

  /// Reads a registration.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    process = try decoder.unsigned()
    let start = decoder.offset
    ordinal = try decoder.unsigned()
    guard LogEntry.numbers.contains(ordinal) else { throw WireError(.outOfRange(type: "an ordinal"), at: start) }
    position = try decoder.unsigned()
  }
}
