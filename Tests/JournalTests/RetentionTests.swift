import Dispatch
import Glibc
import Journal
import Synchronization
import Testing
import TurnLog
import Wire

/// Old snapshots and turns are removed, but never those that recovery needs.
@Suite(.serialized) struct RetentionTests {
  let scratch = Scratch(isInMemory: true)

  /// Returns turns that change the state, of about a kilobyte each.
  private func large(_ range: ClosedRange<UInt64>) -> [LoggedTurn] { range.map { turn($0, bytes: 1000) } }

  @Test func turnsAreTrimmedToTheOlderOfTwoSnapshots() throws {
    let opened = try Opened(scratch.path) { $0.retainedBytes = 20_000 }
    opened.save(snapshot(at: 0))
    opened.journal.append(large(1...100))
    opened.save(snapshot(at: 100))
    // Nothing is removed, since the turns after the older snapshot are needed.
    #expect(try opened.journal.read(from: 1, byteLimit: .max).count == 100)
    opened.journal.append(large(101...200))
    opened.save(snapshot(at: 150))
    // Now the older one is that of turn 100, and 20,000 bytes are less than the turns after it.
    opened.events.waitForStored(200)
    opened.journal.append(large(201...201))
    opened.journal.close()

    let history = try Opened(scratch.path).history
    #expect(history.snapshot?.position == 150)
    #expect(try history.rest().count == 51)
    let error = #expect(throws: LogError.self) { try history.turns(from: 100) }
    #expect(error?.problem == .trimmed)
    #expect(try history.turns(from: 101) == large(101...201))
  }

  @Test func turnsAreTrimmedByTime() throws {
    let day: Int64 = 24 * 3600 * 1000
    let opened = try Opened(scratch.path) { $0.longestClockStep = .zero }
    opened.journal.append([turn(1, time: day), turn(2, time: 2 * day), turn(3, time: 20 * day)])
    opened.save(snapshot(at: 3))
    opened.journal.append([turn(4, time: 35 * day)])
    opened.save(snapshot(at: 4))
    opened.journal.append([turn(5, time: 36 * day)])
    opened.journal.close()
    let journal = try Opened(scratch.path).journal
    #expect(throws: LogError.self) { try journal.read(from: 2, byteLimit: .max) }
    #expect(try journal.read(from: 3, byteLimit: .max).map(\.position) == [3, 4, 5])
    #expect(try journal.position(of: 1) == 3)
    #expect(try journal.position(of: 0) == nil)
  }

  @Test func trimmingOnRequestSparesWhatIsNeeded() throws {
    let opened = try Opened(scratch.path)
    opened.journal.append(turns(1...20))
    opened.save(snapshot(at: 5))
    opened.save(snapshot(at: 15))
    opened.journal.trim(before: 12)
    opened.journal.append(turns(21...21))
    opened.journal.close()
    let journal = try Opened(scratch.path).journal
    #expect(try journal.read(from: 6, byteLimit: .max).count == 16)
    #expect(throws: LogError.self) { try journal.read(from: 5, byteLimit: .max) }
  }

  @Test func twoSnapshotsAreKeptAndTheFileShrinks() throws {
    let opened = try Opened(scratch.path) { $0.pieceBytes = 4000 }
    for position in 0...9 as ClosedRange<UInt64> {
      if position > 0 { opened.store(position...position) }
      opened.save(snapshot(at: position, count: position == 0 ? 8_000_000 : 100_000))
    }
    opened.journal.close()
    let report = try JournalTool.verify(scratch.path)
    #expect(report.problems.isEmpty && report.snapshots == [4, 4])
    #expect(report.fileBytes < 8_000_000)
  }

