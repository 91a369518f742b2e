public import Senders

/// The client's first frame.
public struct Hello: Message, Equatable {
  public static var kind: FrameKind { .hello }

  /// The oldest protocol version that the client supports.
  public var oldestVersion: UInt64
  /// The newest protocol version that the client supports.
  public var newestVersion: UInt64
  /// The session to resume; nil for a new one.
  public var session: SessionID?
  /// The last acknowledged sequence number of that session.
  public var acknowledged: UInt64
  /// The client's name, for the hub's log and other clients: at most `nameLimit` bytes, no control characters.
  public var name: String
  /// The fingerprint of the schema with which the client was compiled, if it knows one.
  public var schema: SchemaFingerprint?
  /// The history named by the session's last welcome, to which the client's revisions belong.
  public var history: UInt64?

  /// The maximum length of a name in bytes.
  public static var nameLimit: Int { 128 }

  /// Creates a hello for a new session or one to resume. In the name, `?` replaces characters that a hub refuses.
  public init(
    oldestVersion: UInt64 = ProtocolVersion.oldest, newestVersion: UInt64 = ProtocolVersion.newest,
    session: SessionID? = nil, acknowledged: UInt64 = 0, name: String = "", schema: SchemaFingerprint? = nil,
    history: UInt64? = nil
  ) {
    self.oldestVersion = oldestVersion
    self.newestVersion = newestVersion
    self.session = session
    self.acknowledged = acknowledged
    self.name = name.withoutControls
    self.schema = schema
    self.history = history
  }

  /// Writes `{0: oldest, 1: newest, ? 2: session, ? 3: acknowledged, ? 4: name, ? 5: schema, ? 6: history}`.
  public func encode(to encoder: inout CBOREncoder) {
    let optionals = (session == nil ? 0 : 2) + (name.isEmpty ? 0 : 1) + (schema == nil ? 0 : 1)
    encoder.mapHeader(count: 2 + optionals + (history == nil ? 0 : 1))
    encoder.unsigned(0)
    encoder.unsigned(oldestVersion)
    encoder.unsigned(1)
    encoder.unsigned(newestVersion)
    if let session {
      encoder.unsigned(2)
      session.encode(to: &encoder)
      encoder.unsigned(3)
      encoder.unsigned(acknowledged)
    }
    if !name.isEmpty {
      encoder.unsigned(4)
      encoder.text(name)
    }
    if let schema {
      encoder.unsigned(5)
      schema.encode(to: &encoder)
    }
    if let history {
      encoder.unsigned(6)
      encoder.unsigned(history)
    }
  }

  /// Reads a hello and skips unknown fields.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    let start = decoder.offset
    var (oldest, newest): (UInt64?, UInt64?)
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: oldest = try decoder.unsigned()
      case 1:
        let valueStart = decoder.offset
        newest = try decoder.unsigned()
        guard newest != 0 else {
          throw WireError(.outOfRange(type: "a protocol version, which is 1 or more"), at: valueStart)
        }
      case 2: session = try SessionID(from: &decoder)
      case 3: acknowledged = try decoder.unsigned()
      case 4: name = try Self.clientName(from: &decoder)
      case 5: schema = try SchemaFingerprint(from: &decoder)
      case 6: history = try decoder.unsigned()
      default: try decoder.skip()
      }
    }
    guard let oldest else { throw WireError(.missingField(key: 0, type: "Hello"), at: start) }
    guard let newest else { throw WireError(.missingField(key: 1, type: "Hello"), at: start) }
    (oldestVersion, newestVersion) = (oldest, newest)
  }

  /// Reads the name of a client: at most `nameLimit` bytes, no control characters.
  package static func clientName(from decoder: inout CBORDecoder) throws(WireError) -> String {
    let start = decoder.offset
    let name = try decoder.text(limit: nameLimit)
    if let scalar = name.unicodeScalars.first(where: \.isControl) {
      throw WireError(.controlCharacter(scalar), at: start)
    }
    return name
  }
}

