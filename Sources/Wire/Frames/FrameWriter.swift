/// Appends frames to a reusable buffer.
///
/// ```swift
/// let frame = writer.frame(FrameHeader(kind: .applied, revision: 7)) { $0.unsigned(3) }
/// send(writer.bytes(frame))
/// ```
public struct FrameWriter {
  @usableFromInline var encoder = CBOREncoder()

  /// Creates a writer with an empty buffer.
  public init() {}

  /// The number of bytes written so far.
  @inlinable public var count: Int { encoder.count }

  /// The whole buffer.
  public var bytes: [UInt8] { encoder.bytes }

  /// Removes all frames and keeps the memory.
  public mutating func removeAll() {
    encoder.removeAll()
  }

  /// Appends a frame whose payload `body` writes, and returns its range.
  ///
  /// The header's length is set here.
  /// - Precondition: The payload is smaller than 4 GiB.
  @inlinable
  @discardableResult
  public mutating func frame<E: Error>(
    _ header: FrameHeader, body: (inout CBOREncoder) throws(E) -> Void
  ) throws(E) -> Range<Int> {
    let start = encoder.count
    encoder.header(header)
    try body(&encoder)
    encoder.patch(UInt32(encoder.count - start - FrameHeader.byteCount), at: start)
    return start..<encoder.count
  }

  /// Appends a frame whose payload is a number, and returns its range.
  ///
  /// It is written as one block. An acknowledgement, which each turn sends to each connection with actions, takes 150
  /// instructions less than with `frame(_:body:)`.
  @discardableResult
  package mutating func frame(_ header: FrameHeader, number: UInt64) -> Range<Int> {
    let start = encoder.count
    encoder.frame(header, number)
    return start..<encoder.count
  }

  /// Appends bytes written by `body`, from which a frame is assembled, and returns their range.
  package mutating func part(_ body: (inout CBOREncoder) -> Void) -> Range<Int> {
    let start = count
    body(&encoder)
    return start..<count
  }

  /// Appends the beginning of a frame: its header and the first bytes of its payload, which `body` writes. The
  /// remaining `restCount` bytes of the payload come from elsewhere.
  @inlinable
  package mutating func head(
    _ header: FrameHeader, restCount: Int, body: (inout CBOREncoder) -> Void
  ) -> Range<Int> {
    let start = encoder.count
    encoder.header(header)
    body(&encoder)
    encoder.patch(UInt32(encoder.count - start - FrameHeader.byteCount + restCount), at: start)
    return start..<encoder.count
  }

  /// The deltas' contribution to the estimate of memory that versions do not share.
  package var unsharedByteCount: Int { encoder.unsharedByteCount }

  /// Appends a frame with a complete message as its payload, and returns its range.
  @discardableResult
  public mutating func frame(_ message: some Message, scope: UInt16 = 0, revision: UInt64 = 0) -> Range<Int> {
    frame(FrameHeader(kind: type(of: message).kind, scope: scope, revision: revision)) {
      message.encode(to: &$0)
    }
  }

  /// All bytes, borrowed until the writer changes.
  public var span: RawSpan {
    @_lifetime(borrow self) borrowing get { unsafe encoder.buffer.span.bytes }
  }

  /// The bytes of a range that an earlier call returned, borrowed until the writer changes.
  @_lifetime(borrow self)
  public func span(_ range: Range<Int>) -> RawSpan {
    unsafe encoder.buffer.span.bytes.extracting(range)
  }
}

extension CBOREncoder {
  /// Writes a frame with a number as its payload.
  mutating func frame(_ header: FrameHeader, _ number: UInt64) {
    let head = Head(.unsigned, number)
    var header = header
    header.length = UInt32(head.count)
    let (first, second) = header.words
    unsafe withUnsafeBytes(of: (first.littleEndian, second.littleEndian, head.first.littleEndian, head.last)) { bytes in
      unsafe buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<(FrameHeader.byteCount + head.count)]))
    }
  }

  /// Writes a frame's header as one block.
  @inlinable
  @inline(__always)
  mutating func header(_ header: FrameHeader) {
    let (first, second) = header.words
    unsafe withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { unsafe buffer.append(contentsOf: $0) }
  }

  /// Overwrites the length at an offset.
  @inlinable
  @inline(__always)
  mutating func patch(_ value: UInt32, at offset: Int) {
    unsafe buffer.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
  }
}
