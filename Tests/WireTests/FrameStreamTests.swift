import Testing
import Wire

@Suite("Frames in a stream")
struct FrameStreamTests {
  /// A ping, an empty payload and a longer one.
  private static let stream: [UInt8] = {
    var writer = FrameWriter()
    writer.frame(Ping(number: 7), scope: 0x0102, revision: 0x0304)
    writer.frame(FrameHeader(kind: .leave)) { _ in }
    writer.frame(Rejected(sequence: 300, code: .unknownAction, reason: "no such action"))
    return writer.bytes
  }()

  private func frames(_ pieces: [ArraySlice<UInt8>]) throws -> [[UInt8]] {
    var decoder = FrameDecoder(payloadLimit: 64)
    var result: [[UInt8]] = []
    for piece in pieces {
      let bytes = Array(piece)
      try decoder.feed(bytes.span.bytes) { header, payload throws(WireError) in
        #expect(Int(header.length) == payload.byteCount)
        result.append([header.kind] + Array(payload))
      }
    }
    #expect(!decoder.isInsideFrame)
    return result
  }

  @Test("a header is 16 little-endian bytes")
  func headerLayout() {
    #expect(
      Array(Self.stream.prefix(17)) == [1, 0, 0, 0, 0x04, 0, 0x02, 0x01, 0x04, 0x03, 0, 0, 0, 0, 0, 0, 7])
  }

  @Test("a frame with a number equals the frame made of its parts", arguments: [0, 7, 16, 28, 32, 48, 63])
  func numberFrames(shift: Int) {
    for number in [(1 as UInt64) << shift - 1, 1 << shift, 0x0102_0304_0506_0708 >> shift, 23, 24] {
      let header = FrameHeader(kind: .applied, scope: 3, revision: number &+ 1)
      var (whole, parts) = (FrameWriter(), FrameWriter())
      whole.frame(header, number: number)
      parts.frame(header) { $0.unsigned(number) }
      #expect(whole.bytes == parts.bytes)
      var decoder = CBORDecoder(whole.bytes.span.bytes, at: FrameHeader.byteCount)
      let decoded = try? decoder.unsigned()
      #expect(decoded == number)
      let isAtEnd = decoder.isAtEnd
      #expect(isAtEnd)
    }
  }

  @Test("the frames are the same wherever the stream is split, and byte by byte")
  func cuts() throws {
    let stream = Self.stream
    let whole = try frames([stream[...]])
    #expect(whole.map(\.first) == [0x04, 0x05, 0x85])
    for cut in 0...stream.count {
      #expect(try frames([stream[..<cut], stream[cut...]]) == whole)
    }
    #expect(try frames(stream.indices.map { stream[$0...$0] }) == whole)
  }

  @Test("a length above the limit is refused once the header is complete", arguments: 0...16)
  func overLimit(cut: Int) {
    let header: [UInt8] = [65, 0, 0, 0, 0x03] + [UInt8](repeating: 0, count: 11)
    #expect(throws: WireError(.tooLong(length: 65, limit: 64), at: 0)) {
      _ = try frames([header[..<cut], header[cut...]])
    }
  }
}
