import ClusterLog
import FoundationEssentials
import TestSupport
import Testing
import Wire

@Suite struct LogEntryTests {
  @Test func anEntryIsReadAsItWasWritten() throws {
    for entry in Samples.log() {
      let read = try EncodedEntry(decoding: entry.bytes)
      #expect(read == entry)
      #expect(EncodedEntry(read.entry).bytes == entry.bytes)
      #expect(entry.bytes.count <= LogEntry.overhead + 40)
    }
  }

  @Test func anyOtherByteIsDamage() {
    for entry in Samples.log() {
      for index in entry.bytes.indices {
        var bytes = entry.bytes
        bytes[index] ^= 1
        #expect(throws: LogDamage.self, "byte \(index) of entry \(entry.entry.position)") {
          try EncodedEntry(decoding: bytes)
        }
        #expect(throws: LogDamage.self) { try EncodedEntry(decoding: Array(entry.bytes[..<index])) }
      }
      #expect(throws: LogDamage.self) { try EncodedEntry(decoding: entry.bytes + [0]) }
    }
  }

  /// Entries that have a valid checksum, but that no leader writes.
  @Test(
    arguments: [
      ("8802", "the format of an entry has no case 2"), ("880100", "a position"), ("88010183000161", "a term"),
      ("88010183016141", "name"), ("880101830160", "name"),
    ])
  func aChecksumDoesNotMakeAnEntry(start: String, problem: String) throws {
    let head = try #require([UInt8](hexadecimal: start))
    let whole = Samples.log()[0].bytes
    var bytes = head + whole.dropFirst(head.count).dropLast(9)
    bytes += [0x48] + bigEndian(Checksum.of(bytes.span.bytes))
    let error = #expect(throws: LogDamage.self) { try EncodedEntry(decoding: bytes) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }

  @Test func anEntryNearTheLimitFits() throws {
    let turn = [UInt8](repeating: 1, count: LogEntry.byteLimit - LogEntry.overhead - 9)
    let name = String(repeating: "n", count: NodeName.longest)
    let leader = Leadership(term: LogEntry.numbers.upperBound, node: Samples.name(name), process: .max)
    let entry = EncodedEntry(
      LogEntry(
        position: LogEntry.numbers.upperBound, leader: leader, schema: Samples.schema, previous: 1,
        content: .turns(first: LogEntry.numbers.upperBound, [turn])))
    #expect(entry.bytes.count <= LogEntry.byteLimit)
    #expect(try EncodedEntry(decoding: entry.bytes) == entry)
  }

  /// A node that takes the log over from such an entry writes the next one, which ended its process.
  @Test func numbersWithoutSuccessorsAreRefused() {
    let end = UInt64(Int64.max)
    let leader = Leadership(term: 1, node: Samples.name("a"), process: 1)
    for (position, leader, first) in [
      (end, leader, 1), (1, Leadership(term: end, node: leader.node, process: 1), 1), (1, leader, end),
    ] {
      let entry = EncodedEntry(
        LogEntry(
          position: position, leader: leader, schema: Samples.schema, previous: 1, content: .turns(first: first, [[1]]))
      )
      #expect(throws: LogDamage.self) { try EncodedEntry(decoding: entry.bytes) }
    }
    let place = JournalPlace(history: LogHistory(id: 1, store: 2), last: Samples.log()[0], turn: end)
    #expect(throws: WireError.self) { try JournalPlace(decoding: place.encoded().span.bytes) }
  }

  @Test func aLargeTurnIsPutTogetherFromItsParts() {
    let turn = [UInt8](0..<250)
    let (large, parts) = (LargeTurn(turn, partSize: 100), LargeTurn.split(turn, partSize: 100))
    #expect(large.count == 3 && parts.map(\.count) == [100, 100, 50])
    #expect(large.turn(from: parts) == turn)
    #expect(large.turn(from: parts.dropLast()) == nil)
    #expect(large.turn(from: [parts[1], parts[0], parts[2]]) == nil)
  }

  @Test(arguments: ["", "A", "a b", "a/b", "é", "a.b", String(repeating: "a", count: 33)])
  func aNameHasFewCharacters(text: String) {
    #expect(NodeName(text) == nil)
  }

  /// The bytes of each kind of entry, for other implementations. A change here needs another format.
  @Test func goldenEntries() throws {
    var text = """
      # A cluster's log with an entry of every kind, and the values of the other keys (PROTOCOL.md, 16)
      #
      # Written by STOREHUB_GOLDEN=write swift test --filter LogEntryTests.

      """
    func value(_ key: LogKey, _ bytes: [UInt8]) throws {
      let notation = try CBORValue(decoding: bytes.span.bytes)
      text += "\n@ \(key)\n  value: \(bytes.hexadecimal)\n  notation: \(notation)\n"
    }
    try value(.history, LogHistory(id: 1, store: 2).encoded())
    try value(.leader, Samples.second.encoded())
    for entry in Samples.log() { try value(.entry(entry.entry.position), entry.bytes) }
    let file = "Tests/Golden/cluster/log.txt"
    if ProcessInfo.processInfo.environment["STOREHUB_GOLDEN"] == "write" {
      try text.write(to: RepositoryFiles.url(file), atomically: true, encoding: .utf8)
    }
    #expect(RepositoryFiles.lines(file).joined(separator: "\n") == text, "write it anew, as its first lines say")
  }

  private func bigEndian(_ value: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
  }
}
