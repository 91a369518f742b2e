package import Wire

/// The name of a log: the value of the key `history`, which the first leader, or the operator, writes.
///
/// It contains the id of etcd's cluster, which a restored backup does not keep. So every node recognizes that the store
/// is another one, and none serves until the operator has begun a new history.
package struct LogHistory: Hashable, Sendable {
  /// The random number of the history.
  package let id: UInt64
  /// The id of the store's cluster for which the history was begun.
  package let store: UInt64

  /// Creates a history.
  package init(id: UInt64, store: UInt64) { (self.id, self.store) = (id, store) }
}

extension LogHistory: WireValue {
  /// Writes `[id, store]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    encoder.unsigned(id)
    encoder.unsigned(store)
  }

  /// Reads a history.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    id = try decoder.unsigned()
    store = try decoder.unsigned()
  }
}
