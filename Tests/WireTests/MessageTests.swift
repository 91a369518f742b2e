import Senders
import TestSupport
import Testing
import Wire

@Suite struct MessageTests {
  private func roundTrip<M: Message & Equatable>(_ message: M, _ notation: String) throws {
    let bytes = message.encoded()
    #expect(try CBORValue(decoding: bytes.span.bytes).description == notation)
    #expect(try M(decoding: bytes.span.bytes) == message)
  }

  private let session = SessionID(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)

  /// A reader accepts a reason of at most 4096 bytes.
  @Test func aLongReasonIsCutBetweenItsScalars() throws {
    let long = "a" + String(repeating: "é", count: 4000)
    let cut = "a" + String(repeating: "é", count: 2047)
    let rejected = Rejected(sequence: 1, code: .unknownAction, reason: long)
    #expect(rejected.reason == cut)
    #expect(try Rejected(decoding: rejected.encoded().span.bytes) == rejected)
    #expect(PeerError(.malformed, long).reason == cut)
    #expect(Goodbye(.shuttingDown, long).reason == cut)
    let exact = String(repeating: "b", count: 4096)
    #expect(Rejected(sequence: 1, code: .unknownAction, reason: exact).reason == exact)
  }

  @Test func everyMessageComesBackInItsForm() throws {
    let hex = "h'0102030405060708090a0b0c0d0e0f10'"
    try roundTrip(Hello(), "{0: 1, 1: 1}")
    try roundTrip(Hello(session: session, acknowledged: 5, name: "me"), "{0: 1, 1: 1, 2: \(hex), 3: 5, 4: \"me\"}")
    try roundTrip(
      Welcome(version: 1, session: session, isResumed: true, processed: 9, payloadLimit: 100, hub: "hub"),
      "{0: 1, 1: \(hex), 2: true, 3: 9, 4: 100, 5: \"hub\"}")
    try roundTrip(
      Welcome(
        version: 1, session: session, isResumed: true, processed: 9, payloadLimit: 100, hub: "hub", mayReadHub: false),
      "{0: 1, 1: \(hex), 2: true, 3: 9, 4: 100, 5: \"hub\", 8: false}")
    try roundTrip(
      Welcome(
        version: 1, session: session, isResumed: true, processed: 9, payloadLimit: 100, hub: "hub",
        stateDirectory: "/state"),
      "{0: 1, 1: \(hex), 2: true, 3: 9, 4: 100, 5: \"hub\", 9: \"/state\"}")
    let rights = ClientRights(readablePaths: [[0], [1, .id([0x07])]], actionPrefixes: [[0x82, 0x00]])
    try roundTrip(
      Welcome(
        version: 1, session: session, isResumed: true, processed: 9, payloadLimit: 100, hub: "hub", rights: rights),
      "{0: 1, 1: \(hex), 2: true, 3: 9, 4: 100, 5: \"hub\", 12: {0: [[0], [1, [7]]], 1: [h'8200']}}")
    try roundTrip(Represent(user: 3_000_000_000), "3000000000")
    try roundTrip(Transfer(to: "b"), "\"b\"")
    try roundTrip(HubStanding(staleMilliseconds: nil), "null")
    try roundTrip(HubStanding(staleMilliseconds: 300), "300")
    let client = HubClient(
      connection: 65537, session: 7, name: "me", process: 4,
      user: SystemUser(id: 1000, name: "alice", groups: [1000, 27]))
    try roundTrip(
      Welcome(
        version: 1, session: session, isResumed: true, processed: 9, payloadLimit: 100, hub: "hub", client: client),
      """
      {0: 1, 1: \(hex), 2: true, 3: 9, 4: 100, 5: "hub", 14: [65537, 7, "me", 4, [1000, "alice", [1000, 27]]]}
      """)
    try roundTrip(Attach(), "{0: []}")
    try roundTrip(Attach(path: [0, 3], knownRevision: 7), "{0: [0, 3], 1: 7}")
    try roundTrip(Rejected(sequence: 3, code: .unknownAction, reason: "no"), "[3, 1, \"no\"]")
    try roundTrip(PeerError(.sequenceGap, "gap"), "[5, \"gap\"]")
    try roundTrip(Goodbye(.shuttingDown, "bye"), "[1, \"bye\"]")
    try roundTrip(Ping(number: 4), "4")
    try roundTrip(Pong(number: 4), "4")
  }

  @Test func aUserHas32Bits() {
    #expect(throws: WireError.self) { try Represent(decoding: (UInt64(UInt32.max) + 1).encoded().span.bytes) }
  }

  @Test func rightsAreBounded() throws {
    func decoded(_ rights: ClientRights) throws -> ClientRights {
      try ClientRights(decoding: rights.encoded().span.bytes)
    }
    let most = ClientRights(readablePaths: Array(repeating: [], count: 256))
    #expect(most.areWithinLimits)
    #expect(try decoded(most) == most)
    let tooMany = ClientRights(readablePaths: Array(repeating: [], count: 257))
    #expect(!tooMany.areWithinLimits)
    #expect(throws: WireError.self) { try decoded(tooMany) }
    let tooLong = ClientRights(actionPrefixes: Array(repeating: [UInt8](repeating: 0, count: 128), count: 32))
    #expect(!tooLong.areWithinLimits)
    #expect(throws: WireError.self) { try decoded(tooLong) }
  }

