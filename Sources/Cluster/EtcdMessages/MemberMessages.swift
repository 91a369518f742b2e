/// Asks for the members of the cluster.
package struct EtcdMemberList: EtcdRequest {
  package typealias Response = EtcdMemberListResponse
  package static let path = "/etcdserverpb.Cluster/MemberList"

  package init() {}
  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {}
}

/// The answer to `EtcdMemberList`.
package struct EtcdMemberListResponse: EtcdResponse {
  package var header: EtcdHeader?
  package var members: [EtcdMember] = []

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.messages(2, &members)
  }
}

/// A member of the cluster.
package struct EtcdMember: ProtobufMessage {
  package var id: UInt64 = 0
  package var name = ""
  /// True for a member without a vote.
  package var isLearner = false

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.integer(1, &id)
    try fields.text(2, &name)
    try fields.flag(5, &isLearner)
  }
}

/// Asks a member for its state.
package struct EtcdStatus: EtcdRequest {
  package typealias Response = EtcdStatusResponse
  package static let path = "/etcdserverpb.Maintenance/Status"

  package init() {}
  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {}
}

/// The answer to `EtcdStatus`.
package struct EtcdStatusResponse: EtcdResponse {
  package var header: EtcdHeader?
  package var version = ""
  /// The size of the database's file in bytes.
  package var databaseBytes: Int64 = 0
  /// The id of the leader; 0 if there is none.
  package var leader: UInt64 = 0
  /// The used bytes of the file.
  package var usedBytes: Int64 = 0

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.text(2, &version)
    try fields.integer(3, &databaseBytes)
    try fields.integer(4, &leader)
    try fields.integer(9, &usedBytes)
  }
}

/// Asks for the cluster's alarms, or ends one.
package struct EtcdAlarmRequest: EtcdRequest {
  /// The purpose.
  package struct Action: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let get = Action(rawValue: 0)
    package static let deactivate = Action(rawValue: 2)
  }

  package var action = Action.get
  /// The member; 0 for all.
  package var member: UInt64 = 0
  package var kind = EtcdAlarm.Kind.none

  package typealias Response = EtcdAlarmResponse
  package static let path = "/etcdserverpb.Maintenance/Alarm"

  package init() {}

  /// Ends an alarm.
  package init(deactivate alarm: EtcdAlarm) {
    (action, member, kind) = (.deactivate, alarm.member, alarm.kind)
  }

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.number(1, &action)
    try fields.integer(2, &member)
    try fields.number(3, &kind)
  }
}

/// The answer to `EtcdAlarmRequest`.
package struct EtcdAlarmResponse: EtcdResponse {
  package var header: EtcdHeader?
  package var alarms: [EtcdAlarm] = []

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.message(1, &header)
    try fields.messages(2, &alarms)
  }
}

/// An alarm, for which the cluster refuses changes.
package struct EtcdAlarm: ProtobufMessage {
  /// The kind of an alarm.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let none = Kind(rawValue: 0)
    /// The store has no space.
    package static let noSpace = Kind(rawValue: 1)
    /// A member's data differ from those of the others.
    package static let corrupt = Kind(rawValue: 2)
  }

  package var member: UInt64 = 0
  package var kind = Kind.none

  package init() {}

  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {
    try fields.integer(1, &member)
    try fields.number(2, &kind)
  }
}

/// Rewrites a member's database, so that its file takes only the used bytes. The member does nothing else meanwhile.
package struct EtcdDefragment: EtcdRequest {
  package typealias Response = EtcdPutResponse
  package static let path = "/etcdserverpb.Maintenance/Defragment"

  package init() {}
  package mutating func visit(_ fields: inout some ProtobufFields) throws(ProtobufError) {}
}
