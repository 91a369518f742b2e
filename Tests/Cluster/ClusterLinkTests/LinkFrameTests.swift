import ClusterLink
import ClusterLog
import FoundationEssentials
import TestSupport
import Testing
import Wire

/// The bytes of frames.
@Suite struct LinkFrameTests {
  private func read(_ bytes: [UInt8]) throws -> [LinkFrame] {
    var frames: [LinkFrame] = []
    var decoder = FrameDecoder(payloadLimit: 1 << 20)
    try decoder.feed(bytes.span.bytes) { (header, payload) throws(WireError) in
      frames.append(try LinkFrame(header.kind, payload))
    }
    return frames
  }

  @Test func aFrameOfEveryKindIsReadAsItWasWritten() throws {
    #expect(Set(Frames.all.map(\.kind)) == Set(LinkFrame.Kind.allCases))
    for frame in Frames.all { #expect(try read(frame.bytes) == [frame]) }
    #expect(try read(Frames.all.flatMap(\.bytes)) == Frames.all)
  }

  /// Values that no node writes, in payloads that are well-formed.
  @Test(
    arguments: [
      (LinkFrame.Kind.hello, "a0"), (.hello, "a70001010002616103070582050706f40700"), (.goodbye, "820060"),
      (.goodbye, "820760"), (.beat, "83830061620900f5"), (.beat, "838303616209001bffffffffffffffff"),
      (.status, "82051bffffffffffffffff"), (.session, "841b0000000100000000500000000000000000000000000000000000"),
      (.session, "84014100000000"), (.sessionRefused, "820100"), (.sessionRefused, "820105"), (.actions, "8403010080"),
      (.actions, "840301008141ff"), (.actions, "8403011b7fffffffffffffff8141ff"), (.snapshot, "8582050701430000000300"),
      (.piece, "01"), (.ping, "0101"), (.ping, ""), (.pong, "01"),
      (.pong, "82011b0001000000000001"), (.snapshotNotice, "01"), (.cancel, "820301"),
      (.cancel, "8303011bffffffffffffffff"),
      // A wrong count, and a name that is none.
      (.session, "8601500000000000000000000000000000000000006172f6"),
      (.session, "85015000000000000000000000000000000000000060"),
      (.follow, "83f61bffffffffffffffff00"), (.follow, "82f600"), (.follow, "01"),
      // Names of logs that must be there, or must not.
      (.followed, "8200f6"), (.followed, "8205f6"), (.followed, "8206f6"), (.followed, "8201820506"),
      (.followed, "8204820506"), (.followed, "8207f6"),
      (.entry, "430000ff"), (.entry, "40"), (.entry, "f6"), (.part, "01"),
      (.relayBeat, "841bffffffffffffffff010080"), (.relayBeat, "84011b0000020000000000" + "0080"),
      (.relayBeat, "8401010089616161626163616461656166616761686169"), (.relayBeat, "840101008160"),
    ])
  func hostileValuesAreRefused(kind: LinkFrame.Kind, payload: String) throws {
    let bytes = try #require([UInt8](hexadecimal: payload))
    #expect(throws: WireError.self) { try LinkFrame(kind.rawValue, bytes.span.bytes) }
  }

  @Test func anUnknownKindIsRefused() {
    #expect(throws: WireError.self) { try LinkFrame(0, [UInt8]().span.bytes) }
    #expect(throws: WireError.self) { try LinkFrame(21, [0x01].span.bytes) }
  }

  @Test func aHelloOfANewerVersionMayHaveMore() throws {
    var payload = Array(Frames.all[0].bytes.dropFirst(FrameHeader.byteCount))
    payload[0] += 1
    payload += [0x18, 0x63, 0x01]
    #expect(try LinkFrame(1, payload.span.bytes) == Frames.all[0])
  }

  @Test func aLongTextIsCut() throws {
    let goodbye = LinkGoodbye(.violation, String(repeating: "ü", count: 1000))
    #expect(goodbye.text.utf8.count <= LinkGoodbye.textLimit)
    #expect(try read(LinkFrame.goodbye(goodbye).bytes) == [.goodbye(goodbye)])
  }

  /// Tests/Golden/cluster/link.txt
  @Test func theBytesAreThoseOfTheProtocol() throws {
    var text = """
      # A frame of every kind between the nodes of a cluster (PROTOCOL.md, 17)
      #
      # Written by STOREHUB_GOLDEN=write swift test --filter LinkFrameTests.

      """
    for frame in Frames.all { text += "\n@ \(frame.kind)\n  frame: \(frame.bytes.hexadecimal)\n" }
    let file = "Tests/Golden/cluster/link.txt"
    if ProcessInfo.processInfo.environment["STOREHUB_GOLDEN"] == "write" {
      try text.write(to: RepositoryFiles.url(file), atomically: true, encoding: .utf8)
    }
    #expect(RepositoryFiles.lines(file).joined(separator: "\n") == text, "write it anew, as its first lines say")
  }
}