  @Test func rightsPermitWhatBeginsWithThem() {
    let rights = ClientRights(readablePaths: [[1]], actionPrefixes: [[0x82, 0x00]])
    #expect([[], [0], [1], [1, 0], [10]].map { rights.permitAttaching($0) } == [false, false, true, true, false])
    let actions: [[UInt8]] = [[], [0x82], [0x82, 0x00], [0x82, 0x00, 0x05], [0x82, 0x01, 0x05]]
    #expect(actions.map { rights.permitSending($0.span.bytes) } == [false, false, true, true, false])
    let (behind, other): ([UInt8], [UInt8]) = ([0xff, 0x82, 0x00], [0x00])
    let isPermittedBehind = rights.permitSending(behind.span.bytes, at: 1)
    #expect(isPermittedBehind)
    let permitsAll = ClientRights().permitAttaching([]) && ClientRights().permitSending(other.span.bytes)
    #expect(permitsAll)
    let nothing = ClientRights(readablePaths: [], actionPrefixes: [])
    let permitsAny = nothing.permitAttaching([]) || nothing.permitSending(other.span.bytes)
    #expect(!permitsAny)
  }

  @Test func fieldsOfALaterVersionArePassedOver() throws {
    let hello = CBORValue.map([
      .init(key: .unsigned(0), value: .unsigned(1)), .init(key: .unsigned(1), value: .unsigned(2)),
      .init(key: .unsigned(77), value: .array([.text("later")])),
    ]).encoded()
    #expect(try Hello(decoding: hello.span.bytes) == Hello(oldestVersion: 1, newestVersion: 2))
  }

  /// Names are shown in logs and on terminals.
  @Test(arguments: ["\u{1b}[2J", "a\nb", "\u{7f}", "\u{9b}1m", "\u{202e}txt", "\u{2066}", "\u{200f}", "\u{2028}"])
  func aNameHasNoControlCharacters(name: String) throws {
    var hello = Hello()
    hello.name = name
    let bytes = hello.encoded()
    #expect {
      try Hello(decoding: bytes.span.bytes)
    } throws: { error in
      if case .controlCharacter = (error as? WireError)?.problem { true } else { false }
    }
    // A client with such a name sends a cleaned one.
    let cleaned = Hello(name: name).encoded()
    #expect(try Hello(decoding: cleaned.span.bytes).name.contains("?"))
  }

  @Test func aNameMayBeInAnyLanguage() throws {
    for name in ["naïve", "日本語", "👩‍💻", "עברית"] {
      let bytes = Hello(name: name).encoded()
      #expect(try Hello(decoding: bytes.span.bytes).name == name)
    }
  }

  @Test func textsHaveLimits() throws {
    let long = Hello(name: String(repeating: "x", count: 129)).encoded()
    #expect(throws: WireError(.tooLong(length: 129, limit: 128), at: 6)) { try Hello(decoding: long.span.bytes) }
    let path = Attach(path: Array(repeating: 1, count: 33)).encoded()
    #expect(throws: WireError.self) { try Attach(decoding: path.span.bytes) }
    let (most, more) = (
      Attach(path: [.id(String(repeating: "a", count: 4091).encoded())]),
      Attach(path: [.id(String(repeating: "a", count: 4092).encoded())])
    )
    #expect(throws: Never.self) { try Attach(decoding: most.encoded().span.bytes) }
    #expect(throws: WireError(.tooLong(length: 4097, limit: 4096), at: 2)) {
      try Attach(decoding: more.encoded().span.bytes)
    }
  }

  /// Any bytes give an error or a value, never a trap.
  @Test(arguments: [UInt64](1...8))
  func brokenMessagesAreErrors(seed: UInt64) {
    var generator = SplitMix(seed: seed)
    func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    let samples = [
      Hello(session: session, acknowledged: 5, name: "me").encoded(), Attach(path: [0, 3], knownRevision: 7).encoded(),
      Welcome(version: 1, session: session, isResumed: true, processed: 9, payloadLimit: 100, hub: "hub").encoded(),
      Rejected(sequence: 3, code: .unknownAction, reason: "no").encoded(), PeerError(.malformed, "x").encoded(),
    ]
    var accepted = 0
    for _ in 0..<3000 {
      var bytes = samples[random(samples.count)]
      for _ in 0...random(4) {
        switch random(3) {
        case 0: bytes[random(bytes.count)] = UInt8(random(256))
        case 1: bytes.insert(UInt8(random(256)), at: random(bytes.count))
        default: if bytes.count > 1 { bytes.remove(at: random(bytes.count)) }
        }
      }
      accepted += (try? Hello(decoding: bytes.span.bytes)) == nil ? 0 : 1
      accepted += (try? Welcome(decoding: bytes.span.bytes)) == nil ? 0 : 1
      accepted += (try? Attach(decoding: bytes.span.bytes)) == nil ? 0 : 1
      accepted += (try? Rejected(decoding: bytes.span.bytes)) == nil ? 0 : 1
      accepted += (try? CBORValue(decoding: bytes.span.bytes)) == nil ? 0 : 1
      var decoder = FrameDecoder(payloadLimit: 64)
      try? decoder.feed(bytes.span.bytes) { _, _ in accepted += 1 }
    }
    #expect(accepted > 0, "seed \(seed): some changes leave a message whole")
  }
}
