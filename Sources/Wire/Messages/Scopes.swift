/// The client's wish to follow a part of the state, under the scope number in the frame's header.
public struct Attach: Message, Equatable {
  public static var kind: FrameKind { .attach }

  /// Field keys from the root to the part; empty for the whole state.
  public var path: [UInt64]
  /// The revision of that part which the client holds from this session, or nil when it holds none.
  public var knownRevision: UInt64?

  /// The most keys a path may have.
  public static var pathLimit: Int { 32 }

  /// Creates a wish.
  public init(path: [UInt64] = [], knownRevision: UInt64? = nil) {
    self.path = path
    self.knownRevision = knownRevision
  }

  /// Writes `{0: [key …], ? 1: known revision}`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: knownRevision == nil ? 1 : 2)
    encoder.unsigned(0)
    encoder.arrayHeader(count: path.count)
    for key in path { encoder.unsigned(key) }
    if let knownRevision {
      encoder.unsigned(1)
      encoder.unsigned(knownRevision)
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
        for _ in 0..<count { path.append(try decoder.unsigned()) }
      case 1: knownRevision = try decoder.unsigned()
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
}

/// A piece of a scope's encoded state; the pieces come in order, the last one with `finalFlag` in the header.
///
/// The payload is `[reason, total bytes, piece]`; the pieces joined are one item, the state at the header's
/// revision.
public enum SnapshotChunk {
  /// The bit in the header's flags that marks the last piece.
  public static var finalFlag: UInt8 { 1 }
  /// How many bytes of state one piece carries at the most.
  public static var byteLimit: Int { 60 * 1024 }

  /// Writes the pieces of `state` as frames and returns where they stand.
  /// - Complexity: O(bytes of the state).
  public static func write(
    _ state: [UInt8], reason: SnapshotReason, scope: UInt16, revision: UInt64, to writer: inout FrameWriter
  ) -> Range<Int> {
    let start = writer.count
    var offset = 0
    repeat {
      let end = min(offset + byteLimit, state.count)
      let header = FrameHeader(
        kind: .snapshot, flags: end == state.count ? finalFlag : 0, scope: scope, revision: revision)
      writer.frame(header) {
        $0.arrayHeader(count: 3)
        $0.unsigned(reason.rawValue)
        $0.unsigned(UInt64(state.count))
        $0.byteString(state.span.bytes.extracting(offset..<end))
      }
      offset = end
    } while offset < state.count
    return start..<writer.count
  }

  /// Reads a piece and refuses bytes behind it; its bytes are lent from the decoder.
  @_lifetime(copy decoder)
  public static func read(_ decoder: consuming CBORDecoder) throws(WireError) -> RawSpan {
    try decoder.tuple(3)
    _ = try decoder.unsigned()
    _ = try decoder.unsigned()
    let piece = try decoder.byteString()
    try decoder.finish()
    return piece
  }
}
