/// Splits a stream of bytes into frames, however the bytes were divided in transit.
///
/// Frames that are complete in the given bytes are borrowed from them; only an incomplete frame at the end is copied. A
/// length above the limit is refused as soon as the header is complete, before any memory is allocated.
///
/// - Complexity: O(bytes). A peer that sends complete frames costs no memory between calls.
public struct FrameDecoder: Sendable {
  @usableFromInline var partial: [UInt8] = []
  /// The largest payload accepted, in bytes.
  public let payloadLimit: Int

  /// Creates a decoder between two frames.
  public init(payloadLimit: Int) {
    self.payloadLimit = payloadLimit
  }

  /// True if the bytes so far end inside a frame.
  @inlinable public var isInsideFrame: Bool { !partial.isEmpty }

  /// The bytes of an incomplete frame, for a decoder that continues in another process.
  package var partialFrame: [UInt8] { partial }

  /// The number of bytes kept of an incomplete frame.
  @inlinable public var heldBytes: Int { partial.count }

  /// Takes the next bytes of the stream and passes each frame that they complete to `body`, in order.
  ///
  /// After an error of either kind, the next frame of the stream is undefined, and its owner closes it.
  @inlinable
  public mutating func feed(
    _ bytes: RawSpan, body: (FrameHeader, RawSpan) throws(WireError) -> Void
  ) throws(WireError) {
    var offset = 0
    if isInsideFrame {
      offset = try completePartial(from: bytes)
      guard let header = try unsafe wholeFrame(in: partial.span.bytes, at: 0) else { return }
      // Moved out for the call, so that the memory of a rare large frame is released.
      let frame = partial
      partial = []
      try unsafe body(header, frame.span.bytes.extracting(FrameHeader.byteCount...))
    }
    while let header = try wholeFrame(in: bytes, at: offset) {
      let payload = offset + FrameHeader.byteCount
      offset = payload + Int(header.length)
      // Unchecked: `wholeFrame` has checked.
      try unsafe body(header, bytes.extracting(unchecked: payload..<offset))
    }
    if offset < bytes.byteCount { keep(bytes, from: offset) }
  }

  /// The offset in the next bytes of the stream at which the first frame begins, after the rest of an incomplete one; the
  /// number of bytes if they are all part of it.
  package func startOfFirstFrame(in bytes: RawSpan) -> Int {
    guard isInsideFrame else { return 0 }
    var head = self
    head.partial = Array(partial.prefix(FrameHeader.byteCount))
    _ = head.take(FrameHeader.byteCount - head.partial.count, of: bytes, from: 0)
    guard head.partial.count == FrameHeader.byteCount else { return bytes.byteCount }
    let length = unsafe FrameHeader.byteCount + Int(FrameHeader(head.partial.span.bytes, at: 0).length)
    return min(length - partial.count, bytes.byteCount)
  }

  @usableFromInline
  @inline(never)
  mutating func keep(_ bytes: RawSpan, from offset: Int) {
    partial = Array(bytes.extracting(offset...))
  }

  /// Moves the bytes that the incomplete frame lacks into `partial`, and returns how many there were.
  @usableFromInline
  @inline(never)
  mutating func completePartial(from bytes: RawSpan) throws(WireError) -> Int {
    var taken = take(FrameHeader.byteCount - partial.count, of: bytes, from: 0)
    if partial.count >= FrameHeader.byteCount {
      let header = unsafe FrameHeader(partial.span.bytes, at: 0)
      guard header.length <= payloadLimit else { throw tooLong(header, at: 0) }
      taken += take(FrameHeader.byteCount + Int(header.length) - partial.count, of: bytes, from: taken)
    }
    return taken
  }

  private mutating func take(_ wanted: Int, of bytes: RawSpan, from offset: Int) -> Int {
    let count = min(max(wanted, 0), bytes.byteCount - offset)
    unsafe bytes.extracting(offset..<offset + count).withUnsafeBytes { unsafe partial.append(contentsOf: $0) }
    return count
  }

  /// The header of the frame that begins at an offset, if the bytes contain the complete frame.
  @inlinable
  @inline(__always)
  func wholeFrame(in bytes: RawSpan, at offset: Int) throws(WireError) -> FrameHeader? {
    guard bytes.byteCount - offset >= FrameHeader.byteCount else { return nil }
    let header = FrameHeader(bytes, at: offset)
    guard header.length <= payloadLimit else { throw tooLong(header, at: offset) }
    guard bytes.byteCount - offset - FrameHeader.byteCount >= Int(header.length) else { return nil }
    return header
  }

  @usableFromInline
  @inline(never)
  func tooLong(_ header: FrameHeader, at offset: Int) -> WireError {
    WireError(.tooLong(length: UInt64(header.length), limit: payloadLimit), at: offset)
  }
}
