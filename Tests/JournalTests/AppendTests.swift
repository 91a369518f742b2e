import Dispatch
import Journal
import Testing
import TurnLog

/// A hub appends on the thread of its loop, so `append` must not wait for the disk.
@Suite struct AppendTests {
  @Test func appendReturnsHoweverManyBytesWait() throws {
    let scratch = Scratch(isInMemory: true)
    let (events, isHeld, mayContinue, hasAppended) = (
      Events(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    // The first event holds the writing thread, as a disk that does not answer would.
    let (journal, _) = try Journal.open(directory: scratch.path + "/journal") { event in
      if case .stored(upTo: 1) = event {
        isHeld.signal()
        mayContinue.wait()
      }
      events.handler(event)
    }
    journal.begin(schema: schema)
    journal.append([turn(1)])
    #expect(isHeld.wait(timeout: .now() + 60) == .success)
    DispatchQueue.global().async {
      for position in 2...80 as ClosedRange<UInt64> { journal.append([turn(position, bytes: 1 << 20)]) }
      hasAppended.signal()
    }
    #expect(hasAppended.wait(timeout: .now() + 60) == .success)
    #expect(journal.waitingBytes > 64 << 20)
    mayContinue.signal()
    events.waitForStored(80)
    #expect(events.stored == 80)
    journal.close()
  }
}
