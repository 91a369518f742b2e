import Testing
import Wire

/// The bytes of each message as other implementations must write them. A change here breaks peers.
@Suite("Golden bytes")
struct GoldenBytesTests {
  private static let session = SessionID(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)
  private static let sessionHex = "500102030405060708090a0b0c0d0e0f10"

  private func check<M: Message & Equatable>(_ message: M, _ hex: String, kind: UInt8) throws {
    let bytes = message.encoded()
    #expect(bytes.hexadecimal == hex)
    #expect(M.kind.rawValue == kind)
    #expect(try M(decoding: bytes.span.bytes) == message)
    for count in bytes.indices {
      let cut = Array(bytes[..<count])
      #expect(throws: WireError.self, "\(M.self) cut to \(count) bytes") { try M(decoding: cut.span.bytes) }
    }
    let longer = bytes + [0xf6]
    #expect(throws: WireError(.trailingBytes, at: bytes.count)) { try M(decoding: longer.span.bytes) }
  }

  @Test("clients' messages")
  func clients() throws {
    try check(Hello(), "a200010101", kind: 0x01)
    try check(
      Hello(session: Self.session, acknowledged: 300, name: "me"),
      "a50001010102\(Self.sessionHex)0319012c04626d65", kind: 0x01)
    try check(Attach(), "a10080", kind: 0x02)
    try check(Attach(path: [0, 24], knownRevision: 1 << 32), "a20082001818011b0000000100000000", kind: 0x02)
    try check(Ping(number: 23), "17", kind: 0x04)
  }

  @Test("the hub's messages")
  func hub() throws {
    try check(
      Welcome(version: 1, session: Self.session, isResumed: true, processed: 9, payloadLimit: 1 << 20, hub: "hub"),
      "a6000101\(Self.sessionHex)02f50309041a001000000563687562", kind: 0x81)
    try check(Rejected(sequence: 3, code: .unknownAction, reason: "no"), "830301626e6f", kind: 0x85)
    try check(PeerError(.sequenceGap, "gap"), "820563676170", kind: 0x86)
    try check(Goodbye(.shuttingDown, "bye"), "820163627965", kind: 0x87)
    try check(Pong(number: 24), "1818", kind: 0x88)
  }

  @Test("a snapshot of one piece is one frame with the final flag")
  func snapshot() {
    var writer = FrameWriter()
    let header = FrameHeader(kind: .snapshot, flags: SnapshotPiece.finalFlag, scope: 2, revision: 5)
    let piece: [UInt8] = [0xa1, 0x00, 0x07]
    let range = writer.frame(header) {
      SnapshotPiece.encodeHead(.versionNotKept, offset: 0, byteCount: 3, to: &$0)
      $0.append(piece.span.bytes)
    }
    #expect(range == 0..<writer.count)
    #expect(writer.bytes.hexadecimal == "07000000" + "82" + "01" + "0200" + "0500000000000000" + "83010043a10007")
  }

  @Test("codes that a receiver does not know are preserved")
  func unknownCodes() throws {
    let bytes: [UInt8] = [0x82, 0x18, 99, 0x60]
    #expect(try PeerError(decoding: bytes.span.bytes).code.rawValue == 99)
    #expect(try Goodbye(decoding: bytes.span.bytes).code.rawValue == 99)
  }

  @Test("keys of a later version are skipped in every message that is a map")
  func unknownKeys() throws {
    func later(_ value: some Message) throws -> [UInt8] {
      let bytes = value.encoded()
      guard case .map(var pairs) = try CBORValue(decoding: bytes.span.bytes) else { return [] }
      pairs.append(.init(key: .unsigned(99), value: .map([.init(key: .text("k"), value: .float(bits: 0))])))
      return CBORValue.map(pairs).encoded()
    }
    let hello = Hello(session: Self.session, acknowledged: 1, name: "n")
    var bytes = try later(hello)
    #expect(try Hello(decoding: bytes.span.bytes) == hello)
    let attach = Attach(path: [1], knownRevision: 2)
    bytes = try later(attach)
    #expect(try Attach(decoding: bytes.span.bytes) == attach)
    let welcome = Welcome(
      version: 1, session: Self.session, isResumed: false, processed: 0, payloadLimit: 7, hub: "")
    bytes = try later(welcome)
    #expect(try Welcome(decoding: bytes.span.bytes) == welcome)
  }

  @Test("a session is exactly 16 bytes", arguments: [0, 15, 17])
  func sessionSize(count: Int) {
    let bytes = CBORValue.bytes([UInt8](repeating: 1, count: count)).encoded()
    #expect(throws: WireError.self) { try SessionID(decoding: bytes.span.bytes) }
  }
}
