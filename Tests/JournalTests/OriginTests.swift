import Senders
import Testing
import TurnLog
import Wire

/// The origins of logged actions, and the senders in records of sessions.
@Suite struct OriginTests {
  private let id = SessionID(high: 1, low: 2)
  private let session = "h'00000000000000010000000000000002'"

  private func roundTrip(_ run: LoggedActions, _ notation: String) throws {
    let bytes = run.encoded()
    #expect(try CBORValue(decoding: bytes.span.bytes).description == notation)
    #expect(try LoggedActions(decoding: bytes.span.bytes) == run)
  }

  @Test func eachOriginComesBackInItsForm() throws {
    func run(_ origin: LoggedActions.Origin, seed: [UInt8]? = nil) -> LoggedActions {
      LoggedActions(origin: origin, count: 1, actions: [7], seed: seed)
    }
    try roundTrip(run(.session(id, first: 3, connection: 65537)), "[[\(session), 3, 65537], 1, h'07']")
    // As journals of version 4 and earlier have it.
    try roundTrip(run(.session(id, first: 3)), "[[\(session), 3], 1, h'07']")
    try roundTrip(run(.hub), "[null, 1, h'07']")
    try roundTrip(run(.effect), "[1, 1, h'07']")
    try roundTrip(run(.hub, seed: [8, 9]), "[[0, h'0809'], 1, h'07']")
    try roundTrip(run(.effect, seed: [8, 9]), "[[1, h'0809'], 1, h'07']")
  }

  @Test(arguments: [[0x83, 0x02, 0x01, 0x41, 0x07], [0x83, 0x81, 0x01, 0x01, 0x41, 0x07]] as [[UInt8]])
  func otherOriginsAreRefused(bytes: [UInt8]) {
    #expect(throws: WireError.self) { try LoggedActions(decoding: bytes.span.bytes) }
  }

  @Test func aRecordHasItsClient() throws {
    let record = LoggedSession(
      id: id, user: 1000, process: 4, name: "me", processed: 5, connection: 65537, userName: "alice", groups: [27])
    #expect(try LoggedSession(decoding: record.encoded().span.bytes) == record)
    let client = try #require(record.client)
    #expect((client.connection, client.session, client.name) == (65537, id.identity, "me"))
    #expect((client.process, client.user.name, client.user.groups) == (4, "alice", [27]))
    // A session that has ended, and one in a journal of version 4, have no connection.
    let ended = LoggedSession(id: id, user: 1000, process: 0, name: "me", processed: 5, hasEnded: true)
    #expect(try LoggedSession(decoding: ended.encoded().span.bytes) == ended)
    #expect(ended.client == nil)
  }
}
