import ClusterLog
import Wire

/// A log with an entry of every kind.
enum Samples {
  static let schema = SchemaFingerprint(ofBytes: [1])
  static let first = Leadership(term: 1, node: name("a"), process: 7)
  static let second = Leadership(term: 2, node: name("b-2"), process: .max)

  static func name(_ text: String) -> NodeName {
    guard let name = NodeName(text) else { preconditionFailure("\(text) is not a name") }
    return name
  }

  /// The contents with their leaders, in the order of the log.
  static let contents: [(Leadership, LogEntry.Content)] = [
    (first, .opening),
    (first, .turns(first: 1, [[0x80], [0x81, 0x00]])),
    (first, .parts(turn: 3, LargeTurn([UInt8](0..<250), partSize: 100))),
    (first, .handover(to: name("b-2"))),
    (second, .opening),
    (second, .turns(first: 4, [[UInt8](repeating: 0xf6, count: 30)])),
  ]

  /// The entries of these contents.
  static func log() -> [EncodedEntry] {
    var point = LogPoint.start
    return contents.map { leader, content in
      let entry = EncodedEntry(
        LogEntry(
          position: point.position + 1, leader: leader, schema: schema, previous: point.checksum, content: content))
      point.advance(to: entry)
      return entry
    }
  }
}
