/// Creates a lease: keys with it end when it was not renewed in time.
package struct EtcdLeaseGrant: EtcdRequest {
  /// The time in seconds.
  package var seconds: Int64 = 0
  /// The id; 0 to get one.
  package var id: Int64 = 0

  package typealias Response = EtcdLeaseResponse
  package static let path = "/etcdserverpb.Lease/LeaseGrant"

  package init() {}

  /// Creates a lease of some seconds.
  package init(seconds: Int64) { self.seconds = seconds }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.integer(1, &seconds)
    try fields.integer(2, &id)
  }
}

/// Ends a lease.
package struct EtcdLeaseRevoke: EtcdRequest {
  package var id: Int64 = 0

  package typealias Response = EtcdPutResponse
  package static let path = "/etcdserverpb.Lease/LeaseRevoke"

  package init() {}

  /// Ends a lease, and removes its keys.
  package init(id: Int64) { self.id = id }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) { try fields.integer(1, &id) }
}

/// Renews a lease: a message of the client in the stream of renewals.
package struct EtcdLeaseRenewal: ProtobufMessage {
  package var id: Int64 = 0

  package static let path = "/etcdserverpb.Lease/LeaseKeepAlive"

  package init() {}

  /// Renews a lease.
  package init(id: Int64) { self.id = id }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) { try fields.integer(1, &id) }
}

/// The state of a lease: the answer to `EtcdLeaseGrant` and to each `EtcdLeaseRenewal`.
package struct EtcdLeaseResponse: EtcdResponse {
  package var header: EtcdHeader?
  package var id: Int64 = 0
  /// The time that is left in seconds; 0 if the lease has ended.
  package var seconds: Int64 = 0

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.integer(2, &id)
    try fields.integer(3, &seconds)
  }
}
