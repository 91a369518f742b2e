/// The state of which a scope is a part. Unknown numbers are preserved.
public struct StateRoot: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a root from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The state of the feature that the hub runs.
  public static let feature = Self(rawValue: 0)
  /// The hub's own state: `HubState`.
  public static let hub = Self(rawValue: 1)
  /// The hub's figures: `HubMetrics`.
  public static let metrics = Self(rawValue: 2)
  /// The views that the feature declares (`StateView`): a struct with a field for each. Only what is in a view can be
  /// attached; a view with a parameter has the type `View`, whose elements are its values and whose ids are those of the parameter.
  public static let views = Self(rawValue: 3)

  /// True for the states that every hub has of itself.
  package var isHubsOwn: Bool { self == .hub || self == .metrics }
}

/// The client's request to subscribe to a part of a state, under the scope number in the frame's header.
public struct Attach: Message, Equatable {
  public static var kind: FrameKind { .attach }

  /// The state.
  public var root: StateRoot
  /// The steps from the root to the part; empty for the whole state.
  public var path: [PathStep]
  /// The revision of the part that the client has from this session; nil if it has none.
  public var knownRevision: UInt64?

  /// The maximum number of steps of a path.
  public static var pathLimit: Int { 32 }
  /// The maximum length of a path in bytes. The hub keeps paths for subscribers and for clients that may reconnect.
  public static var pathByteLimit: Int { 4096 }

  /// Creates a request.
  public init(root: StateRoot = .feature, path: [PathStep] = [], knownRevision: UInt64? = nil) {
    (self.root, self.path, self.knownRevision) = (root, path, knownRevision)
  }

  /// Writes `{0: [step …], ? 1: known revision, ? 2: root}`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 1 + (knownRevision == nil ? 0 : 1) + (root == .feature ? 0 : 1))
    encoder.unsigned(0)
    path.encode(to: &encoder)
    if let knownRevision {
      encoder.unsigned(1)
      encoder.unsigned(knownRevision)
    }
    if root != .feature {
      encoder.unsigned(2)
      encoder.unsigned(root.rawValue)
    }
  }

  /// Reads a request and skips unknown fields.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: path = try Self.path(from: &decoder)
      case 1: knownRevision = try decoder.unsigned()
      case 2: root = StateRoot(rawValue: try decoder.unsigned())
      default: try decoder.skip()
      }
    }
  }
}

extension Attach {
  /// The reason why no hub takes a path, for users: it is longer than the limits, so that the message would be malformed.
  /// Nil if its length is within them.
  package static func excess(of path: [PathStep]) -> String? {
    guard path.count <= pathLimit else { return "the path has \(path.count) steps; hubs take \(pathLimit)" }
    var encoder = CBOREncoder()
    path.encode(to: &encoder)
    let length = encoder.bytes.count
    guard length > pathByteLimit else { return nil }
    return "the path has \(length) bytes, and hubs take \(pathByteLimit): use shorter ids in it"
  }

  /// Reads a path within its limits.
  static func path(from decoder: inout CBORDecoder) throws(WireError) -> [PathStep] {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count <= pathLimit else { throw WireError(.tooLong(length: UInt64(count), limit: pathLimit), at: start) }
    var path: [PathStep] = []
    for _ in 0..<count { path.append(try PathStep(from: &decoder)) }
    guard decoder.offset - start <= pathByteLimit else {
      throw WireError(.tooLong(length: UInt64(decoder.offset - start), limit: pathByteLimit), at: start)
    }
    return path
  }
}

/// The reason why a client receives a complete state instead of a delta.
public struct SnapshotReason: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a reason from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The client has no state of this scope.
  public static let attached = Self(rawValue: 0)
  /// The hub no longer keeps the client's version.
  public static let versionNotKept = Self(rawValue: 1)
  /// A value that contains the part was replaced.
  public static let replaced = Self(rawValue: 2)
  /// The part was absent and now exists.
  public static let returned = Self(rawValue: 3)
  /// A delta would exceed the frame limit.
  public static let deltaTooLarge = Self(rawValue: 4)
}

/// A piece of a scope's encoded state. The pieces arrive in order, the last one with `finalFlag` in the header.
///
/// The payload is `[reason, offset, piece]`. The concatenated pieces are one item: the state at the header's revision.
public struct SnapshotPiece: ~Escapable {
  /// The bit in the header's flags that marks the last piece.
  public static var finalFlag: UInt8 { 1 }
  /// The maximum number of bytes of state in one piece.
  public static var byteLimit: Int { 60 * 1024 }

  /// The reason for the snapshot.
  public let reason: SnapshotReason
  /// The number of bytes in the pieces before this one.
  public let offset: UInt64
  /// The bytes, borrowed from the decoder.
  public let bytes: RawSpan

  /// Writes the part of the payload before a piece's bytes.
  package static func encodeHead(
    _ reason: SnapshotReason, offset: UInt64, byteCount: Int, to encoder: inout CBOREncoder
  ) {
    encoder.arrayHeader(count: 3)
    encoder.unsigned(reason.rawValue)
    encoder.unsigned(offset)
    encoder.byteStringHeader(count: byteCount)
  }

  /// Reads a piece and refuses bytes after it.
  @_lifetime(copy decoder)
  public init(_ decoder: consuming CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    reason = SnapshotReason(rawValue: try decoder.unsigned())
    offset = try decoder.unsigned()
    bytes = try decoder.byteString()
    try decoder.finish()
  }
}
