import ClusterLog
import Testing
import Wire

/// Operators' questions to the hub that leads, and its answers.
@Suite struct LeaderInquiryTests {
  private let reply = LeaderReply(
    id: .max, leader: Samples.second, position: 900,
    nodes: [
      LeaderReply.Node(name: Samples.name("a"), host: "10.0.0.1", stored: 644),
      LeaderReply.Node(name: Samples.name("b-2"), host: "fd00::2", stored: 900),
      LeaderReply.Node(name: Samples.name("c"), host: "10.0.0.3", stored: nil),
      LeaderReply.Node(name: Samples.name("d"), host: "10.0.0.4", stored: 643),
      LeaderReply.Node(name: Samples.name("e"), host: "10.0.0.5", stored: 901),
    ], refusal: "there is no link to node c")

  @Test func theyAreReadAsTheyWereWritten() throws {
    for inquiry in [
      LeaderInquiry(id: 0, .report), LeaderInquiry(id: 7, .handover(to: Samples.name("b-2"), term: 3)),
    ] {
      #expect(try LeaderInquiry(decoding: inquiry.encoded().span.bytes) == inquiry)
    }
    #expect(try LeaderReply(decoding: reply.encoded().span.bytes) == reply)
  }

  @Test func bytesThatNoCommandWritesAreRefused() {
    // Term 0, a node with a capital letter, another number of items, and an end too early.
    for bytes: [UInt8] in [[0x82, 0, 0x82, 0, 0x61, 0x61], [0x82, 0, 0x82, 1, 0x61, 0x41], [0x81, 0], [0x82, 0]] {
      #expect(throws: WireError.self) { try LeaderInquiry(decoding: bytes.span.bytes) }
    }
    let bytes = reply.encoded()
    for count in bytes.indices {
      #expect(throws: WireError.self) { try LeaderReply(decoding: Array(bytes.prefix(count)).span.bytes) }
    }
  }

  /// A node that is away or lags behind would leave clients without a leader for a while.
  @Test func onlyALinkedNodeWithTheLogCanLead() {
    #expect(reply.successors == [Samples.name("a"), Samples.name("e")])
    #expect(reply.nodes.map { reply.lag(of: $0) } == [256, 0, nil, 257, 0])
  }

  /// A long reason must not keep an operator from the answer.
  @Test func aLongReasonIsCut() throws {
    let long = LeaderReply(
      id: 1, leader: Samples.first, position: 1, nodes: [], refusal: String(repeating: "é", count: 600))
    #expect(try LeaderReply(decoding: long.encoded().span.bytes) == long)
    #expect(long.refusal.utf8.count <= 515)
  }

  /// An answer of a leader that another one has replaced is not written.
  @Test func anAnswerComparesTheLeadership() {
    #expect(LogTransaction.reply(reply).conditions == [.value(.leader, Samples.second.encoded())])
    #expect(LogTransaction.inquiry(nil).writes == [.remove(.inquiry), .remove(.reply)])
  }
}
