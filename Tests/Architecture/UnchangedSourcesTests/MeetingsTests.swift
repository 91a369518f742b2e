import ComposableArchitecture
import ComposableTesting
import Foundation
import XCTest

final class MeetingsTests: XCTestCase {
  private let meeting = Meeting(id: UUID(0), title: "Standup", minutes: 1)

  @MainActor
  func testAdd() async {
    let store = TestStore(initialState: MeetingsApp.State()) {
      MeetingsApp()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    await store.send(.addTapped) {
      $0.meetings = [Meeting(id: UUID(0))]
      $0.$count.withLock { $0 = 1 }
    }
  }

  @MainActor
  func testEditOnTheStack() async {
    let store = TestStore(initialState: MeetingsApp.State(meetings: [meeting])) { MeetingsApp() }
    await store.send(.rowTapped(id: meeting.id)) {
      $0.path[id: 0] = .detail(MeetingDetail.State(meeting: self.meeting))
    }
    await store.send(\.path[id: 0].detail.editTapped) {
      $0.path[id: 0, case: \.detail]?.destination = .edit(MeetingForm.State(meeting: self.meeting))
    }
    var edited = meeting
    edited.title = "Retro"
    await store.send(\.path[id: 0].detail.destination.edit.binding.meeting, edited) {
      $0.path[id: 0, case: \.detail]?.$destination[case: \.edit]?.meeting = edited
    }
    await store.send(\.path[id: 0].detail.doneEditingTapped) {
      $0.path[id: 0, case: \.detail]?.destination = nil
      $0.path[id: 0, case: \.detail]?.meeting = edited
    }
    await store.receive(\.path[id: 0].detail.delegate.updated) {
      $0.meetings[id: edited.id] = edited
    }
  }

  @MainActor
  func testDeletePops() async {
    let store = TestStore(initialState: MeetingsApp.State(meetings: [meeting])) { MeetingsApp() }
    store.exhaustivity = .off
    await store.send(.rowTapped(id: meeting.id))
    await store.send(\.path[id: 0].detail.deleteTapped)
    await store.send(\.path[id: 0].detail.destination.alert.confirmDeletion)
    await store.receive(\.path[id: 0].detail.delegate.deleted) { $0.meetings = [] }
    await store.receive(\.path.popFrom) { $0.path = StackState() }
  }

  @MainActor
  func testRecordUntilTheTimeIsOver() async {
    let clock = TestClock()
    let store = TestStore(initialState: MeetingsApp.State(meetings: [meeting])) {
      MeetingsApp()
    } withDependencies: {
      $0.continuousClock = clock
    }
    store.exhaustivity = .off(showSkippedAssertions: false)
    await store.send(.recordTapped(id: meeting.id))
    await store.send(\.path[id: 0].record.task)
    await store.send(\.path[id: 0].record.noted, "all well")
    await clock.advance(by: .seconds(60))
    await store.receive(\.path[id: 0].record.delegate.finished) {
      $0.meetings[id: UUID(0)]?.notes = ["all well"]
    }
    await store.receive(\.path.popFrom)
    XCTAssertTrue(store.state.path.isEmpty)
  }
}
