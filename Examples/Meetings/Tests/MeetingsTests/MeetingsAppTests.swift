import ComposableTesting
import Testing

@testable import Meetings

@MainActor
@Suite struct MeetingsAppTests {
  @Test func aMeetingIsOpenedAndDeleted() async {
    let meeting = Meeting(id: UUID(0), title: "Design")
    var state = MeetingsApp.State()
    state.list.meetings = [meeting]
    let store = TestStore(initialState: state) { MeetingsApp() }

    await store.send(\.path.push, (id: 0, .detail(MeetingDetail.State(meeting: meeting)))) {
      $0.path[id: 0] = .detail(MeetingDetail.State(meeting: meeting))
    }
    await store.send(\.path[id: 0].detail.deleteButtonTapped) {
      $0.path[id: 0]?.modify(\.detail) { $0.destination = .alert(.deletion) }
    }
    await store.send(\.path[id: 0].detail.destination.alert.confirmDeletion) {
      $0.path[id: 0]?.modify(\.detail) { $0.destination = nil }
    }
    await store.receive(\.path[id: 0].detail.delegate.deleteMeeting) {
      $0.list.meetings = []
    }
    await store.receive(\.path.popFrom) { $0.path = StackState() }
  }

  @Test func aMeetingIsEdited() async {
    var meeting = Meeting(id: UUID(0))
    let store = TestStore(initialState: MeetingDetail.State(meeting: meeting)) { MeetingDetail() }
    await store.send(.editButtonTapped) { [meeting] in
      $0.destination = .edit(MeetingForm.State(meeting: meeting))
    }
    meeting.title = "Planning"
    await store.send(\.destination.edit.binding.meeting, meeting) {
      $0.destination?.modify(\.edit) { $0.meeting.title = "Planning" }
    }
    await store.send(.doneEditingButtonTapped) {
      $0.destination = nil
      $0.meeting.title = "Planning"
    }
    await store.receive(\.delegate.saveMeeting)
  }

  @Test func theRecordIsSearched() async {
    let record = Record(id: UUID(0), date: Date(timeIntervalSince1970: 0), transcript: "one two one")
    let store = TestStore(initialState: RecordReader.State(record: record)) { RecordReader() }
    await store.send(\.binding.query, "one") {
      $0.query = "one"
      $0.isSearching = true
    }
    #expect(store.state.matches == 2)
    await store.send(.cancelSearchButtonTapped) {
      $0.query = ""
      $0.isSearching = false
    }
  }
}
