/// A request that etcd answers once.
///
/// The fields are those of etcd's `rpc.proto`, version 3.4; later versions only add some. Those that no hub needs are
/// left out, and skipped where etcd sends them.
package protocol EtcdRequest: ProtobufMessage {
  /// The answer.
  associatedtype Response: EtcdResponse
  /// The path of the call, such as `/etcdserverpb.KV/Range`.
  static var path: String { get }
}

/// An answer of etcd.
package protocol EtcdResponse: ProtobufMessage {
  /// The state of the member that answers.
  var header: EtcdHeader? { get }
}

/// The beginning of each answer.
package struct EtcdHeader: ProtobufMessage {
  /// The id of the cluster. A restored backup gets a new one.
  package var cluster: UInt64 = 0
  /// The id of the member that answers.
  package var member: UInt64 = 0
  /// The revision of the store, counted from 1 by its changes.
  package var revision: Int64 = 0
  /// The term of etcd's own leader.
  package var term: UInt64 = 0

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.integer(1, &cluster)
    try fields.integer(2, &member)
    try fields.revision(3, &revision)
    try fields.integer(4, &term)
  }
}

/// A key with its value.
package struct EtcdKeyValue: ProtobufMessage {
  package var key: [UInt8] = []
  /// The revision in which the key was created.
  package var createRevision: Int64 = 0
  /// The revision of the key's last change.
  package var modRevision: Int64 = 0
  /// The number of changes since the key was created.
  package var version: Int64 = 0
  package var value: [UInt8] = []
  /// The lease with which the key ends; 0 if it has none.
  package var lease: Int64 = 0

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.bytes(1, &key)
    try fields.revision(2, &createRevision)
    try fields.revision(3, &modRevision)
    try fields.integer(4, &version)
    try fields.bytes(5, &value)
    try fields.integer(6, &lease)
  }
}

/// A range of keys: one key, or all from `key` to before `end`.
package struct EtcdKeyRange: Hashable, Sendable {
  package var key: [UInt8]
  /// The end; empty for the single key.
  package var end: [UInt8]

  /// One key.
  package init(_ key: [UInt8]) { (self.key, end) = (key, []) }

  /// The keys from one to before another.
  package init(_ keys: Range<String>) { (key, end) = (Array(keys.lowerBound.utf8), Array(keys.upperBound.utf8)) }
}