/// The hub's reply to a hello.
public struct Welcome: Message, Equatable {
  public static var kind: FrameKind { .welcome }

  /// The protocol version of the connection from here on.
  public var version: UInt64
  /// The session, for the next hello.
  public var session: SessionID
  /// True if that is the session that the client asked to resume.
  public var isResumed: Bool
  /// The highest sequence number the hub has processed in the session.
  public var processed: UInt64
  /// The maximum payload that the hub accepts, in bytes.
  public var payloadLimit: UInt64
  /// The hub's name and version, for people; at most `nameLimit` bytes.
  public var hub: String
  /// The fingerprint of the schema with which the hub was compiled, if it sends one.
  public var schema: SchemaFingerprint?
  /// The history to which the hub's revisions belong. If it differs from that of the last welcome, revisions were lost,
  /// and those that the client has seen are meaningless.
  public var history: UInt64?
  /// True if the client's user may attach the hub's own state and its metrics.
  public var mayReadHub: Bool
  /// The absolute path of the hub's state directory, with the journal; nil if it has none, or if the client's user may
  /// not read it.
  public var stateDirectory: String?
  /// True if the hub takes *cancel*.
  public var cancelsEffects: Bool
  /// The number of elements that the windows of a connection may have together; 0 for a hub that serves none.
  public var windowElements: UInt64
  /// What the client's user may attach and send; nil if the hub does not say.
  public var rights: ClientRights?
  /// The client itself as the hub's reducers see it (`\.sender`), for its predictions; nil from a hub that does not say.
  public var client: HubClient?
  /// The fingerprint of the schema of the views that the hub's feature declares (`StateRoot.views`); nil if it declares
  /// none.
  public var views: SchemaFingerprint?
  /// The calendar, the time zone and the locale that the hub's reducers read, for the client's predictions.
  public var region: RegionalSettings

  /// The maximum length of the path of a state directory in bytes.
  public static var pathLimit: Int { 4096 }

  /// The maximum length of a hub's name in bytes.
  public static var nameLimit: Int { 256 }

  /// Creates a welcome.
  public init(
    version: UInt64, session: SessionID, isResumed: Bool, processed: UInt64, payloadLimit: UInt64, hub: String,
    schema: SchemaFingerprint? = nil, history: UInt64? = nil, mayReadHub: Bool = true,
    stateDirectory: String? = nil, cancelsEffects: Bool = false, windowElements: UInt64 = 0,
    rights: ClientRights? = nil, client: HubClient? = nil, views: SchemaFingerprint? = nil,
    region: RegionalSettings = .standard
  ) {
    self.version = version
    self.session = session
    self.isResumed = isResumed
    self.processed = processed
    self.payloadLimit = payloadLimit
    self.hub = hub
    self.schema = schema
    self.history = history
    self.mayReadHub = mayReadHub
    self.stateDirectory = stateDirectory
    self.cancelsEffects = cancelsEffects
    self.windowElements = windowElements
    self.rights = rights
    self.client = client
    self.views = views
    self.region = region
  }

