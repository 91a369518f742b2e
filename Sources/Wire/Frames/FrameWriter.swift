/// Builds frames one behind another in one buffer that is kept between uses.
///
/// ```swift
/// let frame = writer.frame(FrameHeader(kind: .applied, revision: 7)) { $0.unsigned(3) }
/// send(writer.bytes(frame))
/// ```
public struct FrameWriter {
  private var encoder = CBOREncoder()

  /// Creates a writer with an empty buffer.
  public init() {}

  /// The number of bytes written so far.
  public var count: Int { encoder.count }

  /// The whole buffer.
  public var bytes: [UInt8] { encoder.bytes }

  /// Forgets all frames and keeps the memory.
  public mutating func removeAll() {
    encoder.removeAll()
  }

  /// Appends a frame whose payload `body` writes, and returns where the frame stands.
  ///
  /// The header's length is filled in here.
  /// - Precondition: The payload is smaller than 4 GiB.
  @discardableResult
  public mutating func frame<E: Error>(
    _ header: FrameHeader, body: (inout CBOREncoder) throws(E) -> Void
  ) throws(E) -> Range<Int> {
    let start = count
    encoder.littleEndian(UInt32(0))
    encoder.littleEndian(header.kind)
    encoder.littleEndian(header.flags)
    encoder.littleEndian(header.scope)
    encoder.littleEndian(header.revision)
    try body(&encoder)
    let length = UInt32(count - start - FrameHeader.byteCount)
    encoder.patch(length, at: start)
    return start..<count
  }

  /// Appends bytes that a frame is put together from, which `body` writes, and returns where they stand.
  package mutating func part(_ body: (inout CBOREncoder) -> Void) -> Range<Int> {
    let start = count
    body(&encoder)
    return start..<count
  }

  /// Appends the beginning of a frame: its header and the first bytes of its payload, which `body` writes. Of the
  /// payload, `restCount` bytes more come from elsewhere.
  package mutating func head(
    _ header: FrameHeader, restCount: Int, body: (inout CBOREncoder) -> Void
  ) -> Range<Int> {
    let range = frame(header, body: body)
    encoder.patch(UInt32(range.count - FrameHeader.byteCount + restCount), at: range.lowerBound)
    return range
  }

  /// What deltas have added to the estimate of memory that versions do not share.
  package var unsharedByteCount: Int { encoder.unsharedByteCount }

  /// Appends a frame with a whole message as its payload, and returns where the frame stands.
  @discardableResult
  public mutating func frame(_ message: some Message, scope: UInt16 = 0, revision: UInt64 = 0) -> Range<Int> {
    frame(FrameHeader(kind: type(of: message).kind, scope: scope, revision: revision)) {
      message.encode(to: &$0)
    }
  }

  /// All bytes, lent until the writer changes.
  public var span: RawSpan {
    @_lifetime(borrow self) borrowing get { encoder.bytes.span.bytes }
  }

  /// The bytes of a range that an earlier call returned, lent until the writer changes.
  @_lifetime(borrow self)
  public func span(_ range: Range<Int>) -> RawSpan {
    encoder.bytes.span.bytes.extracting(range)
  }
}

extension CBOREncoder {
  fileprivate mutating func littleEndian(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  fileprivate mutating func patch(_ value: UInt32, at offset: Int) {
    for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }
}
