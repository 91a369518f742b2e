import Wire

/// The place in a frame at which a later turn continues.
struct FrameResumption {
  /// The offset in the frame's payload.
  var offset: Int
  /// The number of actions from there on that were processed before and are skipped.
  var repeatedCount: UInt64 = 0
}

/// Complete frames that wait for a later turn, as received bytes.
struct Backlog {
  private var bytes: [UInt8] = []
  /// The start of the first unfinished frame.
  private var start = 0
  /// The place in that frame at which to continue, or nil to start at its beginning.
  private(set) var resumption: FrameResumption?

  var isEmpty: Bool { start == bytes.count }

  /// The number of bytes kept.
  var byteCount: Int { bytes.count - start }

  /// All unfinished frames, each from its beginning.
  var unhandledBytes: [UInt8] { Array(bytes[start...]) }

  /// The same without copying them, and the offset at which the first frame continues; 0 if it was not begun.
  func withUnhandledBytes<Result>(_ body: (RawSpan, _ resumption: Int) -> Result) -> Result {
    body(bytes.span.bytes.extracting(start...), resumption.map { FrameHeader.byteCount + $0.offset } ?? 0)
  }

  /// Appends a frame.
  mutating func append(_ header: FrameHeader, _ payload: RawSpan, resumingAt resumption: FrameResumption? = nil) {
    precondition(resumption == nil || isEmpty, "only the first frame can have been begun")
    self.resumption = resumption ?? self.resumption
    header.append(to: &bytes)
    payload.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Begins the first frame anew: the numbers of its actions say where to continue. Until then, others may have processed
  /// some of them.
  mutating func beginAnew() { resumption = nil }

  /// Appends the frames of another backlog; one that was begun begins anew.
  mutating func append(_ other: Backlog) { bytes += other.bytes[other.start...] }

  /// Removes the first frame whose actions all follow one with a number, with all frames behind it, and returns them; nil
  /// if there is none.
  mutating func removeFrames(after number: UInt64) -> Backlog? {
    guard let position = position(after: number) else { return nil }
    var rest = Backlog()
    rest.bytes = Array(bytes[position...])
    bytes.removeSubrange(position...)
    if isEmpty { resumption = nil }
    return rest
  }

  private func position(after number: UInt64) -> Int? {
    var position = start
    while position < bytes.count {
      let frame = bytes.span.bytes.extracting(position...)
      let header = FrameHeader(frame, at: 0)
      let end = FrameHeader.byteCount + Int(header.length)
      if header.kind == FrameKind.actions.rawValue {
        var decoder = CBORDecoder(frame.extracting(FrameHeader.byteCount..<end))
        if let first = try? decoder.unsigned(), first > number { return position }
      }
      position += end
    }
    return nil
  }

  /// Passes the first frame to `body`, which returns the place at which to continue later, or nil when done.
  mutating func handleFirst(_ body: (FrameHeader, RawSpan, FrameResumption?) -> FrameResumption?) {
    let (bytes, start) = (bytes, start)
    let frame = bytes.span.bytes.extracting(start...)
    let header = FrameHeader(frame, at: 0)
    let end = FrameHeader.byteCount + Int(header.length)
    resumption = body(header, frame.extracting(FrameHeader.byteCount..<end), resumption)
    if resumption == nil { self.start = start + end }
  }
}
