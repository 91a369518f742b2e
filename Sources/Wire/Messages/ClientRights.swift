/// What the user of a client may attach and send, in the form in which the hub checks it.
///
/// A hub tells its clients, so that they need not offer what it would refuse. It decides by itself: rights that change
/// during a connection are told with the next one.
public struct ClientRights: Equatable, Sendable {
  /// The paths of the parts of the feature's state that may be attached, with all that is below them; nil for the whole
  /// state. They lead to values of the hub's schema.
  public var readablePaths: [[PathStep]]?
  /// The first bytes of the actions that may be sent, in the hub's encoding (`Schema.actionPrefix(of:)`); nil for all
  /// actions.
  public var actionPrefixes: [[UInt8]]?
  /// The paths of the views that may be attached (`StateRoot.views`), with all that is below them. A client that may
  /// attach the whole state may attach all views.
  public var readableViews: [[PathStep]] = []

  /// The maximum number of paths, and of prefixes.
  public static var countLimit: Int { 256 }
  /// The maximum length of the encoding in bytes. Rights that exceed a limit are not told.
  public static var byteLimit: Int { 4096 }

  /// Creates rights; those without restrictions by default.
  public init(
    readablePaths: [[PathStep]]? = nil, actionPrefixes: [[UInt8]]? = nil, readableViews: [[PathStep]] = []
  ) {
    (self.readablePaths, self.actionPrefixes, self.readableViews) = (readablePaths, actionPrefixes, readableViews)
  }

  /// True if everything may be attached and sent.
  public var areUnrestricted: Bool { readablePaths == nil && actionPrefixes == nil }

  /// True if they can be told: within the limits of a *welcome*.
  public var areWithinLimits: Bool {
    (readablePaths?.count ?? 0) <= Self.countLimit && (actionPrefixes?.count ?? 0) <= Self.countLimit
      && readableViews.count <= Self.countLimit && encoded().count <= Self.byteLimit
  }

  /// Returns true if a part of the feature's state may be attached. A readable path includes everything below it, but
  /// nothing above or beside it.
  /// - Complexity: O(paths × steps).
  public func permitAttaching(_ path: [PathStep]) -> Bool {
    readablePaths?.contains { path.starts(with: $0) } ?? true
  }

  /// Returns true if a view, or a part of one, may be attached.
  /// - Complexity: O(paths × steps).
  public func permitAttachingView(_ path: [PathStep]) -> Bool {
    readablePaths == nil || readableViews.contains { path.starts(with: $0) }
  }

  /// Returns true if the action may be sent that begins at an offset of some bytes.
  /// - Complexity: O(prefixes).
  public func permitSending(_ bytes: RawSpan, at offset: Int = 0) -> Bool {
    guard let actionPrefixes else { return true }
    for prefix in actionPrefixes where unsafe bytes.contains(prefix.span.bytes, at: offset) { return true }
    return false
  }
}

extension ClientRights: WireValue {
  /// Writes `{? 0: [path …], ? 1: [prefix …], ? 2: [path of a view …]}`. A missing key stands for everything, except
  /// key 2: without key 0 for all views, otherwise for none.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(
      count: (readablePaths == nil ? 0 : 1) + (actionPrefixes == nil ? 0 : 1) + (readableViews.isEmpty ? 0 : 1))
    if let readablePaths {
      encoder.unsigned(0)
      encoder.arrayHeader(count: readablePaths.count)
      for path in readablePaths { path.encode(to: &encoder) }
    }
    if let actionPrefixes {
      encoder.unsigned(1)
      encoder.arrayHeader(count: actionPrefixes.count)
      for prefix in actionPrefixes { unsafe encoder.byteString(prefix.span.bytes) }
    }
    if !readableViews.isEmpty {
      encoder.unsigned(2)
      encoder.arrayHeader(count: readableViews.count)
      for path in readableViews { path.encode(to: &encoder) }
    }
  }

  /// Reads rights and skips unknown fields.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    let start = decoder.offset
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0:
        readablePaths = try Self.items(of: &decoder) { decoder throws(WireError) in try Attach.path(from: &decoder) }
      case 1:
        actionPrefixes = try Self.items(of: &decoder) { decoder throws(WireError) in
          [UInt8](try decoder.byteString(limit: Self.byteLimit))
        }
      case 2:
        readableViews = try Self.items(of: &decoder) { decoder throws(WireError) in try Attach.path(from: &decoder) }
      default: try decoder.skip()
      }
    }
    guard decoder.offset - start <= Self.byteLimit else {
      throw WireError(.tooLong(length: UInt64(decoder.offset - start), limit: Self.byteLimit), at: start)
    }
  }

  private static func items<Item>(
    of decoder: inout CBORDecoder, _ item: (inout CBORDecoder) throws(WireError) -> Item
  ) throws(WireError) -> [Item] {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count <= countLimit else {
      throw WireError(.tooLong(length: UInt64(count), limit: countLimit), at: start)
    }
    var items: [Item] = []
    for _ in 0..<count { items.append(try item(&decoder)) }
    return items
  }
}

extension RawSpan {
  /// Returns true if other bytes stand at an offset.
  fileprivate func contains(_ other: RawSpan, at offset: Int) -> Bool {
    guard byteCount - offset >= other.byteCount else { return false }
    for index in 0..<other.byteCount
    where unsafe unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)
      != other.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    {
      return false
    }
    return true
  }
}
