public import Senders

extension HubClient: WireValue {
  /// Writes `[connection, session, name, process, user]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 5)
    encoder.unsigned(connection)
    encoder.unsigned(session)
    encoder.text(name)
    encoder.integer(Int64(process))
    user.encode(to: &encoder)
  }

  /// Reads `[connection, session, name, process, user]`.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(5)
    self.init(
      connection: try decoder.unsigned(), session: try decoder.unsigned(),
      name: try decoder.text(limit: Hello.nameLimit), process: try Int32(from: &decoder),
      user: try SystemUser(from: &decoder))
  }
}

extension SystemUser: WireValue {
  /// The maximum length of a user's name in bytes; a longer one is left out. That of Linux is 32.
  package static var nameLimit: Int { 256 }

  /// Writes `[id, name, groups]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    encoder.unsigned(UInt64(id))
    encoder.text(name)
    groups.encode(to: &encoder)
  }

  /// Reads `[id, name, groups]`.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    self.init(
      id: try UInt32(from: &decoder), name: try decoder.text(limit: Self.nameLimit),
      groups: try [UInt32](from: &decoder))
  }
}
