import TurnLog
package import Wire

/// The record that a hub leaves to the process that takes over its connections. It contains everything about them that
/// is not in the hub's log.
///
/// The shell passes the descriptors, and identifies each by a number of its own, the *token*.
package struct HandOver: Equatable, Sendable {
  /// The version of the encoding. A process that does not know it closes the connections.
  static let form: UInt64 = 1

  /// The state, for a hub without a log.
  struct State: Equatable, Sendable {
    var schema: Schema
    var bytes: [UInt8]
  }

  /// The schema that clients were sent to decode the hub's frames.
  var schema: SchemaFingerprint
  /// The history to which the clients' revisions belong.
  var history: UInt64
  /// The last turn in the log; nil for a hub without one.
  var position: UInt64?
  /// The revision of the state.
  package internal(set) var revision: UInt64
  /// The revision of the hub's own state.
  var hubRevision: UInt64
  var state: State?
  /// The sessions without a connection, for a hub without a log.
  var sessions: [LoggedSession]
  var connections: [HandedConnection]
  /// The number of the last connection whose session was opened; 0 from a process of an earlier version.
  var lastConnection: UInt64 = 0
  /// The schema of the feature's views; nil if it declares none.
  var views: SchemaFingerprint?
  /// True if the previous process has crashed. The log then decides which sessions continue. Not part of the encoding.
  package internal(set) var isAfterCrash = false

  /// The number of connections.
  package var connectionCount: Int { connections.count }

  /// The tokens of the connections, in their order.
  package var tokens: [UInt64] { connections.map(\.token) }
}

/// A connection that is handed to the next process.
struct HandedConnection: Equatable, Sendable {
  /// The phase of a connection.
  enum Phase: Equatable, Sendable {
    case greeting
    case live(HandedSession)
    /// Its last frame was written.
    case closing
  }

  var token: UInt64
  var user: UInt32
  var phase: Phase
  /// Input that was read but not handled: waiting frames and the beginning of an incomplete one.
  var unread: [UInt8]
  /// Output that was written but not accepted by the socket.
  var unsent: [UInt8]
}

/// The session of a connection that is handed over, and what its client was last sent.
struct HandedSession: Equatable, Sendable {
  /// A scope, and the client's state of it.
  struct Scope: Equatable, Sendable {
    var number: UInt16
    var root: StateRoot
    var path: [PathStep]
    var sentRevision: UInt64
    /// The version with the same value at the place, or nil if the client needs a snapshot.
    var version: UInt64?
    var hasValue: Bool
    var isHashDue: Bool
  }

  var session: LoggedSession
  var knowsHistory: Bool
  var sentProcessed: UInt64
  var sentRejections: Int
  var pong: UInt64?
  var detached: [UInt16]
  /// Their documentation, which a hub may leave out, is no longer requested.
  var requestedSchemas: [StateRoot]
  var scopes: [Scope]
  /// True if effects of the client's actions run, which end with this process.
  var hasEffects: Bool
}

// MARK: - Bytes

extension HandOver: WireValue {
  /// Writes `[form, schema, history, position, revision, hub's revision, state, sessions, connections, number of
  /// the last connection, ? schema of the views]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: views == nil ? 10 : 11)
    encoder.unsigned(Self.form)
    schema.encode(to: &encoder)
    encoder.unsigned(history)
    position.encode(to: &encoder)
    encoder.unsigned(revision)
    encoder.unsigned(hubRevision)
    state.encode(to: &encoder)
    sessions.encode(to: &encoder)
    connections.encode(to: &encoder)
    encoder.unsigned(lastConnection)
    views?.encode(to: &encoder)
  }

  /// Decodes a record from another process.
  /// - Throws: `outOfRange` for another version of the encoding.
  package init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard 9...11 ~= count else {
      throw WireError(.typeMismatch(expected: "an array of 9 to 11 items"), at: start)
    }
    guard try decoder.unsigned() == Self.form else {
      throw WireError(.outOfRange(type: "form of a hand-over"), at: start)
    }
    schema = try SchemaFingerprint(from: &decoder)
    history = try decoder.unsigned()
    position = try UInt64?(from: &decoder)
    revision = try decoder.unsigned()
    hubRevision = try decoder.unsigned()
    state = try State?(from: &decoder)
    sessions = try [LoggedSession](from: &decoder)
    connections = try [HandedConnection](from: &decoder)
    if count >= 10 { lastConnection = try decoder.unsigned() }
    if count == 11 { views = try SchemaFingerprint(from: &decoder) }
  }
}

extension HandOver.State: WireValue {
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    schema.encode(to: &encoder)
    encoder.byteString(bytes.span.bytes)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    schema = try Schema(from: &decoder)
    bytes = [UInt8](try decoder.byteString())
  }
}

extension HandedConnection: WireValue {
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 5)
    encoder.unsigned(token)
    encoder.unsigned(UInt64(user))
    switch phase {
    case .greeting: encoder.unsigned(0)
    case .closing: encoder.unsigned(1)
    case .live(let session): session.encode(to: &encoder)
    }
    encoder.byteString(unread.span.bytes)
    encoder.byteString(unsent.span.bytes)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(5)
    token = try decoder.unsigned()
    user = try UInt32(from: &decoder)
    if try decoder.nextType() == .array {
      phase = .live(try HandedSession(from: &decoder))
    } else {
      phase = try decoder.unsigned() == 0 ? .greeting : .closing
    }
    unread = [UInt8](try decoder.byteString())
    unsent = [UInt8](try decoder.byteString())
  }
}

extension HandedSession: WireValue {
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 9)
    session.encode(to: &encoder)
    encoder.bool(knowsHistory)
    encoder.unsigned(sentProcessed)
    encoder.unsigned(UInt64(sentRejections))
    pong.encode(to: &encoder)
    detached.encode(to: &encoder)
    requestedSchemas.map(\.rawValue).encode(to: &encoder)
    scopes.encode(to: &encoder)
    encoder.bool(hasEffects)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    // The record of an earlier version does not say whether there are effects.
    guard count == 8 || count == 9 else { throw WireError(.typeMismatch(expected: "an array of 9 items"), at: start) }
    session = try LoggedSession(from: &decoder)
    knowsHistory = try decoder.bool()
    sentProcessed = try decoder.unsigned()
    sentRejections = Int(clamping: try decoder.unsigned())
    pong = try UInt64?(from: &decoder)
    detached = try [UInt16](from: &decoder)
    requestedSchemas = try [UInt64](from: &decoder).map { StateRoot(rawValue: $0) }
    scopes = try [Scope](from: &decoder)
    hasEffects = count == 9 ? try decoder.bool() : true
  }
}

extension HandedSession.Scope: WireValue {
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 7)
    encoder.unsigned(UInt64(number))
    encoder.unsigned(root.rawValue)
    path.encode(to: &encoder)
    encoder.unsigned(sentRevision)
    version.encode(to: &encoder)
    encoder.bool(hasValue)
    encoder.bool(isHashDue)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(7)
    number = try UInt16(from: &decoder)
    root = StateRoot(rawValue: try decoder.unsigned())
    path = try [PathStep](from: &decoder)
    sentRevision = try decoder.unsigned()
    version = try UInt64?(from: &decoder)
    hasValue = try decoder.bool()
    isHashDue = try decoder.bool()
  }
}
