/// Whose state a scope is a part of. Numbers that a receiver does not know are kept as they came.
public struct StateRoot: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a root from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The state of the feature that the hub runs.
  public static let feature = Self(rawValue: 0)
  /// The hub's own state: `HubState`.
  public static let hub = Self(rawValue: 1)
}

/// The client's wish to follow a part of a state, under the scope number in the frame's header.
public struct Attach: Message, Equatable {
  public static var kind: FrameKind { .attach }

  /// Whose state.
  public var root: StateRoot
  /// The steps from the root to the part; none for the whole state.
  public var path: [PathStep]
  /// The revision of that part which the client holds from this session, or nil when it holds none.
  public var knownRevision: UInt64?

  /// The most steps a path may have.
  public static var pathLimit: Int { 32 }
  /// The most bytes a path may have: the hub keeps it as long as it is followed, and for who may come back.
  public static var pathByteLimit: Int { 4096 }

  /// Creates a wish.
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

  /// Reads a wish; fields it does not know are passed over.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0:
        let start = decoder.offset
        let count = try decoder.arrayHeader()
        guard count <= Self.pathLimit else {
          throw WireError(.tooLong(length: UInt64(count), limit: Self.pathLimit), at: start)
        }
        for _ in 0..<count { path.append(try PathStep(from: &decoder)) }
        guard decoder.offset - start <= Self.pathByteLimit else {
          throw WireError(.tooLong(length: UInt64(decoder.offset - start), limit: Self.pathByteLimit), at: start)
        }
      case 1: knownRevision = try decoder.unsigned()
      case 2: root = StateRoot(rawValue: try decoder.unsigned())
      default: try decoder.skip()
      }
    }
  }
}

/// Why a client is sent a whole state and not a delta.
public struct SnapshotReason: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  /// Creates a reason from its number on the wire.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The client holds no state of this scope.
  public static let attached = Self(rawValue: 0)
  /// The hub no longer keeps the version that the client holds.
  public static let versionNotKept = Self(rawValue: 1)
  /// Something above the part was replaced, and the part with it.
  public static let replaced = Self(rawValue: 2)
  /// The part was not there, and is now.
  public static let returned = Self(rawValue: 3)
  /// A delta would be larger than a frame may be.
  public static let deltaTooLarge = Self(rawValue: 4)
}

/// A piece of a scope's encoded state; the pieces come in order, the last one with `finalFlag` in the header.
///
/// The payload is `[reason, offset, piece]`; the pieces joined are one item, the state at the header's revision.
public struct SnapshotPiece: ~Escapable {
  /// The bit in the header's flags that marks the last piece.
  public static var finalFlag: UInt8 { 1 }
  /// How many bytes of state one piece carries at the most.
  public static var byteLimit: Int { 60 * 1024 }

  /// Why the snapshot comes.
  public let reason: SnapshotReason
  /// How many bytes the pieces before this one have.
  public let offset: UInt64
  /// The bytes, lent from the decoder.
  public let bytes: RawSpan

  /// Writes what stands before a piece's bytes in the payload.
  package static func encodeHead(
    _ reason: SnapshotReason, offset: UInt64, byteCount: Int, to encoder: inout CBOREncoder
  ) {
    encoder.arrayHeader(count: 3)
    encoder.unsigned(reason.rawValue)
    encoder.unsigned(offset)
    encoder.byteStringHeader(count: byteCount)
  }

  /// Reads a piece and refuses bytes behind it.
  @_lifetime(copy decoder)
  public init(_ decoder: consuming CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    reason = SnapshotReason(rawValue: try decoder.unsigned())
    offset = try decoder.unsigned()
    bytes = try decoder.byteString()
    try decoder.finish()
  }
}
