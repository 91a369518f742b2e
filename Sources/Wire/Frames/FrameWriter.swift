/// Builds frames one behind another in one buffer that is kept between uses.
///
/// ```swift
/// let frame = writer.frame(FrameHeader(kind: .applied, revision: 7)) { $0.unsigned(3) }
/// send(writer.bytes(frame))
/// ```
public struct FrameWriter: Sendable {
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

  /// Appends a frame with a whole message as its payload, and returns where the frame stands.
  @discardableResult
  public mutating func frame(_ message: some Message, scope: UInt16 = 0, revision: UInt64 = 0) -> Range<Int> {
    frame(FrameHeader(kind: type(of: message).kind, scope: scope, revision: revision)) {
      message.encode(to: &$0)
    }
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
