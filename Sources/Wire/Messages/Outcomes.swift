/// Why the hub refused one action. Codes that a receiver does not know are kept as they came.
public struct RejectionCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a code from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The bytes are not an action that this hub's feature has.
  public static let unknownAction = Self(rawValue: 1)
}

/// The hub's refusal of one action; the actions around it are not concerned.
public struct Rejected: Message, Equatable {
  public static var kind: FrameKind { .rejected }

  /// The refused action's sequence number.
  public var sequence: UInt64
  /// Why, for programs.
  public var code: RejectionCode
  /// Why, for people.
  public var reason: String

  /// Creates a refusal.
  public init(sequence: UInt64, code: RejectionCode, reason: String) {
    self.sequence = sequence
    self.code = code
    self.reason = reason
  }

  /// Writes `[sequence, code, reason]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    encoder.unsigned(sequence)
    encoder.unsigned(code.rawValue)
    encoder.text(reason)
  }

  /// Reads a refusal.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    sequence = try decoder.unsigned()
    code = RejectionCode(rawValue: try decoder.unsigned())
    reason = try decoder.text(limit: 4096)
  }
}

/// What a peer did that makes the hub close its connection. Unknown codes are kept as they came.
public struct PeerErrorCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a code from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// No protocol version is spoken by both sides.
  public static let unsupportedVersion = Self(rawValue: 1)
  /// The bytes are not a message of their kind.
  public static let malformed = Self(rawValue: 2)
  /// A frame is larger than the hub accepts.
  public static let frameTooLarge = Self(rawValue: 3)
  /// The hub has no such kind of message, or not at this point of the conversation.
  public static let unexpectedMessage = Self(rawValue: 4)
  /// An action's sequence number does not follow the one before it.
  public static let sequenceGap = Self(rawValue: 5)
  /// The state has no such part, or the scope number is not one the client may use.
  public static let unknownScope = Self(rawValue: 6)
  /// A hello or the rest of a frame did not come in time.
  public static let timedOut = Self(rawValue: 7)
  /// The hub serves as many connections as it may.
  public static let tooManyConnections = Self(rawValue: 8)
  /// The peer goes on sending actions that are refused, and does not read the refusals.
  public static let tooManyRejections = Self(rawValue: 9)
  /// The same session was resumed on another connection.
  public static let sessionResumedElsewhere = Self(rawValue: 10)
  /// A scope number is attached that the connection already uses.
  public static let scopeInUse = Self(rawValue: 11)
  /// The connection follows as many scopes as it may.
  public static let tooManyScopes = Self(rawValue: 12)
  /// The connections of one user hold more bytes of unfinished frames than the hub keeps.
  public static let tooManyBytes = Self(rawValue: 13)
  /// The hub's log is so far behind that it opens no further sessions.
  public static let overloaded = Self(rawValue: 14)
}

/// The hub's last word to a peer that broke the protocol.
public struct PeerError: Message, Error, Equatable {
  public static var kind: FrameKind { .error }

  /// What went wrong, for programs.
  public var code: PeerErrorCode
  /// What went wrong, to what, and what to do, for people.
  public var reason: String

  /// Creates an error.
  public init(_ code: PeerErrorCode, _ reason: String) {
    self.code = code
    self.reason = reason
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

/// Why the hub closes a connection of its own accord. Unknown codes are kept as they came.
public struct GoodbyeCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a code from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The hub stops; another may serve the same socket soon.
  public static let shuttingDown = Self(rawValue: 1)
}

/// The hub's last word when it closes a connection of its own accord.
public struct Goodbye: Message, Equatable {
  public static var kind: FrameKind { .goodbye }

  /// Why, for programs.
  public var code: GoodbyeCode
  /// Why, for people.
  public var reason: String

  /// Creates a goodbye.
  public init(_ code: GoodbyeCode, _ reason: String) {
    self.code = code
    self.reason = reason
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

private func encodeCode(_ code: UInt64, reason: String, to encoder: inout CBOREncoder) {
  encoder.arrayHeader(count: 2)
  encoder.unsigned(code)
  encoder.text(reason)
}

private func decodeCode(from decoder: inout CBORDecoder) throws(WireError) -> (UInt64, String) {
  try decoder.tuple(2)
  return (try decoder.unsigned(), try decoder.text(limit: 4096))
}
