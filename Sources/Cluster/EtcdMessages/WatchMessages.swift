/// A message of the client in the stream of watches, of which this client sends one kind.
package struct EtcdWatchRequest: ProtobufMessage {
  package var create: EtcdWatchCreation?

  package static let path = "/etcdserverpb.Watch/Watch"

  package init() {}

  /// Begins a watch.
  package init(create: EtcdWatchCreation) { self.create = create }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &create)
  }
}

/// Begins a watch.
package struct EtcdWatchCreation: ProtobufMessage {
  package var range = EtcdKeyRange([])
  /// The first revision whose events are sent; 0 for those after the creation.
  package var startRevision: Int64 = 0
  /// The kinds of events that are left out, packed: 0 for puts, 1 for removals.
  package var filters: [UInt8] = []

  package init() {}

  /// Watches the puts to a range.
  package init(putsTo range: EtcdKeyRange, from revision: Int64) {
    (self.range, startRevision) = (range, revision)
    filters = [1]
  }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.bytes(1, &range.key)
    try fields.bytes(2, &range.end)
    try fields.integer(3, &startRevision)
    try fields.bytes(5, &filters)
  }
}

/// A message of etcd in the stream of watches.
package struct EtcdWatchResponse: EtcdResponse {
  package var header: EtcdHeader?
  /// The number of the watch.
  package var id: Int64 = 0
  /// True for the answer to the creation.
  package var isCreated = false
  /// True if the watch has ended.
  package var isCancelled = false
  /// The first revision that is left, if the watch has ended because older ones were compacted; else 0.
  package var compactRevision: Int64 = 0
  package var cancelReason = ""
  package var events: [EtcdEvent] = []

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.integer(2, &id)
    try fields.flag(3, &isCreated)
    try fields.flag(4, &isCancelled)
    try fields.revision(5, &compactRevision)
    try fields.text(6, &cancelReason)
    try fields.messages(11, &events)
  }
}

/// A change of a key.
package struct EtcdEvent: ProtobufMessage {
  /// The kind of change.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let put = Kind(rawValue: 0)
    package static let delete = Kind(rawValue: 1)
  }

  package var kind = Kind.put
  /// The key after the change; of a removed one, only the key and the revision.
  package var value: EtcdKeyValue?

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.number(1, &kind)
    try fields.message(2, &value)
  }
}
