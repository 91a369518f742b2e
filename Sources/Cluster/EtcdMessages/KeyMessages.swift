/// Reads keys.
package struct EtcdRange: EtcdRequest {
  /// The order of the answer.
  package struct Order: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let none = Order(rawValue: 0)
    package static let ascending = Order(rawValue: 1)
    package static let descending = Order(rawValue: 2)
  }

  package var range = EtcdKeyRange([])
  /// The maximum number of keys; 0 for no limit.
  package var limit: Int64 = 0
  /// The revision to read at; 0 for the current one.
  package var revision: Int64 = 0
  /// The order by key.
  package var order = Order.none
  /// True to answer from the member's own data, which may be late, also if it has no contact to the others.
  package var isSerializable = false
  package var keysOnly = false

  package typealias Response = EtcdRangeResponse
  package static let path = "/etcdserverpb.KV/Range"

  package init() {}

  /// Reads a range.
  package init(_ range: EtcdKeyRange, limit: Int64 = 0, order: Order = .none, isSerializable: Bool = false) {
    (self.range, self.limit, self.order, self.isSerializable) = (range, limit, order, isSerializable)
  }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.bytes(1, &range.key)
    try fields.bytes(2, &range.end)
    try fields.integer(3, &limit)
    try fields.integer(4, &revision)
    // The field after it is what is compared; its default is the key.
    try fields.number(5, &order)
    try fields.flag(7, &isSerializable)
    try fields.flag(8, &keysOnly)
  }
}

/// The answer to `EtcdRange`.
package struct EtcdRangeResponse: EtcdResponse {
  package var header: EtcdHeader?
  package var values: [EtcdKeyValue] = []
  /// True if the limit has left keys out.
  package var hasMore = false
  /// The number of keys in the range.
  package var count: Int64 = 0

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.messages(2, &values)
    try fields.flag(3, &hasMore)
    try fields.integer(4, &count)
  }
}

/// Writes a key.
package struct EtcdPut: EtcdRequest {
  package var key: [UInt8] = []
  package var value: [UInt8] = []

  package typealias Response = EtcdPutResponse
  package static let path = "/etcdserverpb.KV/Put"

  package init() {}

  /// Writes a value.
  package init(_ key: [UInt8], _ value: [UInt8]) { (self.key, self.value) = (key, value) }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.bytes(1, &key)
    try fields.bytes(2, &value)
  }
}

/// The answer to `EtcdPut`.
package struct EtcdPutResponse: EtcdResponse {
  package var header: EtcdHeader?

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
  }
}

/// Removes keys.
package struct EtcdDelete: EtcdRequest {
  package var range = EtcdKeyRange([])

  package typealias Response = EtcdDeleteResponse
  package static let path = "/etcdserverpb.KV/DeleteRange"

  package init() {}

  /// Removes a range.
  package init(_ range: EtcdKeyRange) { self.range = range }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.bytes(1, &range.key)
    try fields.bytes(2, &range.end)
  }
}

/// The answer to `EtcdDelete`.
package struct EtcdDeleteResponse: EtcdResponse {
  package var header: EtcdHeader?
  /// The number of removed keys.
  package var deleted: Int64 = 0

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.integer(2, &deleted)
  }
}

/// Forgets all values that were replaced or removed up to a revision.
package struct EtcdCompact: EtcdRequest {
  package var revision: Int64 = 0
  /// True to answer when the space is free.
  package var isPhysical = false

  package typealias Response = EtcdCompactResponse
  package static let path = "/etcdserverpb.KV/Compact"

  package init() {}

  /// Compacts up to a revision.
  package init(upTo revision: Int64, isPhysical: Bool = false) {
    (self.revision, self.isPhysical) = (revision, isPhysical)
  }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.integer(1, &revision)
    try fields.flag(2, &isPhysical)
  }
}

/// The answer to `EtcdCompact`.
package struct EtcdCompactResponse: EtcdResponse {
  package var header: EtcdHeader?

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
  }
}
