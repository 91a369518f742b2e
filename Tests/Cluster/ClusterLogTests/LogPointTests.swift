import ClusterLog
import Testing
import Wire

@Suite struct LogPointTests {
  @Test func aLogIsReadEntryByEntry() {
    var point = LogPoint.start
    for entry in Samples.log() {
      #expect(point.objection(to: entry) == nil)
      point.advance(to: entry)
    }
    #expect(point.position == 6 && point.turn == 4 && point.leader == Samples.second && point.successor == nil)
  }

  @Test func aJournalsPointIsThatOfItsLastEntry() {
    var (point, log) = (LogPoint.start, Samples.log())
    for entry in log { point.advance(to: entry) }
    #expect(LogPoint(after: log.removeLast(), turn: 4) == point)
  }

  @Test func whatDoesNotFollowIsObjectedTo() {
    let log = Samples.log()
    func after(_ count: Int) -> LogPoint {
      log.prefix(count).reduce(into: .start) { $0.advance(to: $1) }
    }
    func next(_ point: LogPoint, _ leader: Leadership, _ content: LogEntry.Content, previous: UInt64? = nil)
      -> EncodedEntry
    {
      EncodedEntry(
        LogEntry(
          position: point.position + 1, leader: leader, schema: Samples.schema, previous: previous ?? point.checksum,
          content: content))
    }
    #expect(after(1).objection(to: log[2]) == .position(3, after: 1))
    #expect(after(2).objection(to: log[1]) == .position(2, after: 2))
    let point = after(2)
    #expect(point.objection(to: next(point, Samples.first, .turns(first: 3, [[1]]))) == nil)
    #expect(
      point.objection(to: next(point, Samples.first, .turns(first: 3, [[1]]), previous: 5)) == .checksum(at: 3))
    #expect(point.objection(to: next(point, Samples.second, .turns(first: 3, [[1]]))) == .leader(at: 3))
    #expect(point.objection(to: next(point, Samples.first, .turns(first: 4, [[1]]))) == .turn(4, after: 2))
    let newer = EncodedEntry(
      LogEntry(
        position: 3, leader: Samples.first, schema: SchemaFingerprint(ofBytes: [2]), previous: point.checksum,
        content: .turns(first: 3, [[1]])))
    #expect(point.objection(to: newer) == .schema(at: 3))
    // An opening begins the next term, by whichever node.
    #expect(point.objection(to: next(point, Samples.first, .opening)) == .leader(at: 3))
    #expect(point.objection(to: next(point, Samples.second, .opening)) == nil)
    // A leader that has passed the leadership on appends nothing.
    let handedOver = after(4)
    #expect(handedOver.successor == Samples.second.node)
    #expect(handedOver.objection(to: next(handedOver, Samples.first, .turns(first: 4, [[1]]))) == .leader(at: 5))
  }
}
