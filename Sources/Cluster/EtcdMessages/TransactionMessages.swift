/// Executes operations that depend on conditions, in one revision.
package struct EtcdTransaction: EtcdRequest {
  package var conditions: [EtcdCondition] = []
  /// The operations if all conditions hold.
  package var success: [EtcdOperation] = []
  /// The operations otherwise.
  package var failure: [EtcdOperation] = []

  package typealias Response = EtcdTransactionResponse
  package static let path = "/etcdserverpb.KV/Txn"

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.messages(1, &conditions)
    try fields.messages(2, &success)
    try fields.messages(3, &failure)
  }
}

/// A condition on a key: that a property equals a value. A key that does not exist has the create revision 0, and no
/// value, not even an empty one.
package struct EtcdCondition: ProtobufMessage {
  /// The comparison.
  package struct Comparison: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let equal = Comparison(rawValue: 0)
    package static let notEqual = Comparison(rawValue: 3)
  }

  /// The property that is compared.
  package struct Target: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let version = Target(rawValue: 0)
    package static let createRevision = Target(rawValue: 1)
    package static let modRevision = Target(rawValue: 2)
    package static let value = Target(rawValue: 3)
  }

  package var comparison = Comparison.equal
  package var target = Target.version
  package var key: [UInt8] = []
  package var createRevision: Int64 = 0
  package var modRevision: Int64 = 0
  package var value: [UInt8] = []

  package init() {}

  /// The key does not exist, or it does.
  package static func exists(_ key: [UInt8], _ exists: Bool) -> EtcdCondition {
    var condition = EtcdCondition()
    condition.comparison = exists ? .notEqual : .equal
    (condition.target, condition.key) = (.createRevision, key)
    return condition
  }

  /// The key has a value.
  package static func value(_ key: [UInt8], _ value: [UInt8]) -> EtcdCondition {
    var condition = EtcdCondition()
    (condition.target, condition.key, condition.value) = (.value, key, value)
    return condition
  }

  /// The revision of the key's last change.
  package static func revision(_ key: [UInt8], _ revision: Int64) -> EtcdCondition {
    var condition = EtcdCondition()
    (condition.target, condition.key, condition.modRevision) = (.modRevision, key, revision)
    return condition
  }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.number(1, &comparison)
    try fields.number(2, &target)
    try fields.bytes(3, &key)
    try fields.integer(5, &createRevision)
    try fields.integer(6, &modRevision)
    try fields.bytes(7, &value)
  }
}

/// An operation of a transaction: one of the three.
package struct EtcdOperation: ProtobufMessage {
  package private(set) var range: EtcdRange?
  package private(set) var put: EtcdPut?
  package private(set) var delete: EtcdDelete?

  /// An operation of a later version, which etcd refuses.
  package init() {}

  package static func range(_ request: EtcdRange) -> EtcdOperation {
    var operation = EtcdOperation()
    operation.range = request
    return operation
  }

  package static func put(_ request: EtcdPut) -> EtcdOperation {
    var operation = EtcdOperation()
    operation.put = request
    return operation
  }

  package static func delete(_ request: EtcdDelete) -> EtcdOperation {
    var operation = EtcdOperation()
    operation.delete = request
    return operation
  }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &range)
    try fields.message(2, &put)
    try fields.message(3, &delete)
  }
}

/// The answer to `EtcdTransaction`.
package struct EtcdTransactionResponse: EtcdResponse {
  package var header: EtcdHeader?
  /// True if all conditions held.
  package var succeeded = false
  /// The results of the operations that were executed, in their order.
  package var results: [EtcdOperationResult] = []

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.flag(2, &succeeded)
    try fields.messages(3, &results)
  }
}

/// The result of an operation: one of the three.
package struct EtcdOperationResult: ProtobufMessage {
  package var range: EtcdRangeResponse?
  package var put: EtcdPutResponse?
  package var delete: EtcdDeleteResponse?

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &range)
    try fields.message(2, &put)
    try fields.message(3, &delete)
  }
}
