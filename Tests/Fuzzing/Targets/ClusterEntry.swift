import ClusterLog
import Wire

extension FuzzTarget {
  /// An entry of a cluster's log that can be read is encoded as the same bytes, whether or not its checksum was right. So
  /// are the question of an operator, and the leader's answer.
  static let clusterEntry = FuzzTarget(name: "cluster-entry") { bytes in
    try roundTrip(bytes)
    if let inquiry = try? LeaderInquiry(decoding: bytes.span.bytes) {
      try promise(inquiry.encoded() == bytes, "inquiry \(inquiry) is written otherwise")
    }
    if let reply = try? LeaderReply(decoding: bytes.span.bytes) {
      try promise(reply.encoded() == bytes, "reply \(reply) is written otherwise")
    }
    // The checksum would keep all other inputs from the rest of the decoder.
    guard bytes.count >= 9 else { return }
    let body = Array(bytes.dropLast(9))
    let checksum = Checksum.of(body.span.bytes)
    try roundTrip(
      body + [0x48] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: checksum >> $0) })
  } seeds: {
    guard let node = NodeName("a") else { return [] }
    let leader = Leadership(term: 1, node: node, process: 7)
    let contents: [LogEntry.Content] = [
      .opening, .turns(first: 1, [[0x80], [0x81, 0x00]]), .parts(turn: 3, LargeTurn([UInt8](0..<250), partSize: 100)),
      .handover(to: node),
    ]
    var point = LogPoint.start
    let here = LeaderReply.Node(name: node, host: "10.0.0.1", stored: 3)
    let away = LeaderReply.Node(name: node, host: "fd00::2", stored: nil)
    let questions = [
      LeaderInquiry(id: 1, .report).encoded(), LeaderInquiry(id: 2, .handover(to: node, term: 1)).encoded(),
      LeaderReply(id: 2, leader: leader, position: 4, nodes: [here, away], refusal: "no link").encoded(),
    ]
    return questions
      + contents.map { content in
        let entry = EncodedEntry(
          LogEntry(
            position: point.position + 1, leader: leader, schema: SchemaFingerprint(ofBytes: [1]),
            previous: point.checksum, content: content))
        point.advance(to: entry)
        return entry.bytes
      }
  }

  private static func roundTrip(_ bytes: [UInt8]) throws {
    guard let entry = try? EncodedEntry(decoding: bytes) else { return }
    try promise(EncodedEntry(entry.entry).bytes == bytes, "entry \(entry.entry.position) is written otherwise")
  }
}
