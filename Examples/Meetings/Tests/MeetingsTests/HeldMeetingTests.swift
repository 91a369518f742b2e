import ComposableTesting
import Testing

@testable import Meetings

@MainActor
@Suite struct HeldMeetingTests {
  let meeting = Meeting(
    id: UUID(0), title: "Design",
    agenda: [Topic(id: UUID(1), title: "News", minutes: 1), Topic(id: UUID(2), title: "Plans", minutes: 1)])

  @Test func theAgendaIsWorkedThrough() async {
    let clock = TestClock()
    let strikes = LockIsolated(0)
    let isDismissed = LockIsolated(false)
    let store = TestStore(initialState: HeldMeeting.State(meeting: meeting)) {
      HeldMeeting()
    } withDependencies: {
      $0.continuousClock = clock
      $0.date.now = Date(timeIntervalSince1970: 0)
      $0.dictation.authorize = { true }
      $0.dictation.transcripts = {
        AsyncThrowingStream {
          $0.yield("we begin")
          $0.finish()
        }
      }
      $0.dismiss = DismissEffect { isDismissed.setValue(true) }
      $0.gong.strike = { strikes.withValue { $0 += 1 } }
      $0.uuid = .incrementing
    }
    store.exhaustivity = .off

    let task = await store.send(.onTask)
    await store.receive(\.dictationResult.success) { $0.transcript = "we begin" }
    await clock.advance(by: .seconds(60))
    await store.skipReceivedActions()
    store.assert {
      $0.topicIndex = 1
      $0.secondsElapsed = 0
    }
    #expect(strikes.value == 1)
    await clock.advance(by: .seconds(60))
    await store.skipReceivedActions()
    store.assert {
      $0.meeting.records = [Record(id: UUID(0), date: Date(timeIntervalSince1970: 0), transcript: "we begin")]
    }
    await task.cancel()
    await store.finish()
    #expect(isDismissed.value)
  }

  @Test func aFailedDictationIsReported() async {
    struct Failure: Error {}
    let store = TestStore(initialState: HeldMeeting.State(meeting: meeting)) {
      HeldMeeting()
    } withDependencies: {
      $0.continuousClock = TestClock()
      $0.dictation.authorize = { true }
      $0.dictation.transcripts = { .finished(throwing: Failure()) }
    }
    let task = await store.send(.onTask)
    await store.receive(\.dictationResult.failure) { $0.alert = .dictationFailed }
    await store.send(.timerTicked)
    await store.send(\.alert.dismiss) { $0.alert = nil }
    await task.cancel()
  }

  @Test func theLastTopicEndsByAsking() async {
    let store = TestStore(initialState: HeldMeeting.State(meeting: meeting, topicIndex: 1)) {
      HeldMeeting()
    }
    await store.send(.nextButtonTapped) { $0.alert = .end }
    await store.send(\.alert.dismiss) { $0.alert = nil }
  }
}
