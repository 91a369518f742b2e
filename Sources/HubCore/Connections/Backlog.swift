import Wire

/// Complete frames that wait for a later turn, as received bytes.
struct Backlog {
  private var bytes: [UInt8] = []
  /// The start of the first unfinished frame.
  private var start = 0
  /// The offset in that frame's payload at which to continue, or nil to start at its beginning.
  private(set) var resumption: Int?

  var isEmpty: Bool { start == bytes.count }

  /// The number of bytes kept.
  var byteCount: Int { bytes.count - start }

  /// All unfinished frames, each from its beginning.
  var unhandledBytes: [UInt8] { Array(bytes[start...]) }

  /// Appends a frame.
  mutating func append(_ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: Int? = nil) {
    precondition(resumption == nil || isEmpty, "only the first frame can have been begun")
    self.resumption = resumption ?? self.resumption
    header.append(to: &bytes)
    payload.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Passes the first frame to `body`, which returns the payload offset at which to continue later, or nil when done.
  mutating func handleFirst(_ body: (FrameHeader, RawSpan, _ resumption: Int?) -> Int?) {
    let (bytes, start) = (bytes, start)
    let frame = bytes.span.bytes.extracting(start...)
    let header = FrameHeader(frame, at: 0)
    let end = FrameHeader.byteCount + Int(header.length)
    resumption = body(header, frame.extracting(FrameHeader.byteCount..<end), resumption)
    if resumption == nil { self.start = start + end }
  }
}
