public import Wire

/// A client's session after a turn. After a restart, it distinguishes a resent action from a new one.
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
  /// The rejections that the client has not acknowledged, oldest first.
  public var rejections: [Rejected]
  /// True if the session has ended, so that the log can remove it.
  public var hasEnded: Bool

  /// Creates a session.
  public init(
    id: SessionID, user: UInt32, process: Int32, name: String, processed: UInt64, rejections: [Rejected] = [],
    hasEnded: Bool = false
  ) {
    (self.id, self.user, self.process, self.name) = (id, user, process, name)
    (self.processed, self.rejections, self.hasEnded) = (processed, rejections, hasEnded)
  }
}

extension LoggedSession: WireValue {
  /// Writes `[id, user, process, name, processed, rejections, has ended]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 7)
    id.encode(to: &encoder)
    encoder.unsigned(UInt64(user))
    encoder.integer(Int64(process))
    encoder.text(name)
    encoder.unsigned(processed)
    rejections.encode(to: &encoder)
    encoder.bool(hasEnded)
  }

  /// Reads a session.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(7)
    let start = decoder.offset
    id = try SessionID(from: &decoder)
    guard let user = UInt32(exactly: try decoder.unsigned()), let process = Int32(exactly: try decoder.integer()) else {
      throw WireError(.outOfRange(type: "user or process of a session"), at: start)
    }
    (self.user, self.process) = (user, process)
    name = try decoder.text()
    processed = try decoder.unsigned()
    rejections = try [Rejected](from: &decoder)
    hasEnded = try decoder.bool()
  }
}