  /// Writes `{0: version, 1: session, 2: resumed, 3: processed, 4: payload limit, 5: hub, ? 6: schema, ? 7: history,
  /// ? 8: may read the hub's own state, ? 9: state directory, ? 10: takes cancel, ? 11: elements of windows,
  /// ? 12: rights, ? 14: client, ? 15: schema of the views, ? 16: region}`. Key 8 is true if it is missing, key 10 false, key 11
  /// is 0, and key 16 the standard.
  public func encode(to encoder: inout CBOREncoder) {
    let optionals =
      (schema == nil ? 0 : 1) + (history == nil ? 0 : 1) + (stateDirectory == nil ? 0 : 1)
      + (windowElements == 0 ? 0 : 1) + (rights == nil ? 0 : 1) + (client == nil ? 0 : 1)
      + (views == nil ? 0 : 1) + (region == .standard ? 0 : 1)
    encoder.mapHeader(count: 6 + optionals + (mayReadHub ? 0 : 1) + (cancelsEffects ? 1 : 0))
    encoder.unsigned(0)
    encoder.unsigned(version)
    encoder.unsigned(1)
    session.encode(to: &encoder)
    encoder.unsigned(2)
    encoder.bool(isResumed)
    encoder.unsigned(3)
    encoder.unsigned(processed)
    encoder.unsigned(4)
    encoder.unsigned(payloadLimit)
    encoder.unsigned(5)
    encoder.text(hub)
    if let schema {
      encoder.unsigned(6)
      schema.encode(to: &encoder)
    }
    if let history {
      encoder.unsigned(7)
      encoder.unsigned(history)
    }
    if !mayReadHub {
      encoder.unsigned(8)
      encoder.bool(false)
    }
    if let stateDirectory {
      encoder.unsigned(9)
      encoder.text(stateDirectory)
    }
    if cancelsEffects {
      encoder.unsigned(10)
      encoder.bool(true)
    }
    if windowElements > 0 {
      encoder.unsigned(11)
      encoder.unsigned(windowElements)
    }
    if let rights {
      encoder.unsigned(12)
      rights.encode(to: &encoder)
    }
    if let client {
      encoder.unsigned(14)
      client.encode(to: &encoder)
    }
    if let views {
      encoder.unsigned(15)
      views.encode(to: &encoder)
    }
    if region != .standard {
      encoder.unsigned(16)
      region.encode(to: &encoder)
    }
  }

  /// Reads a welcome and skips unknown fields.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    var version: UInt64?
    var session: SessionID?
    (isResumed, processed, payloadLimit, hub) = (false, 0, 1 << 20, "")
    (mayReadHub, cancelsEffects, windowElements, region) = (true, false, 0, .standard)
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: version = try decoder.unsigned()
      case 1: session = try SessionID(from: &decoder)
      case 2: isResumed = try decoder.bool()
      case 3:
        let numberStart = decoder.offset
        processed = try decoder.unsigned()
        // The client counts on from it, and stores it.
        guard processed <= UInt64(Int64.max) else {
          throw WireError(.outOfRange(type: "the number of an action"), at: numberStart)
        }
      case 4: payloadLimit = try decoder.unsigned()
      case 5: hub = try decoder.text(limit: Self.nameLimit)
      case 6: schema = try SchemaFingerprint(from: &decoder)
      case 7: history = try decoder.unsigned()
      case 8: mayReadHub = try decoder.bool()
      case 9: stateDirectory = try decoder.text(limit: Self.pathLimit)
      case 10: cancelsEffects = try decoder.bool()
      case 11: windowElements = try decoder.unsigned()
      case 12: rights = try ClientRights(from: &decoder)
      case 14: client = try HubClient(from: &decoder)
      case 15: views = try SchemaFingerprint(from: &decoder)
      case 16: region = try RegionalSettings(from: &decoder)
      default: try decoder.skip()
      }
    }
    guard let version else { throw WireError(.missingField(key: 0, type: "Welcome"), at: start) }
    guard let session else { throw WireError(.missingField(key: 1, type: "Welcome"), at: start) }
    (self.version, self.session) = (version, session)
  }
}

// Names are shown in logs and on terminals (PROTOCOL.md, 6.1).

extension Unicode.Scalar {
  /// True for control characters, line separators and characters that change the direction of writing.
  fileprivate var isControl: Bool {
    switch value {
    case 0...0x1f, 0x7f...0x9f, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  fileprivate var withoutControls: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? "?" : $0 }))
  }
}

/// A gateway's word for whose connection this is, before the *hello* of that user's client.
public struct Represent: Message, Equatable {
  public static var kind: FrameKind { .represent }

  /// The number of the user.
  public var user: UInt32

  /// Creates a message.
  public init(user: UInt32) { self.user = user }

  /// Writes the number.
  public func encode(to encoder: inout CBOREncoder) { encoder.unsigned(UInt64(user)) }

  /// Reads the number.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let user = UInt32(exactly: try decoder.unsigned()) else {
      throw WireError(.outOfRange(type: "UInt32"), at: start)
    }
    self.user = user
  }
}
