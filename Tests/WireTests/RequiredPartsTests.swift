import Testing
import Wire

@Suite("Required parts of messages")
struct RequiredPartsTests {
  @Test("a hello without its oldest version is refused")
  func oldestVersion() {
    // {1: 1}
    let bytes: [UInt8] = [0xa1, 0x01, 0x01]
    #expect(throws: WireError(.missingField(key: 0, type: "Hello"), at: 0)) {
      _ = try Hello(decoding: bytes.span.bytes)
    }
  }

  @Test("a hello without its newest version is refused")
  func newestVersion() {
    // {0: 1}
    let bytes: [UInt8] = [0xa1, 0x00, 0x01]
    #expect(throws: WireError(.missingField(key: 1, type: "Hello"), at: 0)) {
      _ = try Hello(decoding: bytes.span.bytes)
    }
  }

  @Test("bytes after the piece of a snapshot are refused")
  func trailingBytesOfPiece() {
    // [0, 1, h'f6'] and a stray null
    let bytes: [UInt8] = [0x83, 0x00, 0x01, 0x41, 0xf6, 0xf6]
    #expect(throws: WireError(.trailingBytes, at: 5)) {
      _ = try SnapshotPiece(CBORDecoder(bytes.span.bytes)).offset
    }
  }
}
