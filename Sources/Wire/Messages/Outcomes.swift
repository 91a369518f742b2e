/// The reason why the hub rejected an action. Unknown codes are preserved.
public struct RejectionCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a code from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The bytes are not an action of the hub's feature.
  public static let unknownAction = Self(rawValue: 1)
  /// The user may not send this action.
  public static let notPermitted = Self(rawValue: 2)
  /// The state would exceed the size that the hub allows.
  public static let stateTooLarge = Self(rawValue: 3)
  /// The state after the action could not be read back from its bytes, by a client or after a restart.
  public static let unreadable = Self(rawValue: 4)
  /// The hub's process ended twice while its reducer handled this action, so it is not tried again.
  public static let actionCrashes = Self(rawValue: 5)
  /// The feature's reducer has refused the action; the reason is the feature's.
  public static let refused = Self(rawValue: 6)
  /// The target of the action is gone: the element of a collection or a stack, or the presented child.
  public static let late = Self(rawValue: 7)
}

/// The hub's rejection of one action. It does not affect other actions.
public struct Rejected: Message, Equatable {
  public static var kind: FrameKind { .rejected }

  /// The rejected action's sequence number.
  public var sequence: UInt64
  /// The reason, for programs.
  public var code: RejectionCode
  /// The reason, for people.
  public let reason: String

  /// Creates a rejection.
  public init(sequence: UInt64, code: RejectionCode, reason: String) {
    self.sequence = sequence
    self.code = code
    self.reason = reason.prefix(byteCount: reasonLimit)
  }

  /// Writes `[sequence, code, reason]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    encoder.unsigned(sequence)
    encoder.unsigned(code.rawValue)
    encoder.text(reason)
  }

  /// Reads a rejection.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    sequence = try decoder.unsigned()
    code = RejectionCode(rawValue: try decoder.unsigned())
    reason = try decoder.text(limit: reasonLimit)
  }
}

/// An error of a peer for which the hub closes the connection. Unknown codes are preserved.
public struct PeerErrorCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a code from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The two sides have no common protocol version.
  public static let unsupportedVersion = Self(rawValue: 1)
  /// The bytes are not a message of their kind.
  public static let malformed = Self(rawValue: 2)
  /// A frame is larger than the hub accepts.
  public static let frameTooLarge = Self(rawValue: 3)
  /// The hub does not have this kind of message, or does not expect it at this point.
  public static let unexpectedMessage = Self(rawValue: 4)
  /// An action's sequence number does not follow the previous one.
  public static let sequenceGap = Self(rawValue: 5)
  /// The state has no such part, or the client may not use the scope number.
  public static let unknownScope = Self(rawValue: 6)
  /// A hello or the rest of a frame did not arrive in time.
  public static let timedOut = Self(rawValue: 7)
  /// The hub has reached its limit of connections.
  public static let tooManyConnections = Self(rawValue: 8)
  /// The peer keeps sending actions that are rejected, and does not read the rejections.
  public static let tooManyRejections = Self(rawValue: 9)
  /// The same session was resumed on another connection.
  public static let sessionResumedElsewhere = Self(rawValue: 10)
  /// The scope number is already in use on the connection.
  public static let scopeInUse = Self(rawValue: 11)
  /// The connection has reached its limit of scopes.
  public static let tooManyScopes = Self(rawValue: 12)
  /// The hub keeps too many bytes for the connections of one user: received frames, unread output, and rejections that
  /// were not acknowledged.
  public static let tooManyBytes = Self(rawValue: 13)
  /// The hub's log lags too far behind to open more sessions.
  public static let overloaded = Self(rawValue: 14)
  /// The user may not use the hub, or not read the part of the state that was attached.
  public static let notPermitted = Self(rawValue: 15)
  /// The hub cannot pass on the leadership of its cluster.
  public static let cannotTransfer = Self(rawValue: 16)
}

/// The hub's last message to a peer that violated the protocol.
public struct PeerError: Message, Error, Equatable {
  public static var kind: FrameKind { .error }

  /// The error, for programs.
  public var code: PeerErrorCode
  /// A description of the error and of a remedy, for people.
  public let reason: String

  /// Creates an error.
  public init(_ code: PeerErrorCode, _ reason: String) {
    self.code = code
    self.reason = reason.prefix(byteCount: reasonLimit)
  }

  /// Writes `[code, reason]`.
  public func encode(to encoder: inout CBOREncoder) {
    encodeCode(code.rawValue, reason: reason, to: &encoder)
  }

  /// Reads an error.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let (code, reason) = try decodeCode(from: &decoder)
    self.init(PeerErrorCode(rawValue: code), reason)
  }
}

/// The reason why the hub closes a connection of its own accord. Unknown codes are preserved.
public struct GoodbyeCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a code from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The hub is stopping; another may soon serve the same socket.
  public static let shuttingDown = Self(rawValue: 1)
  /// The hub's program has been replaced by one with another schema, which a client learns when it connects again.
  public static let otherSchema = Self(rawValue: 2)
}

/// The hub's last message when it closes a connection of its own accord.
public struct Goodbye: Message, Equatable {
  public static var kind: FrameKind { .goodbye }

  /// The reason, for programs.
  public var code: GoodbyeCode
  /// The reason, for people.
  public let reason: String

  /// Creates a goodbye.
  public init(_ code: GoodbyeCode, _ reason: String) {
    self.code = code
    self.reason = reason.prefix(byteCount: reasonLimit)
  }

  /// Writes `[code, reason]`.
  public func encode(to encoder: inout CBOREncoder) {
    encodeCode(code.rawValue, reason: reason, to: &encoder)
  }

  /// Reads a goodbye.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let (code, reason) = try decodeCode(from: &decoder)
    self.init(GoodbyeCode(rawValue: code), reason)
  }
}

/// The size of the longest reason, in bytes; longer ones are cut.
private let reasonLimit = 4096

extension String {
  /// The longest beginning of whole Unicode scalars that has at most `limit` bytes.
  package func prefix(byteCount limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

private func encodeCode(_ code: UInt64, reason: String, to encoder: inout CBOREncoder) {
  encoder.arrayHeader(count: 2)
  encoder.unsigned(code)
  encoder.text(reason)
}

private func decodeCode(from decoder: inout CBORDecoder) throws(WireError) -> (UInt64, String) {
  try decoder.tuple(2)
  return (try decoder.unsigned(), try decoder.text(limit: reasonLimit))
}
