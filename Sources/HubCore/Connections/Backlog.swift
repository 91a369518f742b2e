import Wire

/// Whole frames that wait for a later turn, as the bytes that came in.
struct Backlog {
  private var bytes: [UInt8] = []
  /// The start of the first frame that was not handled to its end.
  private var start = 0
  /// The offset in that frame's payload from which to go on; nil to begin with it.
  private(set) var resumption: Int?

  var isEmpty: Bool { start == bytes.count }

  /// How many bytes are kept.
  var byteCount: Int { bytes.count - start }

  /// The frames that were not handled to their end, whole.
  var unhandledBytes: [UInt8] { Array(bytes[start...]) }

  /// Adds a frame behind those that wait.
  mutating func append(_ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: Int? = nil) {
    precondition(resumption == nil || isEmpty, "only the first frame can have been begun")
    self.resumption = resumption ?? self.resumption
    header.append(to: &bytes)
    payload.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Hands out the first frame; `body` returns the offset in its payload from which it must go on, or nil when done.
  mutating func handleFirst(_ body: (FrameHeader, RawSpan, _ resumption: Int?) -> Int?) {
    let (bytes, start) = (bytes, start)
    let frame = bytes.span.bytes.extracting(start...)
    let header = FrameHeader(frame, at: 0)
    let end = FrameHeader.byteCount + Int(header.length)
    resumption = body(header, frame.extracting(FrameHeader.byteCount..<end), resumption)
    if resumption == nil { self.start = start + end }
  }
}