  /// The pieces are removed faster than the file shrinks, which continues after that.
  @Test func theFileShrinksAfterALargeSnapshot() throws {
    let opened = try Opened(scratch.path)
    opened.save(
      LogSnapshot(position: 0, revision: 0) {
        var pieces = 700
        return { limit in
          pieces -= 1
          return pieces > 0 ? [UInt8](repeating: 1, count: limit) : nil
        }
      })
    for position in 1...2 as ClosedRange<UInt64> {
      opened.store(position...position)
      opened.save(snapshot(at: position))
    }
    opened.journal.close()
    let again = try Opened(scratch.path)
    // Each commit of turns is followed by a step.
    for position in 3...70 as ClosedRange<UInt64> { again.store(position...position) }
    again.journal.close()
    let report = try JournalTool.verify(scratch.path)
    #expect(report.problems.isEmpty && report.snapshots == [0, 1])
    #expect(report.fileBytes < 6_000_000)
  }

  /// A process may end before the file has shrunk.
  @Test func theFileShrinksAlsoInTheNextProcess() throws {
    var opened = try Opened(scratch.path)
    opened.store(1...4)
    opened.journal.close()
    // As if many pages had just become free.
    execute(
      "CREATE TABLE other (bytes BLOB); INSERT INTO other VALUES (zeroblob(20000000)); DROP TABLE other",
      in: scratch.path)
    opened = try Opened(scratch.path)
    for position in 5...30 as ClosedRange<UInt64> { opened.store(position...position) }
    opened.journal.close()
    #expect(try JournalTool.verify(scratch.path).isSound)
    #expect(Scratch.read(scratch.path + "/journal.db").count < 6_000_000)
  }

  @Test func anIncompleteSnapshotIsIgnoredAndRemoved() throws {
    let opened = try Opened(scratch.path + "/a")
    opened.store(1...4)
    opened.save(snapshot(at: 2))
    let (isBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    opened.journal.save(
      LogSnapshot(position: 4, revision: 2) {
        var number = 0
        return { _ in
          number += 1
          // The first pieces are committed when this one is requested.
          if number == 9 {
            isBegun.signal()
            mayEnd.wait()
          }
          return number < 20 ? [UInt8](repeating: 1, count: 1000) : nil
        }
      })
    isBegun.wait()
    Scratch.copy(scratch.path + "/a", to: scratch.path + "/b")
    mayEnd.signal()
    opened.journal.close()

    let again = try Opened(scratch.path + "/b")
    #expect(again.history.snapshot?.bytes == stateBytes(at: 2))
    again.store(5...5)
    again.journal.close()
    let report = try JournalTool.verify(scratch.path + "/b")
    #expect(report.problems.isEmpty && report.snapshots == [1])
  }

  @Test func aDamagedSnapshotIsReplacedByTheOlderOne() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...4)
    opened.save(snapshot(at: 2))
    opened.save(
      LogSnapshot(position: 4, revision: 2) {
        var pieces = [[UInt8]](repeating: Array("a mark that is found".utf8), count: 1)
        return { _ in pieces.popLast() }
      })
    opened.store(5...6)
    opened.journal.close()
    try damage("a mark that is found", in: scratch.path + "/journal.db")

    #expect(try JournalTool.verify(scratch.path).problems == ["the snapshot of revision 2 is damaged"])
    let again = try Opened(scratch.path)
    #expect(again.history.snapshot?.position == 2)
    #expect(again.history.notes.count == 1)
    #expect(try again.history.rest().count == 4)
    again.save(snapshot(at: 6))
    again.journal.close()
    #expect(try JournalTool.verify(scratch.path).snapshots == [1, 3])
  }

  @Test func aSnapshotOfTurnsThatAreNotStoredIsRefused() throws {
    let opened = try Opened(scratch.path)
    opened.save(snapshot(at: 7))
    opened.journal.close()
    guard case .snapshotFailed(let error) = opened.events.all.first else {
      Issue.record("not refused")
      return
    }
    #expect(error.description.contains("has the turns from 0 to 0"))
  }
}

/// Changes one byte of a text in a file.
func damage(_ text: String, in file: String) throws {
  var bytes = Scratch.read(file)
  let wanted = Array(text.utf8)
  let place = try #require(bytes.indices.first { bytes[$0...].starts(with: wanted) })
  bytes[place + 1] ^= 1
  Scratch.write(bytes, to: file)
}
