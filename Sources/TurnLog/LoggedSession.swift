package import Senders
public import Wire

/// A client's session after a turn. After a restart, it distinguishes a resent action from a new one.
///
/// Each turn stores only the new rejections of a session, because a client may leave many unacknowledged. `advance`
/// adds them to those of the earlier records.
public struct LoggedSession: Equatable, Sendable {
  /// The session.
  public var id: SessionID
  /// The user of the process that opened or last resumed the session.
  public var user: UInt32
  /// The id of that process.
  public var process: Int32
  /// The name by which the client introduced itself.
  public var name: String
  /// The sequence number up to which all actions took effect or were rejected.
  public var processed: UInt64
  /// The rejections that the client has not acknowledged, oldest first. If `firstKept` is not nil, earlier records of
  /// the session have the first of them.
  public var rejections: [Rejected]
  /// The sequence number of the first unacknowledged rejection in earlier records; nil if this record is complete.
  public var firstKept: UInt64?
  /// True if the session has ended, so that the log can remove it.
  public var hasEnded: Bool
  /// The number of the connection (`HubClient.connection`); 0 in journals of version 4 and earlier, and for a session
  /// without a connection.
  public var connection: UInt64
  /// The name of the user, as the hub's machine knew it; empty if it is unknown.
  public var userName: String
  /// The groups of the process.
  public var groups: [UInt32]

  /// Creates a session.
  public init(
    id: SessionID, user: UInt32, process: Int32, name: String, processed: UInt64, rejections: [Rejected] = [],
    firstKept: UInt64? = nil, hasEnded: Bool = false, connection: UInt64 = 0, userName: String = "",
    groups: [UInt32] = []
  ) {
    (self.connection, self.userName, self.groups) = (connection, userName, groups)
    (self.id, self.user, self.process, self.name) = (id, user, process, name)
    (self.processed, self.rejections, self.firstKept, self.hasEnded) = (processed, rejections, firstKept, hasEnded)
  }

  /// The approximate number of bytes that the record needs in memory.
  var byteCount: Int {
    rejections.reduce(128 + name.utf8.count + userName.utf8.count + 4 * groups.count) { $0 + 16 + $1.reason.utf8.count }
  }

  /// Replaces this record by a later one of the session, which takes over the rejections that are still pending.
  ///
  /// A second call with the same record changes nothing, because a turn may have two records of a session that was
  /// resumed in it.
  public mutating func advance(to next: LoggedSession) {
    guard let kept = next.firstKept else { return self = next }
    let end = next.rejections.first?.sequence ?? .max
    var (list, earlier) = (rejections, firstKept)
    rejections = []
    list.removeAll { $0.sequence < kept || $0.sequence >= end || $0.sequence > next.processed }
    if let first = earlier { earlier = max(first, kept) }
    self = next
    (rejections, firstKept) = (list + next.rejections, earlier)
  }
}

extension LoggedSession {
  /// The client as the reducer has seen it; nil in journals of version 4 and earlier, and without a connection.
  package var client: HubClient? {
    guard connection != 0 else { return nil }
    return HubClient(
      connection: connection, session: id.identity, name: name, process: process,
      user: SystemUser(id: user, name: userName, groups: groups))
  }
}

extension LoggedSession: WireValue {
  /// Writes `[id, user, process, name, processed, rejections, has ended, firstKept or null, connection, userName,
  /// groups]`. Without a connection the last three are missing, and `firstKept` too if it is nil.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: connection != 0 ? 11 : firstKept == nil ? 7 : 8)
    id.encode(to: &encoder)
    encoder.unsigned(UInt64(user))
    encoder.integer(Int64(process))
    encoder.text(name)
    encoder.unsigned(processed)
    rejections.encode(to: &encoder)
    encoder.bool(hasEnded)
    if let firstKept { encoder.unsigned(firstKept) } else if connection != 0 { encoder.null() }
    guard connection != 0 else { return }
    encoder.unsigned(connection)
    encoder.text(userName)
    groups.encode(to: &encoder)
  }

  /// Reads a session.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count == 7 || count == 8 || count == 11 else {
      throw WireError(.typeMismatch(expected: "an array of 7, 8 or 11 items"), at: start)
    }
    id = try SessionID(from: &decoder)
    guard let user = UInt32(exactly: try decoder.unsigned()), let process = Int32(exactly: try decoder.integer()) else {
      throw WireError(.outOfRange(type: "user or process of a session"), at: start)
    }
    (self.user, self.process) = (user, process)
    name = try decoder.text()
    processed = try decoder.logNumber(of: "an action")
    rejections = try [Rejected](from: &decoder)
    hasEnded = try decoder.bool()
    firstKept = nil
    if count > 7, try !decoder.null() { firstKept = try decoder.unsigned() }
    (connection, userName, groups) = (0, "", [])
    guard count == 11 else { return }
    connection = try decoder.logNumber(of: "a connection")
    (userName, groups) = (try decoder.text(), try [UInt32](from: &decoder))
  }
}
